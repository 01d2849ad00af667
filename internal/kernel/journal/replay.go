package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Result says how much of a journal was decided again.
type Result struct {
	Header Header
	Rounds int64
	Events int64
	Items  int64
	Cut    bool // the journal stops before the end of the run; all of it was exact
}

// Replay decides a recorded run again: the real loop, ledger and policy work on the recorded
// events, and all that follows from them is compared with the record, byte by byte. The first
// difference, or the first damaged line, is a *LineError. It keeps one round in memory.
func Replay(ctx context.Context, r io.Reader, policy func(Header) (sched.Policy, error)) (Result, error) {
	in, err := NewReader(r)
	if err != nil {
		return Result{}, err
	}
	p, err := policy(in.Header)
	if err != nil {
		return Result{}, fmt.Errorf("line 1: %w", err)
	}
	re := &recording{in: in, result: Result{Header: in.Header}}
	re.loop = drive.New(re, p, re)
	err = re.loop.Run(ctx)
	return re.result, err
}

// recording is a world that says what it said before, and a sink that compares the plans.
type recording struct {
	in     *Reader
	loop   *drive.Loop
	ahead  *Line // read too far: the first of the next round
	result Result

	round    Line // the round line, and those of its events and its plan
	at       units.Time
	events   []Line
	plan     []Line // the plan line first; none: the policy was not asked, or wanted nothing
	repeated int64  // items of the plan that only repeat advice, and have no lines
	answered bool   // the loop has shown its plan
	advice   advice

	given []sched.Event
	text  []byte
}

// Can is what the recorded world could do.
func (r *recording) Can() sched.Capabilities { return r.in.Header.World }

// Enact has nothing to do: the outcome is recorded.
func (r *recording) Enact(*sched.Plan) error { return nil }

// WakeAt has nothing to do: ticks are recorded.
func (r *recording) WakeAt(units.Time) {}

// Next returns the recorded events of the next round, without those that the ledger has to derive.
func (r *recording) Next(ctx context.Context) (drive.Batch, error) {
	// an empty plan is none: what a policy heeds may have become less since it was recorded, or
	// more
	if (len(r.plan) > 1 || r.repeated > 0) && !r.answered {
		return drive.Batch{}, bad(r.plan[0].Number, "a plan was recorded, but nothing in the round asks for one")
	}
	b, err := r.say(ctx)
	r.loop.MaxItems = max(1, len(r.plan)) + int(r.repeated) // one more than recorded: that is enough to differ
	return b, err
}

// say reads the next round and returns what the world said.
func (r *recording) say(ctx context.Context) (drive.Batch, error) {
	if err := ctx.Err(); err != nil {
		return drive.Batch{}, err
	}
	at, err := r.readRound()
	if errors.Is(err, ErrCut) {
		r.result.Cut = true
		return drive.Batch{}, io.EOF
	}
	if err != nil {
		return drive.Batch{}, err
	}
	r.given = r.given[:0]
	for i, l := range r.events {
		e, err := ParseEvent(l.Rest)
		if err == nil {
			err = check(&e, r.result.Events+int64(i))
		}
		if err != nil {
			return drive.Batch{}, bad(l.Number, "%v", err)
		}
		if !e.Derived {
			r.given = append(r.given, e)
		}
	}
	return drive.Batch{At: at, Events: r.given}, nil
}

// slack is how far handles may run ahead of the events that brought them.
const slack = 1 << 16

// check refuses what no world says after so many events, so that a forged journal cannot lead the
// book astray: descriptions that are not valid, and handles so large that they are not dense.
func check(e *sched.Event, events int64) error {
	if err := dense(events, int64(e.Node), int64(e.Job), int64(e.Attempt)); err != nil {
		return err
	}
	if err := dense(math.MaxInt64-slack, int64(e.Task)); err != nil || e.Detail == nil {
		return err
	}
	if n := e.Detail.Node; n != nil {
		if err := cmp.Or(n.Validate(), dense(events, int64(n.Rack))); err != nil {
			return err
		}
	}
	if j := e.Detail.Job; j != nil {
		if err := j.Validate(); err != nil {
			return err
		}
	}
	for _, p := range e.Detail.Demand {
		if err := dense(events, int64(p.Node), int64(p.Rack)); err != nil {
			return err
		}
	}
	return nil
}

// dense tells which of the handles cannot have come up after so many events.
func dense(events int64, handles ...int64) error {
	for _, h := range handles {
		if h < 0 {
			return errors.New("a handle is negative, it must be 0 or more")
		}
		if h > slack+events {
			return fmt.Errorf("handle %d comes after %d events, handles must be dense", h, events)
		}
	}
	return nil
}

func (r *recording) next() (Line, error) {
	if r.ahead != nil {
		l := *r.ahead
		r.ahead = nil
		return l, nil
	}
	return r.in.Next()
}

