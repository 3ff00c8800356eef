package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"

	"github.com/anishathalye/porcupine"
)

// A record is one line of a file: an operation of one client on one key. Instants are of one clock: µs, or the events of a simulation.
type record struct {
	Client string `json:"client"`
	Kind   string `json:"kind"`
	Key    string `json:"key"`
	Op     string `json:"op"`
	Call   int64  `json:"call"`
	// null: the answer is not known, so the operation may take effect at any time after its call.
	Return *int64 `json:"return"`
	Owner  string `json:"owner"`
	Token  string `json:"token"`
	Side   string `json:"side"`
	Room   int    `json:"room"`
	Places int    `json:"places"`
}

// A history is all that happened to one key.
type history struct {
	source     string
	kind       string
	key        string
	operations []porcupine.Operation
}

// The longest line, in bytes.
const longestLine = 1 << 20

// readHistories reads one operation a line, and sorts them by their key.
func readHistories(source string, from io.Reader) ([]*history, error) {
	var found []*history
	byKey := map[string]*history{}
	clients := map[string]int{}
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 4096), longestLine)
	for number := 1; lines.Scan(); number++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var line record
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", source, number, err)
		}
		of := byKey[line.Key]
		if of == nil {
			of = &history{source: source, kind: line.Kind, key: line.Key}
			byKey[line.Key] = of
			found = append(found, of)
		}
		if err := line.fault(of.kind); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", source, number, err)
		}
		if _, ok := clients[line.Client]; !ok {
			clients[line.Client] = len(clients)
		}
		of.operations = append(of.operations, line.operation(clients[line.Client]))
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return found, nil
}

// fault says why a line cannot be judged.
func (r record) fault(kind string) error {
	if _, ok := models[r.Kind]; !ok {
		return fmt.Errorf("there is no model of %q", r.Kind)
	}
	if r.Kind != kind {
		return fmt.Errorf("%s is a %s, and a %s before", r.Key, r.Kind, kind)
	}
	if r.Op != "acquire" && r.Op != "release" {
		return fmt.Errorf("there is no operation %q", r.Op)
	}
	if r.Owner == "" {
		return fmt.Errorf("%s without an owner", r.Op)
	}
	if r.Kind == "read-write" && r.Side != "read" && r.Side != "write" {
		return fmt.Errorf("there is no side %q of a read/write lock", r.Side)
	}
	if r.Kind == "permits" && (r.Room < 1 || r.Places < 1) {
		return fmt.Errorf("%d places of a room of %d", r.Places, r.Room)
	}
	if _, ok := new(big.Int).SetString(r.Token, 10); r.Token != "" && !ok {
		return fmt.Errorf("token %q is no number", r.Token)
	}
	if r.Return != nil && *r.Return < r.Call {
		return fmt.Errorf("answered at %d, before its call at %d", *r.Return, r.Call)
	}
	return nil
}

func (r record) operation(client int) porcupine.Operation {
	answered := int64(math.MaxInt64)
	if r.Return != nil {
		answered = *r.Return
	}
	input := attempt{op: r.Op, owner: r.Owner, token: r.Token, side: r.Side, room: r.Room, places: r.Places}
	return porcupine.Operation{ClientId: client, Input: input, Call: r.Call, Return: answered}
}
