package yarn

import (
	"fmt"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// order is an item that the plug-in has not answered in full.
type order struct {
	job   sched.JobID
	stage sched.Stage
	node  sched.NodeID
	far   sched.Locality
	left  int32
	asked int64 // when it was decided, in ms since 1970 by this process's clock
}

// answered takes so many containers off an item.
func (w *World) answered(id sched.ItemID, n int32) {
	if o := w.open[id]; o != nil {
		if o.left -= max(n, 1); o.left <= 0 {
			delete(w.open, id)
		}
	}
}

// refuse says that an item is not done; it rides in the next batch.
func (w *World) refuse(it *sched.Item, attempt sched.AttemptID, count int32, why sched.Code) {
	w.refusals = append(w.refusals, sched.Event{Kind: sched.Refused, Item: it.ID, Job: it.Job, Stage: it.Stage, Node: it.Node,
		Attempt: attempt, Count: count, Why: why})
}

// Enact asks the plug-in for what the plan says. What it cannot do is refused here.
func (w *World) Enact(p *sched.Plan) error {
	plan := wire.Plan{Seen: w.next} // a full state is one batch: who sees its number has decided on all of it
	for i := range p.Items {
		it := &p.Items[i]
		if it.Held {
			continue
		}
		sight := w.seen.Add(it.ID)
		if sight == drive.Again || it.Refused != sched.OK {
			continue
		}
		if sight == drive.Forgotten {
			w.refuse(it, 0, it.Count, sched.Stale)
			continue
		}
		if x := w.item(p, it); x != nil {
			x.Id = int64(it.ID)
			plan.Items = append(plan.Items, x)
		}
	}
	if len(plan.Items) > 0 {
		w.send(&wire.AttachResponse{Says: &wire.AttachResponse_Plan{Plan: &plan}})
	}
	return nil
}

// item is what the plug-in is told of an item, nil for nothing.
func (w *World) item(p *sched.Plan, it *sched.Item) *wire.Item {
	switch it.Verb {
	case sched.Start, sched.Admit, sched.Hold, sched.Reject, sched.Sample:
		a := w.apps[it.Job]
		if a == nil || a.refused {
			w.refuse(it, 0, it.Count, sched.UnknownJob)
			return nil
		}
		return w.about(p, it, a)
	case sched.Sleep, sched.Wake:
		w.rent(it)
		return nil
	case sched.Kill:
		return w.kill(p, it)
	case sched.Withhold, sched.Release, sched.SetSlots, sched.SetDeadline, sched.Foretell, sched.Rank, sched.WakeMe:
		return nil // the book sees to these; WakeAt says when to wake
	}
	w.refuse(it, 0, it.Count, sched.CannotDo)
	return nil
}

// about is an item about an application.
func (w *World) about(p *sched.Plan, it *sched.Item, a *app) *wire.Item {
	judge := func(j wire.Judgement) *wire.Item {
		a.judged, a.told = j, w.why(p, it)
		return verdict(a, j, a.told)
	}
	switch it.Verb {
	case sched.Start:
		return w.place(it, a)
	case sched.Admit:
		return judge(wire.Judgement_JUDGEMENT_ADMIT)
	case sched.Hold:
		return judge(wire.Judgement_JUDGEMENT_HOLD)
	case sched.Reject:
		is, tag, by := *it, "", it.Outlook.By
		// as users say it: from when the policy counts time they do not know
		if offer := by.Sub(a.spec.Arrive); by > a.spec.Arrive && offer < units.Duration(longest) {
			is.Outlook.By, tag = 0, fmt.Sprintf("; submitted now with the tag in:%d it would be accepted", (offer+units.Second-1)/units.Second)
		}
		a.rejected = w.why(p, &is) + a.grounds() + tag
		return verdict(a, wire.Judgement_JUDGEMENT_REJECT, a.rejected)
	}
	if it.Stage >= sched.Stages || a.spec.Stage(it.Stage) == nil {
		w.refuse(it, 0, it.Count, sched.BadItem)
		return nil
	}
	x := judge(wire.Judgement_JUDGEMENT_SAMPLE)
	x.GetVerdict().Count, x.GetVerdict().Priorities = it.Count, a.priorities(it.Stage)
	return x
}

// why is the policy's sentence.
func (w *World) why(p *sched.Plan, it *sched.Item) string {
	return p.Why(it, func(j sched.JobID) *workload.Job {
		if a := w.apps[j]; a != nil {
			return a.spec
		}
		return nil
	})
}

// verdict is what the plug-in is told of a decision about an application.
func verdict(a *app, j wire.Judgement, sentence string) *wire.Item {
	return &wire.Item{Does: &wire.Item_Verdict{Verdict: &wire.Verdict{Application: a.name, Judgement: j, Sentence: sentence}}}
}

// Tell has users read in YARN why an application waits that may run, or is held: its verdict comes once more, with
// another sentence. It is for the goroutine of the loop.
func (w *World) Tell(application, sentence string) {
	a := w.apps[w.jobs.find(application)]
	if a == nil || a.told == sentence || a.judged != wire.Judgement_JUDGEMENT_ADMIT && a.judged != wire.Judgement_JUDGEMENT_HOLD {
		return
	}
	a.told = sentence
	w.verdict(a, a.judged, sentence)
}

// verdict decides about an application that no policy is asked about.
func (w *World) verdict(a *app, j wire.Judgement, sentence string) {
	w.send(&wire.AttachResponse{Says: &wire.AttachResponse_Plan{Plan: &wire.Plan{Items: []*wire.Item{verdict(a, j, sentence)}}}})
}

// place is a start.
func (w *World) place(it *sched.Item, a *app) *wire.Item {
	switch {
	case it.Stage >= sched.Stages || a.spec.Stage(it.Stage) == nil || it.Count < 1 ||
		int(it.Container) >= len(a.spec.Stage(it.Stage).Containers):
		w.refuse(it, 0, it.Count, sched.BadItem)
		return nil
	case it.Node < 1 || int(it.Node) > len(w.nodes.names):
		w.refuse(it, 0, it.Count, sched.UnknownNode)
		return nil
	}
	if w.placed = max(w.placed, it.ID); it.ID > 0 {
		w.open[it.ID] = &order{it.Job, it.Stage, it.Node, it.Locality, it.Count, w.cfg.Clock().UnixMilli()}
	}
	x := &wire.Place{Application: a.name, Priorities: a.priorities(it.Stage), Node: w.nodes.name(it.Node), Count: it.Count}
	switch it.Locality {
	case sched.NodeLocal:
		x.Farthest = wire.Locality_LOCALITY_NODE
	case sched.RackLocal:
		x.Farthest = wire.Locality_LOCALITY_RACK
	}
	return &wire.Item{Does: &wire.Item_Place{Place: x}}
}

// kill names the containers that the book has chosen.
func (w *World) kill(p *sched.Plan, it *sched.Item) *wire.Item {
	if it.Attempts.From < 0 || int(it.Attempts.To) > len(p.Victims) || it.Attempts.Len() <= 0 {
		w.refuse(it, 0, it.Count, sched.BadItem)
		return nil
	}
	var x wire.Kill
	for _, id := range p.Victims[it.Attempts.From:it.Attempts.To] {
		b := w.boxes[id]
		if b == nil {
			w.refuse(it, id, 1, sched.Stale)
			continue
		}
		if b.as = sched.Killed; it.Outcome == sched.Preempted {
			b.as = sched.Preempted
		}
		x.Containers = append(x.Containers, w.runs.name(id))
	}
	if len(x.Containers) == 0 {
		return nil
	}
	return &wire.Item{Does: &wire.Item_Kill{Kill: &x}}
}
