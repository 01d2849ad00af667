package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// ParseEvent is the inverse of AppendEvent.
func ParseEvent(text string) (sched.Event, error) {
	var e sched.Event
	f := fields{rest: text}
	e.Kind = name(&f, f.word(), sched.EventKinds, "event")
	for f.next() {
		switch f.key {
		case "derived":
			e.Derived = true
		case "job":
			e.Job = sched.JobID(f.int32())
		case "stage":
			e.Stage = name(&f, f.value, sched.Stages, "stage")
		case "task":
			e.Task = sched.TaskID(f.int32())
		case "node":
			e.Node = sched.NodeID(f.int32())
		case "attempt":
			e.Attempt = sched.AttemptID(f.int32())
		case "container":
			e.Container = uint8(f.bits(8))
		case "locality":
			e.Locality = name(&f, f.value, sched.Remote+1, "locality")
		case "outcome":
			e.Outcome = name(&f, f.value, sched.Lost+1, "outcome")
		case "control":
			e.Control = name(&f, f.value, sched.Controls, "control verb")
		case "of":
			e.Of = name(&f, f.value, sched.Supplies, "supply")
		case "power":
			e.State = name(&f, f.value, sched.NodeStates, "state of a node")
		case "count":
			e.Count = f.int32()
		case "item":
			e.Item = sched.ItemID(f.int(64))
		case "age":
			e.Age = units.Duration(f.int(64))
		case "why":
			e.Why = name(&f, f.value, codes, "reason")
		case "read":
			e.Bytes = units.Bytes(f.int(64))
		case "wrote":
			e.OutBytes = units.Bytes(f.int(64))
		case "x":
			e.X = f.float()
		case "spans":
			f.each(int(sched.Phases), func(i int, part string) { e.Spans[i] = units.Duration(f.number(part, 64)) })
		case "text":
			e.Text = f.value
		case "detail":
			var d detail
			dec := json.NewDecoder(bytes.NewReader([]byte(f.value)))
			dec.DisallowUnknownFields()
			if err := dec.Decode(&d); err != nil {
				f.fail("detail cannot be read: %v", err)
			}
			e.Detail = (*sched.Detail)(&d)
		default:
			f.unknown("an event")
		}
	}
	return e, f.err
}

// codes is a bound above all reasons.
const codes = sched.Code(255)

// parseRound reads the rest of a round line.
func parseRound(text string) (round int64, at units.Time, events int, err error) {
	f := fields{rest: text, key: "the round"}
	round = f.number(f.word(), 64)
	for f.next() {
		switch f.key {
		case "at":
			at = units.Time(f.int(64))
		case "events":
			events = int(f.int(32))
		default:
			f.unknown("a round")
		}
	}
	if want := appendRound(nil, round, at, events); f.err == nil && text != string(want) {
		f.fail("the round is written as %q, it must be %q", text, want)
	}
	if f.err == nil && (round < 1 || at < 0 || events < 0) {
		f.fail("a round, its time or the number of its events is negative")
	}
	return round, at, events, f.err
}

// parsePlan reads the rest of a plan line.
func parsePlan(text string) (items, repeated int64, err error) {
	counted, more, also := strings.Cut(text, " ")
	if items, err = parseCount(counted, "items"); err != nil || !also {
		return items, 0, err
	}
	if repeated, err = parseCount(more, "repeated"); err == nil && repeated == 0 {
		err = fmt.Errorf("it says %q, which is left out where nothing is repeated", more)
	}
	return items, repeated, err
}

// parseCount reads a count and nothing else.
func parseCount(text, key string) (int64, error) {
	digits, ok := strings.CutPrefix(text, key+"=")
	n, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || n < 0 || digits != strconv.FormatInt(n, 10) {
		return 0, fmt.Errorf("it says %q, it must be %s= and a number", text, key)
	}
	return n, nil
}

// fields walks "key=value key key="quoted value" …" and keeps the first error.
type fields struct {
	rest, key, value string
	err              error
}

func (f *fields) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format, args...)
	}
}

func (f *fields) unknown(of string) { f.fail("there is no field %q of %s", f.key, of) }

// word takes the first word of the rest.
func (f *fields) word() string {
	w, rest, _ := strings.Cut(f.rest, " ")
	f.rest = rest
	return w
}

// next goes to the next field; a detail takes all that is left.
func (f *fields) next() bool {
	if f.err != nil || f.rest == "" {
		return false
	}
	end := strings.IndexAny(f.rest, " =")
	if end < 0 {
		f.key, f.value, f.rest = f.rest, "", ""
		return true
	}
	f.key = f.rest[:end]
	if f.rest[end] == ' ' {
		f.value, f.rest = "", f.rest[end+1:]
		return true
	}
	f.rest = f.rest[end+1:]
	switch {
	case f.key == "detail":
		f.value, f.rest = f.rest, ""
	case strings.HasPrefix(f.rest, `"`):
		quoted, err := strconv.QuotedPrefix(f.rest)
		if err != nil {
			f.fail("the text of %q has no end", f.key)
			return false
		}
		f.rest = strings.TrimPrefix(f.rest[len(quoted):], " ")
		if f.value, err = strconv.Unquote(quoted); err != nil {
			f.fail("the text of %q cannot be read", f.key)
			return false
		}
	default:
		f.value = f.word()
	}
	return true
}

func (f *fields) number(text string, size int) int64 {
	n, err := strconv.ParseInt(text, 10, size)
	if err != nil {
		f.fail("%s is %q, it must be a whole number of %d bits", f.key, text, size)
	}
	return n
}

func (f *fields) int(size int) int64 { return f.number(f.value, size) }
func (f *fields) int32() int32       { return int32(f.number(f.value, 32)) }

func (f *fields) bits(size int) uint64 {
	n, err := strconv.ParseUint(f.value, 10, size)
	if err != nil {
		f.fail("%s is %q, it must be a number from 0 to %d", f.key, f.value, 1<<size-1)
	}
	return n
}

func (f *fields) float() float64 {
	x, err := strconv.ParseFloat(f.value, 64)
	if err != nil {
		f.fail("%s is %q, it must be a number", f.key, f.value)
	}
	return x
}

// each calls do for each of at most limit parts between commas.
func (f *fields) each(limit int, do func(i int, part string)) {
	for i, part := range strings.Split(f.value, ",") {
		if i >= limit {
			f.fail("%s has more than %d parts", f.key, limit)
		}
		if f.err != nil {
			return
		}
		do(i, part)
	}
}

// named is what the contract has names for.
type named interface {
	~uint8
	String() string
}

// name finds the value that prints as the word; "#7" is the value 7 of those that have none.
func name[T named](f *fields, word string, bound T, what string) T {
	if strings.HasPrefix(word, "#") {
		n, err := strconv.ParseUint(word[1:], 10, 8)
		if err != nil {
			f.fail("%s is %q, it must be a name, or \"#\" and a number below 256", what, word)
		}
		return T(n)
	}
	for v := T(0); v < bound; v++ {
		if v.String() == word {
			return v
		}
	}
	var names []string
	for v := T(0); v < bound; v++ {
		if n := v.String(); n != "unknown" {
			names = append(names, n)
		}
	}
	f.fail("there is no %s %q%s", what, word, spelling.Hint(word, names))
	return 0
}
