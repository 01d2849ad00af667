package yarnfake

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
	"google.golang.org/grpc"
)

// plugin says in YARN's words what happens in the world that is played, and does there what is asked for.
type plugin struct {
	world  drive.World
	stream grpc.BidiStreamingClient[wire.AttachRequest, wire.AttachResponse]
	next   int64 // number of the next event
	life   int   // that containers are named by
	boxes  int   // named so far

	at      units.Time
	nodes   map[sched.NodeID]*cluster.Node
	places  map[string]sched.NodeID
	apps    map[sched.JobID]*app
	ids     map[string]sched.JobID
	names   map[sched.AttemptID]string // of containers, those of which the end was not told yet
	runs    map[string]running
	unknown map[sched.AttemptID]string // containers that somebody wants killed, and that are not there
}

type app struct {
	spec    *workload.Job
	attempt int32
	again   map[string]bool // places with rows at the priority of failed maps
	done    []*wire.Done
}

type running struct {
	attempt sched.AttemptID
	app     *app
	stage   sched.Stage
}

func (p *plugin) forget() {
	p.nodes, p.places = make(map[sched.NodeID]*cluster.Node), make(map[string]sched.NodeID)
	p.apps, p.ids = make(map[sched.JobID]*app), make(map[string]sched.JobID)
	if p.names == nil {
		p.names = make(map[sched.AttemptID]string)
	}
	p.runs, p.unknown = make(map[string]running), make(map[sched.AttemptID]string)
	p.life++
}

// ms is what the cluster's clock shows.
func ms(t units.Time) int64 { return int64(t) / int64(units.Millisecond) }

// say makes messages of a batch: a full state is a snapshot, and so is the first batch.
func (p *plugin) say(b drive.Batch) (messages []*wire.AttachRequest) {
	p.at = b.At
	var snapshot *wire.Snapshot
	if p.next == 0 || b.Events[0].Kind == sched.Resync {
		p.forget()
		p.next = max(p.next, 1)
		snapshot = &wire.Snapshot{TimeMs: ms(b.At), Mode: wire.Mode_MODE_OURS}
	}
	events := &wire.Events{First: p.next, TimeMs: ms(b.At)}
	tell := func(e *wire.Event) { events.Events = append(events.Events, e) }
	if snapshot != nil { // attempts of jobs that are told behind them
		for i := range b.Events {
			if e := &b.Events[i]; e.Kind == sched.JobArrived {
				p.arrived(e)
			}
		}
	}
	var ended []*app // their masters
	list := asTheyCame(b.Events)
	for i := range list {
		e := &list[i]
		if e.Kind > sched.Ended {
			for _, a := range ended {
				tell(&wire.Event{What: &wire.Event_AttemptEnd{AttemptEnd: &wire.AttemptEnd{Application: a.spec.ID, Attempt: a.attempt, End: wire.End_END_FAILED}}})
				a.attempt++
			}
			ended = nil
		}
		if snapshot != nil && p.state(snapshot, e) {
			continue
		}
		if e.Kind == sched.Ended && e.Outcome == sched.Failed {
			if r := p.runs[p.names[e.Attempt]]; r.app != nil && r.stage == sched.Master {
				ended = append(ended, r.app)
			}
		}
		if a := p.apps[e.Job]; e.Kind == sched.JobAmended && !slices.Equal(a.spec.Avoids, e.Detail.Job.Avoids) {
			tell(&wire.Event{What: &wire.Event_Asks{Asks: p.avoids(a, e.Detail.Job)}})
		}
		if x := p.event(e); x != nil {
			tell(x)
		}
	}
	for _, a := range ended {
		tell(&wire.Event{What: &wire.Event_AttemptEnd{AttemptEnd: &wire.AttemptEnd{Application: a.spec.ID, Attempt: a.attempt, End: wire.End_END_FAILED}}})
		a.attempt++
	}
	if snapshot != nil {
		snapshot.Next = p.next
		messages = append(messages, &wire.AttachRequest{Says: &wire.AttachRequest_Snapshot{Snapshot: snapshot}})
	}
	p.next += int64(len(events.Events))
	return append(messages, &wire.AttachRequest{Says: &wire.AttachRequest_Events{Events: events}})
}

