package sched

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/slackline/slackline/units"
)

// Number says what a number of a reason is.
type Number struct {
	// Name stands for it in Cause.Text.
	Name string
	// Unit says how it is written.
	Unit Unit
	// Is says what it is: "its deadline".
	Is string
	// Like is one for which the catalogue shows the sentence.
	Like int64
}

// Unit says what a number counts, and so how a sentence writes it.
type Unit uint8

// The units.
const (
	// Count is a number of things; below 0 there are none.
	Count Unit = iota
	// Change is a number of things that came or went, written without its sign.
	Change
	// Clock is an instant or a span in nanoseconds: 2:10 min.
	Clock
	// Shift is a span in nanoseconds by which something is later or sooner, written without its sign.
	Shift
	// Chance is a probability in millionths: 99 %.
	Chance
	// Risk is one as well; what it leaves is written.
	Risk
	// Millionths are parts of one: 0.25.
	Millionths
	// Thousandths are parts of one: 0.25.
	Thousandths
	// PerMillion is a share in millionths: 25 %.
	PerMillion
	// PerMille is a share in thousandths: 25 %.
	PerMille
	// Money is in thousandths: 4.25.
	Money
	// Container is a stage: map.
	Container
	// Resource is an amount of that resource which C of the reason names: 8 GB.
	Resource
	unitCount
)

var unitNames = [unitCount]string{"count", "change", "time", "shift", "chance", "risk", "millionths", "thousandths", "millionths of all", "thousandths of all", "money", "stage", "amount"}

// Named is a number in this unit; see Number.
func (u Unit) Named(name, is string, like int64) Number { return Number{name, u, is, like} }

// String names the unit.
func (u Unit) String() string { return nameOf(unitNames[:], int(u)) }

// Piece is what a sentence says of one piece of evidence: as Cause.Text, and besides with {at}, {amount} in its
// unit, and {others} where it stands for so many jobs; {job} is that of the evidence.
type Piece struct {
	Text string
	Unit Unit
}

// Others stands in evidence for all jobs that it does not list: At is how many they are.
const Others JobID = math.MinInt32

// teller makes a sentence of a reason.
type teller struct {
	strings.Builder
	reason *Reason
	told   *Outlook
	piece  *Evidence // of which it tells; nil = of the reason
	unit   Unit      // of the piece's amount
	name   func(JobID) string
}

// say is the reason as a sentence, with what the job is told and the evidence. name says what a job is
// called; nil: by its handle.
func (r *Reason) say(o Outlook, evidence []Evidence, name func(JobID) string) string {
	c := r.Cause
	switch {
	case c == nil:
		return ""
	case c.Text == "" && r.A == 0 && r.B == 0 && r.C == 0:
		return c.Name
	case c.Text == "":
		return fmt.Sprintf("%s (%d, %d, %d)", c.Name, r.A, r.B, r.C)
	}
	if name == nil {
		name = byHandle
	}
	t := teller{reason: r, told: &o, name: name}
	t.tell(c.Text)
	for i := range evidence {
		if len(c.Each) > 0 {
			each := c.Each[min(i, len(c.Each)-1)]
			t.piece, t.unit = &evidence[i], each.Unit
			t.tell(each.Text)
		}
	}
	return t.String()
}

// tell writes a text with what stands in braces and brackets put in; see Cause.Text.
func (t *teller) tell(text string) {
	for {
		before, rest, more := cutAny(text, "{[")
		t.WriteString(before)
		if !more {
			return
		}
		inside, after := enclosed(rest)
		if text = after; rest[0] == '{' {
			t.value(inside)
			continue
		}
		of, said, _ := strings.Cut(inside, "?")
		yes, no := alternatives(said)
		if n, _, _ := t.number(of); n > 0 && n != int64(units.Never) {
			t.tell(yes)
		} else {
			t.tell(no)
		}
	}
}

// value writes what a pair of braces holds: a number, the word for so many, or a job.
func (t *teller) value(inside string) {
	of, words, counts := strings.Cut(inside, "?")
	n, unit, known := t.number(of)
	switch {
	case of == "job":
		t.job()
	case !known:
		t.WriteString("{" + inside + "}")
	case counts:
		one, many, _ := strings.Cut(words, "|")
		if n == 1 || n == -1 && unit == Change {
			many = one
		}
		t.WriteString(many)
	default:
		t.write(n, unit)
	}
}

