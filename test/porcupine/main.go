// Judges histories of locks: is there an order of the operations, each between its call and its answer, that a lock allows?
//
//	porcupine-judge [-timeout 30s] [file or folder …]
//
// Reads the *.jsonl files of folders, and standard input where nothing is named. Prints a line for each history (a key of a file):
// verdict, kind, key, number of operations, ms, source, and for an illegal one the first operation that fits nowhere, between tabs.
// Exit code: 0, all is ok; 1, something is illegal; 2, something cannot be read; 3, a check was not finished in time.
package main

import (
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

const (
	exitIllegal    = 1
	exitUnreadable = 2
	exitUnknown    = 3
)

func main() {
	timeout := flag.Duration("timeout", 30*time.Second, "for one history")
	flag.Parse()
	os.Exit(run(flag.Args(), *timeout, os.Stdin, os.Stdout, os.Stderr))
}

func run(paths []string, timeout time.Duration, in io.Reader, out, errs io.Writer) int {
	histories, err := readAll(paths, in)
	if err != nil {
		fmt.Fprintln(errs, err)
		return exitUnreadable
	}
	code := 0
	for _, of := range histories {
		v := judge(of, timeout)
		fmt.Fprintln(out, v)
		switch {
		case v.result == porcupine.Illegal:
			code = exitIllegal
		case v.result == porcupine.Unknown && code == 0:
			code = exitUnknown
		}
	}
	return code
}

func readAll(paths []string, in io.Reader) ([]*history, error) {
	if len(paths) == 0 {
		return readHistories("-", in)
	}
	var all []*history
	for _, path := range paths {
		err := filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || (name != path && !strings.HasSuffix(name, ".jsonl")) {
				return err
			}
			file, err := os.Open(name)
			if err != nil {
				return err
			}
			defer file.Close()
			histories, err := readHistories(name, file)
			all = append(all, histories...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

type verdict struct {
	of     *history
	result porcupine.CheckResult
	took   time.Duration
	stuck  string
}

func judge(of *history, timeout time.Duration) verdict {
	model := models[of.kind]
	begin := time.Now()
	result := porcupine.CheckOperationsTimeout(model, of.operations, timeout)
	v := verdict{of: of, result: result, took: time.Since(begin)}
	if result == porcupine.Illegal {
		v.stuck = stuckAt(model, of.operations, timeout)
	}
	return v
}

func (v verdict) String() string {
	words := map[porcupine.CheckResult]string{porcupine.Ok: "ok", porcupine.Illegal: "illegal", porcupine.Unknown: "unknown"}
	took := fmt.Sprintf("%.3f", float64(v.took.Microseconds())/1000)
	fields := []string{words[v.result], v.of.kind, v.of.key, fmt.Sprint(len(v.of.operations)), took, v.of.source}
	if v.stuck != "" {
		fields = append(fields, v.stuck)
	}
	return strings.Join(fields, "\t")
}

// stuckAt describes the operation that was answered first of those that are not in the longest order which a lock allows.
func stuckAt(model porcupine.Model, operations []porcupine.Operation, timeout time.Duration) string {
	_, info := porcupine.CheckOperationsVerbose(model, operations, timeout)
	var longest []int
	for _, order := range info.PartialLinearizations()[0] {
		if len(order) > len(longest) {
			longest = order
		}
	}
	isPlaced := map[int]bool{}
	for _, id := range longest {
		isPlaced[id] = true
	}
	first := -1
	for id, operation := range operations {
		if !isPlaced[id] && (first < 0 || operation.Return < operations[first].Return) {
			first = id
		}
	}
	if first < 0 {
		return ""
	}
	operation := operations[first]
	answered := "never"
	if operation.Return != math.MaxInt64 {
		answered = fmt.Sprint(operation.Return)
	}
	return fmt.Sprintf("%s, called at %d, answered at %s", model.DescribeOperation(operation.Input, nil), operation.Call, answered)
}
