package adverse_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

func contains(s, part string) bool { return strings.Contains(s, part) }

// call is one call of a ResourceManager to its scheduler, as far as it matters here.
type call struct {
	at    float64 // seconds
	what  string  // node, changed, gone, app, ask, grant, done, quit, over, refused, restart, runs
	name  string  // of the node, app, attempt of an app, or container
	node  string
	rack  string
	prio  int
	exit  int
	age   float64
	final string
	state string // of a node that changed: leaving, while it is being decommissioned
	shuns string // the node that an ApplicationMaster has blacklisted
	rows  []row
}

// row is what is asked for at a priority, in a place: * for any, else a node or a rack.
type row struct {
	prio  int
	place string
	n     int32
}

// readText reads calls in the format of testdata: seconds, what, name, and fields KEY=VALUE; rows are
// PRIORITY:PLACE=COUNT.
func readText(text string) (calls []call, err error) {
	for i, line := range strings.Split(text, "\n") {
		f := strings.Fields(line)
		if len(f) == 0 || strings.HasPrefix(f[0], "#") {
			continue
		}
		if len(f) < 2 {
			return nil, fmt.Errorf("line %d: %q is no call", i+1, line)
		}
		c := call{what: f[1]}
		if c.at, err = strconv.ParseFloat(f[0], 64); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		for k, word := range f[2:] {
			key, value, has := strings.Cut(word, "=")
			prio, place, isRow := strings.Cut(key, ":")
			n, _ := strconv.Atoi(value)
			switch {
			case isRow:
				p, _ := strconv.Atoi(prio)
				c.rows = append(c.rows, row{p, place, int32(n)})
			case k == 0 && !has:
				c.name = word
			case key == "node":
				c.node = value
			case key == "rack":
				c.rack = value
			case key == "prio":
				c.prio = n
			case key == "exit":
				c.exit = n
			case key == "state":
				c.state = value
			case key == "avoids":
				c.shuns = value
			case key == "final":
				c.final = value
			case key == "age":
				c.age, _ = strconv.ParseFloat(value, 64)
			default:
				return nil, fmt.Errorf("line %d: %q says nothing", i+1, word)
			}
		}
		calls = append(calls, c)
	}
	return calls, nil
}

// readRecording reads calls as the recorder wrote them, a JSON object a line.
func readRecording(path string) (calls []call, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	life := 1
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var d struct {
			Ms                              float64
			Rm                              int
			Ev, App, Att, ID, Node, Rack    string
			Final, State, Type, RMContainer string
			Ok                              bool
			Prio, Exit                      int
			Submit                          float64 `json:"submit_age_ms"`
			Recovering                      bool
			Reserved                        json.RawMessage
			Nodes                           []struct{ Node, Rack string }
			Ask                             []struct {
				Prio int
				Loc  string
				Num  int32
			}
			Containers []struct {
				ID, State string
				Prio      int
			}
			Quiet map[string]int
		}
		if err := json.Unmarshal(in.Bytes(), &d); err != nil {
			return nil, err
		}
		node, _, _ := strings.Cut(d.Node, ":")
		add := func(c call) {
			c.at = d.Ms / 1000
			calls = append(calls, c)
		}
		if d.Rm > life {
			life = d.Rm
			add(call{what: "restart"})
		}
		for what, n := range d.Quiet {
			if what == "commit refused" && n > 0 {
				add(call{what: "refused"})
			}
		}
		switch d.Ev {
		case "snapshot":
			for _, n := range d.Nodes {
				add(call{what: "node", name: n.Node, rack: n.Rack})
			}
		case "NODE_ADDED":
			add(call{what: "node", name: node, rack: d.Rack})
			for _, c := range d.Containers {
				if c.State == "RUNNING" {
					add(call{what: "runs", name: c.ID, node: node, prio: c.Prio})
				}
			}
		case "NODE_REMOVED":
			add(call{what: "gone", name: node})
		case "APP_ADDED":
			c := call{what: "app", name: d.App}
			if d.Recovering {
				c.age = d.Submit / 1000
			}
			add(c)
		case "allocate":
			c := call{what: "ask", name: d.Att}
			for _, r := range d.Ask {
				if r.Prio >= 0 {
					c.rows = append(c.rows, row{r.Prio, r.Loc, r.Num})
				}
			}
			if c.rows != nil {
				add(c)
			}
		case "commit":
			if !d.Ok {
				add(call{what: "refused"})
			} else if string(d.Reserved) != "true" && d.State != "RESERVED" && !strings.Contains(string(d.Reserved), "c") {
				add(call{what: "grant", name: d.ID, node: node, prio: d.Prio})
			}
		case "completed":
			add(call{what: "done", name: d.ID, node: node, exit: d.Exit})
		case "APP_ATTEMPT_REMOVED":
			add(call{what: "quit", name: d.Att, final: d.Final})
		case "APP_REMOVED":
			add(call{what: "over", name: d.App, final: d.Final})
		}
	}
	return calls, in.Err()
}