// readRound reads the lines of the next round. A round that was cut off counts as not there.
func (r *recording) readRound() (units.Time, error) {
	r.events, r.plan, r.repeated, r.answered = r.events[:0], r.plan[:0], 0, false
	l, err := r.next()
	if err != nil {
		return 0, err
	}
	if l.Word == "end" {
		return 0, r.end(l)
	}
	if l.Word != "round" {
		return 0, bad(l.Number, "found %q where a round or the end was expected", l.Word)
	}
	round, at, events, err := parseRound(l.Rest)
	if err != nil {
		return 0, bad(l.Number, "%v", err)
	}
	if round != r.result.Rounds+1 {
		return 0, bad(l.Number, "round %d follows round %d", round, r.result.Rounds)
	}
	if at < r.at {
		return 0, bad(l.Number, "time %d follows time %d, but must not run backwards", int64(at), int64(r.at))
	}
	r.round, r.at = l, at
	if r.events, err = r.take(r.events, l, events, "event"); err != nil {
		return 0, err
	}
	l, err = r.next()
	switch {
	case err != nil:
		return 0, err
	case l.Word != "plan":
		r.ahead = &l
		return at, nil
	}
	items, repeated, err := parsePlan(l.Rest)
	if err != nil {
		return 0, bad(l.Number, "%v", err)
	}
	if r.loop != nil && repeated > int64(r.advice.texts) {
		return 0, bad(l.Number, "it repeats %d pieces of advice, only %d stand", repeated, r.advice.texts)
	}
	r.repeated = repeated
	r.plan = append(r.plan, l)
	r.plan, err = r.take(r.plan, l, int(items), "item")
	return at, err
}

// end checks the count of the end line.
func (r *recording) end(l Line) error {
	rounds, err := parseCount(l.Rest, "rounds")
	if err != nil {
		return bad(l.Number, "%v", err)
	}
	if rounds != r.result.Rounds {
		return bad(l.Number, "the journal has %d rounds, but its end says %d", r.result.Rounds, rounds)
	}
	if _, err := r.in.Next(); err == nil {
		return bad(l.Number+1, "there is text after the end")
	} else if err != io.EOF {
		return err
	}
	return io.EOF
}

// take reads the lines of one word that the head announces.
func (r *recording) take(lines []Line, head Line, n int, word string) ([]Line, error) {
	for i := range n {
		l, err := r.next()
		switch {
		case err != nil:
			return lines, err
		case l.Word != word:
			return lines, bad(head.Number, "it announces %d lines %q, line %d after %d of them is %q", n, word, l.Number, i, l.Word)
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// Batch compares the events with the recorded ones; what can differ are those that the ledger derived.
func (r *recording) Batch(round int64, at units.Time, events []sched.Event) error {
	r.result.Rounds = round
	r.result.Events += int64(len(events))
	n := 0
	for i := range events {
		if r.advice.follows(&events[i]) {
			continue
		}
		r.text = AppendEvent(r.text[:0], &events[i])
		if n >= len(r.events) {
			return bad(r.round.Number, "the run now has one more event in this round: %s", r.text)
		}
		if err := r.same(&r.events[n], r.text); err != nil {
			return err
		}
		n++
	}
	if len(r.events) > n {
		l := r.events[n]
		return bad(l.Number, "the run no longer has the event: %s", l.Rest)
	}
	r.advice.heard(round, events)
	return nil
}

// Plan compares the plan with the recorded one.
func (r *recording) Plan(_ int64, _ units.Time, p *sched.Plan) error {
	r.answered = true
	if len(r.plan) == 0 && len(p.Items) == 0 {
		return nil
	}
	if len(r.plan) == 0 {
		return bad(r.round.Number+int64(len(r.events))+1, "a plan is missing here: the policy is now asked in this round, and was not when it was recorded")
	}
	r.result.Items += int64(len(p.Items))
	r.advice.planned(p)
	n := 1
	for i := range p.Items {
		if r.advice.repeats(p.Items[i].ID) {
			continue
		}
		r.text = AppendItem(r.text[:0], p, &p.Items[i])
		if n >= len(r.plan) {
			return bad(r.plan[0].Number, "the plan now has one more item: %s", r.text)
		}
		if err := r.same(&r.plan[n], r.text); err != nil {
			return err
		}
		n++
	}
	if len(r.plan) > n {
		return bad(r.plan[n].Number, "the plan no longer has the item: %s", r.plan[n].Rest)
	}
	if now := int64(len(r.advice.repeated)); now != r.repeated {
		return bad(r.plan[0].Number, "%d items of the plan repeat advice, %d did when it was recorded", now, r.repeated)
	}
	return nil
}

func (r *recording) same(l *Line, text []byte) error {
	if l.Rest == string(text) {
		return nil
	}
	if l.Word == "item" && r.in.Header.Version == untold {
		return bad(l.Number, "recorded: %s; now: %s; the journal has format %d, and %s repeats what it tells of promises", l.Rest, text, untold, readers[untold])
	}
	return bad(l.Number, "recorded: %s; now: %s", l.Rest, text)
}