// number finds a number by its name, or the difference of two: "takes-left".
func (t *teller) number(name string) (n int64, unit Unit, known bool) {
	if one, other, differ := strings.Cut(name, "-"); differ {
		a, unit, known := t.number(one)
		b, _, also := t.number(other)
		return a - b, unit, known && also
	}
	for i, is := range t.reason.Cause.Numbers {
		if is.Name == name && i < 3 {
			return [3]int64{t.reason.A, t.reason.B, t.reason.C}[i], is.Unit, true
		}
	}
	o := t.told
	switch name {
	case "by":
		return int64(o.By), Clock, true
	case "confidence":
		return int64(o.Confidence), Chance, true
	case "half":
		if o.Confidence == Certain/2 { // that is By
			return 0, Clock, true
		}
		return int64(o.Half), Clock, true
	case "ninety":
		if o.Confidence == Certain/10*9 {
			return 0, Clock, true
		}
		return int64(o.Ninety), Clock, true
	case "measured":
		return int64(o.Measured), Count, true
	}
	if e := t.piece; e != nil {
		switch {
		case name == "at":
			return int64(e.At), Clock, true
		case name == "amount":
			return e.Amount, t.unit, true
		case name == "others" && e.Job == Others:
			return int64(e.At), Count, true
		case name == "others":
			return 0, Count, true
		}
	}
	return 0, Count, false
}

func (t *teller) write(n int64, unit Unit) {
	switch unit {
	case Change:
		t.WriteString(strconv.FormatInt(max(n, -n), 10))
	case Clock:
		t.WriteString(clock(n))
	case Shift:
		t.WriteString(clock(max(n, -n)))
	case Chance:
		t.WriteString(chance(n))
	case Risk:
		t.WriteString(chance(Certain - n))
	case Millionths:
		fmt.Fprintf(t, "%.4g", float64(n)/1e6)
	case Thousandths:
		fmt.Fprintf(t, "%.4g", float64(n)/1e3)
	case PerMillion:
		fmt.Fprintf(t, "%.3g %%", float64(n)/1e4)
	case PerMille:
		fmt.Fprintf(t, "%.3g %%", float64(n)/10)
	case Money:
		fmt.Fprintf(t, "%.2f", float64(n)/1000)
	case Container:
		t.WriteString(Stage(min(max(n, 0), int64(Stages))).String())
	case Resource:
		if d := units.Dim(min(max(t.reason.C, 0), int64(units.Dims))); d == units.Memory {
			fmt.Fprint(t, units.Bytes(n))
		} else {
			fmt.Fprintf(t, "%d %v", n, d)
		}
	default:
		t.WriteString(strconv.FormatInt(max(n, 0), 10))
	}
}

// job writes whom the reason names, or the piece of evidence, where a job that has finished is 0, and work without
// a promise below 0.
func (t *teller) job() {
	switch e := t.piece; {
	case e == nil:
		t.WriteString(t.name(t.reason.Job))
	case e.Job > 0:
		t.WriteString(t.name(e.Job))
	case e.Job < 0:
		t.WriteString("what runs without a promise")
	default:
		t.WriteString("what was promised to jobs that have finished")
	}
}

// clock writes an instant or a span.
func clock(ns int64) string {
	if units.Time(ns) == units.Never {
		return "never"
	}
	return units.Span(units.Duration(ns).Seconds())
}

// chance writes a probability in millionths, rounded down: to a tenth of a percent, above 99 % to a hundredth.
func chance(n int64) string {
	step := int64(1000)
	if Certain-n < 10*step {
		step /= 10
	}
	return strconv.FormatFloat(float64(n/step*step)/1e4, 'f', -1, 64) + " %"
}

func byHandle(j JobID) string { return fmt.Sprintf("job %d", j) }

// cutAny cuts a text before the first of these characters.
func cutAny(text, chars string) (before, rest string, found bool) {
	if i := strings.IndexAny(text, chars); i >= 0 {
		return text[:i], text[i:], true
	}
	return text, "", false
}

// enclosed cuts a text that begins with a brace or a bracket behind the one that closes it; without one, at its end.
func enclosed(text string) (inside, after string) {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return text[1:i], text[i+1:]
			}
		}
	}
	return text[1:], ""
}

// alternatives cuts a text at the bar that stands in no brace or bracket of its own.
func alternatives(text string) (yes, no string) {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '|':
			if depth == 0 {
				return text[:i], text[i+1:]
			}
		}
	}
	return text, ""
}