// plugin makes events of calls, as a small scheduler that only follows would.
type plugin struct {
	language *language
	told     []sched.Event
	state    bool // in the midst of what a restart tells again
	nodes    map[string]sched.NodeID
	racks    map[string]cluster.RackID
	apps     map[string]*app
	jobs     sched.JobID
	attempts map[string]sched.AttemptID // of containers, whether they run or not
	runs     map[string]*box
}

type app struct {
	job  sched.JobID
	rows map[row]int32 // by row without its count
}

type box struct {
	app, node string
	stage     sched.Stage
}

func newPlugin() *plugin {
	return &plugin{language: newLanguage(), nodes: map[string]sched.NodeID{}, racks: map[string]cluster.RackID{}, apps: map[string]*app{},
		attempts: map[string]sched.AttemptID{}, runs: map[string]*box{}}
}

// stageOf is what MapReduce asks for at a priority: 5 are maps that have failed.
func stageOf(prio int) sched.Stage {
	switch prio {
	case 0:
		return sched.Master
	case 10:
		return sched.Reduce
	}
	return sched.Map
}

func (p *plugin) tell(e sched.Event) { p.told = append(p.told, e) }

// receive takes in one call, and tells what it comes to in one batch; what comes after a restart comes together.
func (p *plugin) receive(c *call) {
	name, _, _ := strings.Cut(c.name, ".")
	a := p.apps[name]
	if p.state && c.what != "node" && c.what != "app" && c.what != "runs" {
		p.state = false
		p.say(c.at)
	}
	switch c.what {
	case "restart":
		p.state, p.apps, p.runs = true, map[string]*app{}, map[string]*box{}
		p.tell(sched.Event{Kind: sched.Resync})
	case "node":
		if p.nodes[c.name] == 0 {
			p.nodes[c.name] = sched.NodeID(len(p.nodes) + 1)
		}
		if p.racks[c.rack] == 0 {
			p.racks[c.rack] = cluster.RackID(len(p.racks) + 1)
		}
		if p.state || !p.language.up[p.nodes[c.name]] {
			p.tell(sched.Event{Kind: sched.NodeUp, Node: p.nodes[c.name]})
		}
	case "gone":
		p.tell(sched.Event{Kind: sched.NodeDown, Node: p.nodes[c.name]})
	case "changed":
		is := &cluster.Node{Name: c.name, Class: &cluster.Class{Capacity: units.Slots(1, 1)}}
		if c.state == "leaving" {
			is.Class.Capacity = units.Vector{}
		}
		p.tell(sched.Event{Kind: sched.NodeChanged, Node: p.nodes[c.name], Detail: &sched.Detail{Node: is}})
	case "app":
		p.jobs++
		p.apps[c.name] = &app{job: p.jobs, rows: map[row]int32{}}
		j := &workload.Job{ID: c.name, Soft: units.Never, Deadline: units.Never}
		for _, s := range []sched.Stage{sched.Master, sched.Map, sched.Reduce} {
			j.Stages = append(j.Stages, workload.StageSpec{Kind: s, Grows: true})
		}
		p.tell(sched.Event{Kind: sched.JobArrived, Job: p.jobs, Age: seconds(c.age), Detail: &sched.Detail{Job: j}})
	case "runs", "grant":
		if a == nil {
			break
		}
		if p.attempts[c.name] == 0 {
			p.attempts[c.name] = sched.AttemptID(len(p.attempts) + 1)
		}
		p.runs[c.name] = &box{name, c.node, stageOf(c.prio)}
		p.tell(sched.Event{Kind: sched.Started, Attempt: p.attempts[c.name], Job: a.job, Stage: stageOf(c.prio), Node: p.nodes[c.node]})
		if c.what == "grant" {
			for r, n := range a.rows {
				if r.prio == c.prio && (r.place == "*" || r.place == c.node || p.rackOf(c.node) == r.place) && n > 0 {
					a.rows[r]--
				}
			}
		}
	case "ask":
		if a != nil {
			p.ask(c, a)
		}
		if a != nil && c.shuns != "" {
			j := &workload.Job{ID: c.name, Avoids: []sched.NodeID{p.nodes[c.shuns]}}
			p.tell(sched.Event{Kind: sched.JobAmended, Job: a.job, Detail: &sched.Detail{Job: j}})
		}
	case "done":
		p.done(c)
	case "quit":
		if a != nil {
			p.quit(name, a, c.final)
		}
	case "over":
		if a != nil {
			o := sched.Killed
			if c.final == "FINISHED" {
				o = sched.Committed
			}
			p.tell(sched.Event{Kind: sched.JobEnded, Job: a.job, Outcome: o})
			delete(p.apps, c.name)
		}
	case "refused":
		p.tell(sched.Event{Kind: sched.Refused, Why: sched.Stale})
	}
	if !p.state {
		p.say(c.at)
	}
}

// rackOf is unknown here: rows of racks are lowered by the next ask.
func (p *plugin) rackOf(string) string { return "?" }

func (p *plugin) say(at float64) {
	if len(p.told) > 0 {
		slices.SortStableFunc(p.told, func(a, b sched.Event) int { return cmp.Compare(a.Kind, b.Kind) })
		_ = p.language.Batch(0, units.Time(0).Add(seconds(at)), p.told)
		p.told = p.told[:0]
	}
}