// asTheyCame puts ends before starts. A batch has them the other way round, but YARN tells of an end before it
// gives the room to somebody else.
func asTheyCame(events []sched.Event) []sched.Event {
	begun := map[sched.AttemptID]bool{}
	for i := range events {
		if events[i].Kind == sched.Started {
			begun[events[i].Attempt] = true
		}
	}
	turn := func(e *sched.Event) int {
		if e.Kind == sched.Ended && !begun[e.Attempt] {
			return 2*int(sched.Started) - 1
		}
		return 2 * int(e.Kind)
	}
	list := slices.Clone(events)
	slices.SortStableFunc(list, func(x, y sched.Event) int { return cmp.Compare(turn(&x), turn(&y)) })
	return list
}

// state puts into a snapshot what belongs there.
func (p *plugin) state(s *wire.Snapshot, e *sched.Event) bool {
	switch e.Kind {
	case sched.Resync, sched.StageReady:
	case sched.Control:
		s.Mode = modeOf(e.Control)
	case sched.NodeUp:
		s.Nodes = append(s.Nodes, p.nodeUp(e))
	case sched.JobArrived:
		a := p.apps[e.Job]
		s.Applications = append(s.Applications, p.application(a, e.Age))
		if len(a.spec.Avoids) > 0 {
			s.Asks = append(s.Asks, p.avoids(a, a.spec))
		}
	case sched.Started:
		s.Containers = append(s.Containers, p.started(e))
	case sched.Demand:
		asks := p.demand(e)
		if n := len(s.Asks); n > 0 && s.Asks[n-1].Application == asks.Application { // an application is told whole
			s.Asks[n-1].Rows = append(s.Asks[n-1].Rows, asks.Rows...)
		} else {
			s.Asks = append(s.Asks, asks)
		}
	default:
		return false
	}
	return true
}

// event says what happened, nil if YARN has no word for it.
func (p *plugin) event(e *sched.Event) *wire.Event {
	switch e.Kind {
	case sched.Control:
		return &wire.Event{What: &wire.Event_Mode{Mode: modeOf(e.Control)}}
	case sched.NodeUp:
		return &wire.Event{What: &wire.Event_NodeUp{NodeUp: p.nodeUp(e)}}
	case sched.NodeChanged:
		p.nodes[e.Node] = e.Detail.Node
		return &wire.Event{What: &wire.Event_NodeChanged{NodeChanged: nodeOf(e.Detail.Node)}}
	case sched.NodeDown:
		return &wire.Event{What: &wire.Event_NodeDown{NodeDown: p.nodes[e.Node].Name}}
	case sched.Heartbeat:
		return &wire.Event{What: &wire.Event_Heartbeats{Heartbeats: &wire.Names{Names: []string{p.nodes[e.Node].Name}}}}
	case sched.JobArrived:
		return &wire.Event{What: &wire.Event_Application{Application: p.application(p.arrived(e), e.Age)}}
	case sched.JobAmended:
		a := p.apps[e.Job]
		was := a.spec
		a.spec = e.Detail.Job
		if a.spec.Queue == was.Queue && a.spec.Weight == was.Weight && a.spec.Deadline == was.Deadline && (a.spec.Growing() != nil || was.Growing() == nil) {
			return nil // of how many tasks there are as yet YARN knows nothing
		}
		return &wire.Event{What: &wire.Event_Application{Application: p.application(a, p.at.Sub(a.spec.Arrive))}}
	case sched.JobEnded:
		return &wire.Event{What: &wire.Event_ApplicationEnd{ApplicationEnd: &wire.ApplicationEnd{Id: p.apps[e.Job].spec.ID, End: ends[e.Outcome], Diagnostics: e.Text,
			EndedMs: ms(p.at.Add(-e.Age))}}}
	case sched.Demand:
		return &wire.Event{What: &wire.Event_Asks{Asks: p.demand(e)}}
	case sched.Started:
		return &wire.Event{What: &wire.Event_Container{Container: p.started(e)}}
	case sched.Ended:
		return &wire.Event{What: &wire.Event_Completion{Completion: p.ended(e)}}
	case sched.Granted:
		return &wire.Event{What: &wire.Event_Answer{Answer: &wire.Answer{Item: int64(e.Item), Granted: e.Count}}}
	case sched.Refused:
		x := &wire.Answer{Item: int64(e.Item), Refused: e.Count, Why: whys[e.Why]}
		if a := p.apps[e.Job]; a != nil {
			x.Application = a.spec.ID
		}
		if e.Attempt < 0 {
			x.Container = p.unknown[e.Attempt]
		} else if e.Attempt > 0 {
			x.Container = p.names[e.Attempt]
		}
		return &wire.Event{What: &wire.Event_Answer{Answer: x}}
	}
	return nil
}

