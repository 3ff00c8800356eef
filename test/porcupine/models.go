package main

import (
	"fmt"
	"maps"
	"math/big"

	"github.com/anishathalye/porcupine"
)

// An attempt is what a model is asked: the input of one operation.
type attempt struct {
	op     string
	owner  string
	token  string
	side   string
	room   int
	places int
}

// models has one sequential specification for each kind of lock. A state is never changed, only replaced.
var models = map[string]porcupine.Model{
	"mutex":      modelOf(mutex{}, mutexStep),
	"fenced":     modelOf(fenced{}, fencedStep),
	"read-write": modelOf(readWrite{}, readWriteStep),
	"permits":    modelOf(permits{}, permitsStep),
}

// A state that can be compared with another one of its model.
type state[S any] interface {
	equal(S) bool
}

func modelOf[S state[S]](first S, step func(S, attempt) (S, bool)) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return first },
		Step: func(before, input, _ any) (bool, any) {
			after, ok := step(before.(S), input.(attempt))
			return ok, after
		},
		Equal: func(one, other any) bool { return one.(S).equal(other.(S)) },
		DescribeOperation: func(input, _ any) string {
			return input.(attempt).String()
		},
	}
}

func (a attempt) String() string {
	text := fmt.Sprintf("%s by %s", a.op, a.owner)
	if a.side != "" {
		text = fmt.Sprintf("%s (%s)", text, a.side)
	}
	if a.token != "" {
		text = fmt.Sprintf("%s with token %s", text, a.token)
	}
	return text
}

// A mutex has one owner, with a hold count: each release takes one hold back.
type mutex struct {
	owner string
	holds int
}

func (m mutex) equal(other mutex) bool { return m == other }

func mutexStep(before mutex, a attempt) (mutex, bool) {
	isOwner := before.holds > 0 && before.owner == a.owner
	switch {
	case a.op == "acquire" && (before.holds == 0 || isOwner):
		return mutex{owner: a.owner, holds: before.holds + 1}, true
	case a.op == "release" && isOwner && before.holds > 1:
		return mutex{owner: a.owner, holds: before.holds - 1}, true
	case a.op == "release" && isOwner:
		return mutex{}, true
	}
	return before, false
}

// A fenced lock is a mutex whose grants, re-entries included, have rising tokens. A grant without a token is judged as one of a mutex.
type fenced struct {
	mutex mutex
	last  string
}

func (f fenced) equal(other fenced) bool { return f == other }

func fencedStep(before fenced, a attempt) (fenced, bool) {
	lock, ok := mutexStep(before.mutex, a)
	if !ok {
		return before, false
	}
	if a.op != "acquire" || a.token == "" {
		return fenced{mutex: lock, last: before.last}, true
	}
	if before.last != "" && numberOf(a.token).Cmp(numberOf(before.last)) <= 0 {
		return before, false
	}
	return fenced{mutex: lock, last: a.token}, true
}

// numberOf reads a token that readHistories has checked.
func numberOf(token string) *big.Int {
	number, _ := new(big.Int).SetString(token, 10)
	return number
}

// A read/write lock has one writer or any number of readers; the writer may read as well, which is how it is downgraded.
type readWrite struct {
	writer  mutex
	readers counts
}

func (r readWrite) equal(other readWrite) bool {
	return r.writer == other.writer && maps.Equal(r.readers, other.readers)
}

func readWriteStep(before readWrite, a attempt) (readWrite, bool) {
	if a.side == "write" {
		isAlone := len(before.readers) == 0 || (before.writer.holds > 0 && before.writer.owner == a.owner)
		if a.op == "acquire" && !isAlone {
			return before, false
		}
		writer, ok := mutexStep(before.writer, a)
		return readWrite{writer: writer, readers: before.readers}, ok
	}
	if a.op == "acquire" {
		if before.writer.holds > 0 && before.writer.owner != a.owner {
			return before, false
		}
		return readWrite{writer: before.writer, readers: before.readers.plus(a.owner, 1)}, true
	}
	if before.readers[a.owner] == 0 {
		return before, false
	}
	return readWrite{writer: before.writer, readers: before.readers.plus(a.owner, -1)}, true
}

// A semaphore has so many places; an owner gives back no more than it has taken.
type permits struct {
	taken counts
}

func (p permits) equal(other permits) bool { return maps.Equal(p.taken, other.taken) }

func permitsStep(before permits, a attempt) (permits, bool) {
	if a.op == "acquire" {
		return permits{taken: before.taken.plus(a.owner, a.places)}, before.taken.sum()+a.places <= a.room
	}
	return permits{taken: before.taken.plus(a.owner, -a.places)}, before.taken[a.owner] >= a.places
}

// counts says how much each owner has; an owner with nothing is not in it.
type counts map[string]int

func (c counts) plus(owner string, change int) counts {
	next := maps.Clone(c)
	if next == nil {
		next = counts{}
	}
	next[owner] += change
	if next[owner] == 0 {
		delete(next, owner)
	}
	return next
}

func (c counts) sum() int {
	total := 0
	for _, count := range c {
		total += count
	}
	return total
}
