package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const timeout = 10 * time.Second

// judged runs the program, and returns its lines and its exit code.
func judged(t *testing.T, in string, paths ...string) ([]string, int) {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(paths, timeout, strings.NewReader(in), &out, &errs)
	text := strings.TrimSpace(out.String() + errs.String())
	return strings.Split(text, "\n"), code
}

func TestEachBrokenHistoryIsIllegal(t *testing.T) {
	// The operation that fits nowhere.
	stuck := map[string]string{
		"two-holders":           "acquire by b:1",
		"token-not-rising":      "acquire by b:1 with token 999",
		"writer-beside-reader":  "acquire by c:1 (write)",
		"permit-too-many":       "acquire by c:1",
		"release-by-a-stranger": "release by b:1",
	}
	files, err := os.ReadDir("fixtures")
	if err != nil || len(files) != len(stuck) {
		t.Fatalf("%d broken histories, not %d: %v", len(files), len(stuck), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(file.Name(), ".jsonl")
		t.Run(name, func(t *testing.T) {
			lines, code := judged(t, "", filepath.Join("fixtures", file.Name()))
			fields := strings.Split(lines[0], "\t")
			if code != exitIllegal || len(lines) != 1 || fields[0] != "illegal" {
				t.Fatalf("exit code %d: %q", code, lines)
			}
			if found := fields[len(fields)-1]; !strings.HasPrefix(found, stuck[name]+", ") {
				t.Errorf("stuck at %q, not at %q", found, stuck[name])
			}
		})
	}
}

func TestSoundHistoriesOfEveryKindAreOk(t *testing.T) {
	lines, code := judged(t, "", "sound")
	if code != 0 || len(lines) != len(models) {
		t.Fatalf("exit code %d: %q", code, lines)
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, "ok\t") {
			t.Error(line)
		}
	}
}

func TestAHistoryIsReadFromStandardInput(t *testing.T) {
	lines, code := judged(t, `{"client":"a","kind":"mutex","key":"k","op":"acquire","call":1,"return":2,"owner":"a:1"}`)
	if code != 0 || !strings.HasPrefix(lines[0], "ok\tmutex\tk\t1\t") {
		t.Fatalf("exit code %d: %q", code, lines)
	}
}

func TestWhatCannotBeJudgedIsRefusedWithItsLine(t *testing.T) {
	for text, why := range map[string]string{
		`{`: "-:1: ",
		`{"kind":"latch","key":"k","op":"acquire","owner":"a:1","return":2}`:                                         `no model of "latch"`,
		`{"kind":"mutex","key":"k","op":"renew","owner":"a:1","return":2}`:                                           `no operation "renew"`,
		`{"kind":"mutex","key":"k","op":"acquire","return":2}`:                                                       "without an owner",
		`{"kind":"mutex","key":"k","op":"acquire","owner":"a:1","call":3,"return":2}`:                                "before its call",
		`{"kind":"fenced","key":"k","op":"acquire","owner":"a:1","return":2,"token":"one"}`:                          "is no number",
		`{"kind":"read-write","key":"k","op":"acquire","owner":"a:1","return":2}`:                                    "no side",
		`{"kind":"permits","key":"k","op":"acquire","owner":"a:1","return":2,"places":1}`:                            "1 places of a room of 0",
		"{\"kind\":\"mutex\",\"key\":\"k\",\"op\":\"acquire\",\"owner\":\"a\"}\n{\"kind\":\"fenced\",\"key\":\"k\"}": "-:2: k is a fenced, and a mutex before",
	} {
		if lines, code := judged(t, text); code != exitUnreadable || !strings.Contains(lines[0], why) {
			t.Errorf("exit code %d, %q: %s", code, lines, text)
		}
	}
	if lines, code := judged(t, "", "nowhere"); code != exitUnreadable {
		t.Errorf("exit code %d, %q", code, lines)
	}
}