// ask takes rows, each of which holds until another of its priority and place, and tells what each stage
// now asks for. A map that is asked for at the priority of failed ones has been lost, whatever was told of
// it.
func (p *plugin) ask(c *call, a *app) {
	var stages [sched.Stages]bool
	for _, r := range c.rows {
		stages[stageOf(r.prio)] = true
		key := row{r.prio, r.place, 0}
		if failed := r.n - a.rows[key]; r.prio == 5 && r.place == "*" {
			for range min(failed, p.language.jobs[a.job].done[sched.Map]) {
				p.tell(sched.Event{Kind: sched.OutputLost, Job: a.job, Stage: sched.Map})
			}
		}
		a.rows[key] = r.n
	}
	for s := range sched.Stages {
		if stages[s] {
			p.demand(a, s)
		}
	}
}

func (p *plugin) demand(a *app, s sched.Stage) {
	e := sched.Event{Kind: sched.Demand, Job: a.job, Stage: s, Detail: &sched.Detail{}}
	for r, n := range a.rows {
		if stageOf(r.prio) != s {
			continue
		}
		d := sched.LocationDemand{Count: n}
		switch {
		case r.place == "*":
			e.Count += n
		case strings.HasPrefix(r.place, "/"):
			d.Rack = max(1, p.racks[r.place])
		default:
			d.Node = max(1, p.nodes[r.place])
		}
		e.Detail.Demand = append(e.Detail.Demand, d)
	}
	p.tell(e)
}

func (p *plugin) done(c *call) {
	b := p.runs[c.name]
	if p.attempts[c.name] == 0 {
		return // of a life of which nothing was heard
	}
	e := sched.Event{Kind: sched.Ended, Attempt: p.attempts[c.name], Outcome: sched.Committed}
	switch {
	case b == nil || c.exit == -100 || c.exit == -105 || c.exit == -106:
		e.Outcome = sched.Killed
	case c.exit != 0:
		e.Outcome = sched.Failed
	}
	delete(p.runs, c.name)
	p.tell(e)
}

// quit is the end of an ApplicationMaster: nobody tells those of its containers.
func (p *plugin) quit(name string, a *app, final string) {
	for id, b := range p.runs {
		if b.app != name {
			continue
		}
		o := sched.Killed
		if b.stage == sched.Master {
			o = sched.Failed
		}
		p.tell(sched.Event{Kind: sched.Ended, Attempt: p.attempts[id], Outcome: o})
		delete(p.runs, id)
	}
	if final != "FAILED" {
		return // what was asked for is never withdrawn
	}
	clear(a.rows)
	for _, s := range []sched.Stage{sched.Map, sched.Reduce} {
		p.tell(sched.Event{Kind: sched.Demand, Job: a.job, Stage: s})
	}
}

func (p *plugin) listen(t *testing.T, name string, calls []call) map[string]int {
	t.Helper()
	for i := range calls {
		p.receive(&calls[i])
	}
	for _, wrong := range p.language.wrong {
		t.Errorf("%s: %s", name, wrong)
	}
	return p.language.seen
}

// listenToTestdata counts what the recordings in testdata show.
func listenToTestdata(t *testing.T, seen map[string]int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil || len(files) < 2 {
		t.Fatalf("%d recordings: %v", len(files), err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		calls, err := readText(string(text))
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		for what, n := range newPlugin().listen(t, filepath.Base(f), calls) {
			seen[what] += n
		}
	}
}

// What a ResourceManager says is in the language, and its peculiarities are those that the twin is held to.
func TestRecordingsSpeakTheLanguage(t *testing.T) {
	seen := map[string]int{}
	listenToTestdata(t, seen)
	for _, what := range recorded {
		if seen[what] == 0 {
			t.Errorf("nothing in testdata shows %s", what)
		}
	}
	if _, err := readText("1.0 ask a1.1 more"); err == nil {
		t.Error("a call that says nothing is read")
	}
}

// The first recordings are not part of the project; calls.txt is made up after them. Where they are at hand, they are
// in the language too.
func TestRealRecordings(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "..", "shared", "reference", "yarn-recorded", "recordings", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Skip("NOT CHECKED: no recordings of a ResourceManager are at hand; testdata/calls.txt stands for them")
	}
	seen := map[string]int{}
	listenToTestdata(t, seen)
	for _, f := range files {
		calls, err := readRecording(f)
		if err != nil {
			t.Fatal(err)
		}
		if len(calls) < 10 {
			t.Errorf("%s: %d calls", filepath.Base(f), len(calls))
		}
		for what, n := range newPlugin().listen(t, filepath.Base(f), calls) {
			seen[what] += n
		}
	}
	t.Logf("met: %v", seen)
	for _, what := range recorded {
		if seen[what] == 0 {
			t.Errorf("no recording shows %s", what)
		}
	}
}

func seconds(s float64) units.Duration { return units.Duration(s * float64(units.Second)) }