var (
	ends  = map[sched.Outcome]wire.End{sched.Committed: wire.End_END_SUCCEEDED, sched.Failed: wire.End_END_FAILED, sched.Killed: wire.End_END_KILLED}
	modes = map[sched.ControlVerb]wire.Mode{sched.TakeOver: wire.Mode_MODE_OURS, sched.Yield: wire.Mode_MODE_STOCK, sched.Watch: wire.Mode_MODE_WATCH}
	whys  = map[sched.Code]wire.Why{sched.Stale: wire.Why_WHY_STALE, sched.NoRoom: wire.Why_WHY_NO_ROOM, sched.NodeAway: wire.Why_WHY_NODE_AWAY,
		sched.UnknownNode: wire.Why_WHY_NODE_AWAY, sched.UnknownJob: wire.Why_WHY_NO_APPLICATION, sched.NotAdmitted: wire.Why_WHY_NOT_ADMITTED,
		sched.NotReady: wire.Why_WHY_NOT_READY, sched.Yielded: wire.Why_WHY_YIELDED, sched.Watched: wire.Why_WHY_WATCHED,
		sched.TooLate: wire.Why_WHY_TOO_LATE, sched.BadItem: wire.Why_WHY_BAD_ITEM, sched.Gone: wire.Why_WHY_GONE}
	stages     = map[sched.Stage]int32{sched.Master: 0, sched.Map: 20, sched.Reduce: 10}
	localities = map[sched.Locality]wire.Locality{sched.NodeLocal: wire.Locality_LOCALITY_NODE, sched.RackLocal: wire.Locality_LOCALITY_RACK,
		sched.Remote: wire.Locality_LOCALITY_OFF_SWITCH, sched.Anywhere: wire.Locality_LOCALITY_OFF_SWITCH}
)

func modeOf(c sched.ControlVerb) wire.Mode { return modes[c] }

func (p *plugin) nodeUp(e *sched.Event) *wire.Node {
	n := e.Detail.Node
	p.nodes[e.Node], p.places[n.Name] = n, e.Node
	x := nodeOf(n)
	if e.Age > 0 {
		x.IdleSinceMs = ms(p.at.Add(-e.Age))
	}
	return x
}

func nodeOf(n *cluster.Node) *wire.Node {
	return &wire.Node{Name: n.Name, Rack: rackName(n.Rack), Resources: resources(&n.Class.Capacity), Attributes: n.Labels}
}

func rackName(r cluster.RackID) string { return fmt.Sprint("/r", r) }

func resources(v *units.Vector) map[string]int64 {
	return map[string]int64{"memory-mb": v[units.Memory] / int64(units.MB), "vcores": v[units.VCores]}
}

func (p *plugin) arrived(e *sched.Event) *app {
	a := &app{spec: e.Detail.Job, attempt: 1, again: make(map[string]bool)}
	for i := range a.spec.Stages {
		if st := &a.spec.Stages[i]; len(st.Done) > 0 {
			a.done = append(a.done, &wire.Done{Priority: stages[st.Kind], Count: int32(len(st.Done))})
		}
	}
	p.apps[e.Job], p.ids[a.spec.ID] = a, e.Job
	return a
}

