package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Play has a policy decide on what a recorded world said, and shows that to sinks. What the policy
// decides is compared with nothing and changes nothing. That tells what it would have advised if the
// recorded policy only watched: then nothing that the world said followed from a plan. It is asked
// at the recorded instants, those at which the recorded policy wanted to be woken among them.
//
// A cluster's own scheduler has started a container by the time that a policy which watches is told of
// its node's next beat, and then that policy has nothing to say of it. So it is told of a start only
// when it has decided at that beat, as if it had been asked in place of that scheduler.
func Play(ctx context.Context, r io.Reader, policy func(Header) (sched.Policy, []drive.Sink, error)) (Result, error) {
	in, err := NewReader(r)
	if err != nil {
		return Result{}, err
	}
	p, sinks, err := policy(in.Header)
	if err != nil {
		return Result{}, fmt.Errorf("line 1: %w", err)
	}
	re := &recording{in: in, result: Result{Header: in.Header}}
	err = drive.New(&spoken{recording: re}, p, sinks...).Run(ctx)
	return re.result, err
}

// spoken is a recording as a world alone.
type spoken struct {
	*recording
	watching bool
	held     []held
	asked    map[stageOf]int32 // containers that were asked for last, as far as was told
	next     []drive.Batch     // still to be told
}

// held is an event that waits until the node has beaten.
type held struct {
	sched.Event
	at   units.Time
	node sched.NodeID // 0: for the starts of its stage, which is demand that counts them
}

// stageOf is a stage of a job.
type stageOf struct {
	job   sched.JobID
	stage sched.Stage
}

// Next returns the recorded events of the next round, without those that the ledger has to derive.
func (s *spoken) Next(ctx context.Context) (drive.Batch, error) {
	for len(s.next) == 0 {
		b, err := s.say(ctx)
		switch {
		case errors.Is(err, io.EOF) && len(s.held) > 0:
			s.tell(s.at, s.release(s.at, nil))
			continue
		case err != nil:
			return b, err
		}
		s.result.Rounds++
		s.result.Events += int64(len(s.events))
		s.take(b)
	}
	b := s.next[0]
	s.next = s.next[1:]
	for i := range b.Events {
		if e := &b.Events[i]; e.Kind == sched.Demand {
			s.asked[stageOf{e.Job, e.Stage}] = e.Count
		}
	}
	return b, nil
}

func (s *spoken) tell(at units.Time, events []sched.Event) {
	if len(events) > 0 {
		s.next = append(s.next, drive.Batch{At: at, Events: events})
	}
}

// apart are the kinds of events before which all is told that is held: what they are about may go, or
// be called otherwise.
var apart = sched.EventsOf(sched.Resync, sched.Control, sched.NodeUp, sched.NodeDown, sched.JobEnded, sched.JobArrived)

// take has the events of a round told: at once, or when their nodes have beaten.
func (s *spoken) take(b drive.Batch) {
	if s.asked == nil {
		s.asked = make(map[stageOf]int32)
	}
	beats, whole := map[sched.NodeID]bool{}, false
	for i := range b.Events {
		switch e := &b.Events[i]; {
		case apart.Has(e.Kind):
			if whole = true; e.Kind == sched.Control {
				s.watching = e.Control == sched.Watch
			}
		case e.Kind == sched.Heartbeat:
			beats[e.Node] = true
		case e.Kind == sched.Started: // under a handle that is free again
			whole = whole || slices.ContainsFunc(s.held, func(h held) bool { return h.Attempt == e.Attempt })
		}
	}
	if whole || !s.watching {
		s.tell(b.At, s.release(b.At, nil))
		s.tell(b.At, slices.Clone(b.Events))
		return
	}
	var rest []sched.Event
	for _, e := range b.Events {
		of := func(h held) bool { return e.Attempt != 0 && h.Attempt == e.Attempt }
		counts := func(h held) bool { return h.Kind == sched.Started && h.Job == e.Job && h.Stage == e.Stage }
		i := slices.IndexFunc(s.held, of)
		switch {
		case e.Kind == sched.Started:
			s.held = append(s.held, held{e, b.At, e.Node})
		case i >= 0:
			s.held = append(s.held, held{e, b.At, s.held[i].node})
		case e.Kind == sched.Demand && e.Count < s.asked[stageOf{e.Job, e.Stage}] && slices.ContainsFunc(s.held, counts):
			s.held = slices.DeleteFunc(s.held, func(h held) bool { return h.Kind == sched.Demand && h.Job == e.Job && h.Stage == e.Stage })
			s.held = append(s.held, held{e, b.At, 0})
		default:
			rest = append(rest, e)
		}
	}
	s.tell(b.At, rest)
	if len(beats) > 0 {
		s.tell(b.At, s.release(b.At, beats))
	}
}

// release returns what was held until nodes beat, those or all of them, as it is told at a time.
func (s *spoken) release(at units.Time, beats map[sched.NodeID]bool) (out []sched.Event) {
	waits := func(d held) bool {
		return slices.ContainsFunc(s.held, func(h held) bool {
			return h.Kind == sched.Started && h.Job == d.Job && h.Stage == d.Stage && !beats[h.node]
		})
	}
	var still []held
	for _, h := range s.held {
		if beats != nil && (h.node == 0 && waits(h) || h.node != 0 && !beats[h.node]) {
			still = append(still, h)
			continue
		}
		if h.Kind == sched.Started || h.Kind == sched.Ended {
			h.Age += at.Sub(h.at)
		}
		out = append(out, h.Event)
	}
	s.held = still
	slices.SortStableFunc(out, func(a, b sched.Event) int { return cmp.Compare(a.Kind, b.Kind) })
	return out
}