// application describes a job, with what a user may say of it in tags.
func (p *plugin) application(a *app, age units.Duration) *wire.Application {
	j := a.spec
	x := &wire.Application{Id: j.ID, User: j.User, Queue: j.Queue, Name: "name", Type: "MAPREDUCE", SubmitTimeMs: ms(p.at.Add(-age)),
		Master: resources(&j.Stages[0].Containers[0].Needs), Done: a.done, Files: p.files(j),
		Tags: []string{"class:" + j.Class, "unrelated", fmt.Sprintf("weight:%v", j.Weight)}}
	if j.Deadline != units.Never {
		x.Tags = append(x.Tags, fmt.Sprintf("dl:%d", ms(j.Deadline)))
	}
	return x
}

// files is what a job's client has left for its ApplicationMaster. Nobody can read it while a stage grows.
func (p *plugin) files(j *workload.Job) *wire.Files {
	maps, reduces := j.Stage(sched.Map), j.Stage(sched.Reduce)
	if j.Growing() != nil || maps == nil {
		return nil
	}
	x := &wire.Files{SlowStart: j.SlowStart, Map: resources(&maps.Containers[0].Needs)}
	if reduces != nil {
		x.Reduces, x.Reduce = int32(len(reduces.Tasks)), resources(&reduces.Containers[0].Needs)
	}
	at := make(map[sched.NodeID]int32)
	for i := range maps.Tasks {
		s := &wire.Split{Bytes: int64(maps.Tasks[i].Input)}
		for _, h := range maps.Hosts.Of(i) {
			if _, there := at[h]; !there {
				at[h] = int32(len(x.Hosts))
				x.Hosts = append(x.Hosts, p.nodeName(h))
			}
			s.Hosts = append(s.Hosts, at[h])
		}
		x.Splits = append(x.Splits, s)
	}
	return x
}

// demand says what a stage asks for. Maps that have failed have rows at a priority of their own: the played
// world tells the rows of each behind one another, each ending with that for any place.
func (p *plugin) demand(e *sched.Event) *wire.Asks {
	a := p.apps[e.Job]
	x := &wire.Asks{Application: a.spec.ID, Attempt: a.attempt, Applied: int64(e.Item)}
	takes := resources(&a.spec.Stage(e.Stage).Containers[0].Needs)
	add := func(prio int32, place string, n int32) {
		x.Rows = append(x.Rows, &wire.Ask{Priority: prio, Place: place, Count: n, Resources: takes})
	}
	if e.Detail == nil {
		add(stages[e.Stage], "*", e.Count)
	} else {
		prio, now := int32(20), map[string]bool{}
		for _, d := range e.Detail.Demand {
			place := "*"
			switch {
			case d.Node > 0:
				place = p.nodeName(d.Node)
			case d.Rack > 0:
				place = rackName(d.Rack)
			}
			if add(prio, place, d.Count); prio == 5 {
				now[place] = true
			}
			if place == "*" {
				prio = 5
			}
		}
		for _, d := range e.Detail.Demand { // in an order
			if name := p.nodeName(d.Node); d.Node > 0 && a.again[name] && !now[name] {
				add(5, name, 0)
			} else if name := rackName(d.Rack); d.Rack > 0 && a.again[name] && !now[name] {
				add(5, name, 0)
			}
		}
		if a.again["*"] && !now["*"] {
			add(5, "*", 0)
		}
		a.again = now
	}
	return x
}

// avoids says what nodes an application avoids, and nothing of what it asks for.
func (p *plugin) avoids(a *app, j *workload.Job) *wire.Asks {
	names := &wire.Names{}
	for _, n := range j.Avoids {
		names.Names = append(names.Names, p.nodeName(n))
	}
	return &wire.Asks{Application: j.ID, Attempt: a.attempt, Avoids: names}
}

// nodeName is that of a node, up or not.
func (p *plugin) nodeName(n sched.NodeID) string {
	if p.nodes[n] != nil {
		return p.nodes[n].Name
	}
	return fmt.Sprint("n", n)
}

func (p *plugin) started(e *sched.Event) *wire.Container {
	p.boxes++
	a := p.apps[e.Job]
	name := fmt.Sprintf("container_e%02d_%06d", p.life, p.boxes)
	p.names[e.Attempt] = name
	p.runs[name] = running{e.Attempt, a, e.Stage}
	return &wire.Container{Id: name, Application: a.spec.ID, Attempt: a.attempt, Priority: stages[e.Stage], Node: p.nodes[e.Node].Name,
		Resources: resources(&a.spec.Stage(e.Stage).Containers[e.Container].Needs), Locality: localities[e.Locality], Item: int64(e.Item),
		AllocatedMs: ms(p.at.Add(-e.Age))}
}

func (p *plugin) ended(e *sched.Event) *wire.Completion {
	x := &wire.Completion{Container: p.names[e.Attempt], Cause: wire.Cause_CAUSE_EXITED, Diagnostics: e.Text}
	switch e.Outcome {
	case sched.Failed:
		x.Exit = 1
	case sched.Killed, sched.Preempted:
		x.Cause, x.Exit = wire.Cause_CAUSE_RELEASED, -105
	case sched.Lost:
		x.Cause, x.Exit = wire.Cause_CAUSE_LOST, -100
	}
	delete(p.runs, x.Container)
	delete(p.names, e.Attempt)
	return x
}

// enact asks the played world for what a plan says.
func (p *plugin) enact(plan *wire.Plan) error {
	var out sched.Plan
	out.Reset(nil)
	for _, x := range plan.Items {
		it := sched.Item{ID: sched.ItemID(x.Id)}
		switch does := x.Does.(type) {
		case *wire.Item_Place:
			it.Verb, it.Job, it.Node, it.Count = sched.Start, p.ids[does.Place.Application], p.places[does.Place.Node], does.Place.Count
			it.Stage = stageOf(does.Place.Priorities)
			it.Locality = map[wire.Locality]sched.Locality{wire.Locality_LOCALITY_NODE: sched.NodeLocal, wire.Locality_LOCALITY_RACK: sched.RackLocal}[does.Place.Farthest]
			if it.Locality == sched.NoLocality {
				it.Locality = sched.Remote
			}
		case *wire.Item_Kill:
			it.Verb, it.Outcome = sched.Kill, sched.Killed
			it.Attempts.From = int32(len(out.Victims))
			for _, name := range does.Kill.Containers {
				r, there := p.runs[name]
				if !there {
					r.attempt = sched.AttemptID(-1 - len(p.unknown))
					p.unknown[r.attempt] = name
				}
				out.Victims = append(out.Victims, r.attempt)
			}
			it.Attempts.To = int32(len(out.Victims))
		case *wire.Item_Verdict:
			it.Job, it.Count = p.ids[does.Verdict.Application], does.Verdict.Count
			switch does.Verdict.Judgement {
			case wire.Judgement_JUDGEMENT_ADMIT:
				it.Verb = sched.Admit
			case wire.Judgement_JUDGEMENT_HOLD:
				it.Verb = sched.Hold
			case wire.Judgement_JUDGEMENT_REJECT:
				it.Verb, it.Reason = sched.Reject, sched.Because(&sched.Cause{Name: "said", Text: does.Verdict.Sentence})
			default:
				it.Verb, it.Stage = sched.Sample, stageOf(does.Verdict.Priorities)
			}
		}
		out.Items = append(out.Items, it)
	}
	return p.world.Enact(&out)
}

// stageOf is the stage that asks at these priorities.
func stageOf(priorities []int32) sched.Stage {
	switch priorities[len(priorities)-1] {
	case 0:
		return sched.Master
	case 10:
		return sched.Reduce
	}
	return sched.Map
}
