package page

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

const hostile = `</script><img src=x onerror=alert(1)>`

const small = `
name: small
cluster: {nodes: 6, racks: 2, map_slots: 2, reduce_slots: 1, heartbeat: 3s, replicas: 3, block: 64MB, failure_rate: 0.05, task_times: {law: lognormal, cv: 0.5}}
workload:
  jobs:
    - {id: "` + hostile + `", class: "<b>a</b>", arrive: 0s, maps: 40, reduces: 4, map_time: 20s, shuffle_time: 5s, reduce_time: 30s, deadline: 10m}
    - {id: j2, class: sort, arrive: 30s, maps: 10, reduces: 2, map_time: 15s, shuffle_time: 5s, reduce_time: 20s, deadline: 2m}
    - {id: j3, class: sort, arrive: 60s, maps: 5, reduces: 0, map_time: 15s}
`

// kept is a sink that keeps all attempts.
type kept struct {
	follow.Single
	running map[sched.AttemptID]sched.Event
	began   map[sched.AttemptID]units.Time
	bars    []keptBar
	jobs    map[sched.JobID]int64
}

type keptBar struct {
	job, task, stage, outcome, begin, end int64
}

func newKept() *kept {
	return &kept{running: map[sched.AttemptID]sched.Event{}, began: map[sched.AttemptID]units.Time{}, jobs: map[sched.JobID]int64{}}
}

func (k *kept) Batch(_ units.Time, records []follow.Record) error {
	for _, r := range records {
		now := r.At
		switch e := *r.Event; e.Kind {
		case sched.JobArrived:
			k.jobs[e.Job] = int64(len(k.jobs))
		case sched.Started:
			k.running[e.Attempt], k.began[e.Attempt] = e, now
		case sched.Ended:
			s := k.running[e.Attempt]
			k.bars = append(k.bars, keptBar{k.jobs[s.Job], int64(s.Task), int64(s.Stage), int64(e.Outcome), int64(k.began[e.Attempt]), int64(now)})
		}
	}
	return nil
}

// play runs the small scenario under policies and returns the page, what was kept, and the report.
func play(t *testing.T, policies ...string) (text string, all []*kept, r *report.Report) {
	t.Helper()
	s, err := scenario.Read("small.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	cells := lab.Cells(s, policies, []uint64{7})
	var heads []Head
	for _, c := range cells {
		heads = append(heads, Head{Scenario: c.Scenario, Policy: c.Policy, Seed: c.Seed, Books: c.Books})
	}
	p := New(heads)
	var runs []*report.Run
	for i, c := range cells {
		k := newKept()
		c.Sinks = append(p.Watch(i), k)
		run, err := lab.Run(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		run.Summary.Wall, run.Summary.EventsPerSec = 0, 0 // measured
		runs, all = append(runs, run), append(all, k)
	}
	r = report.New(runs...)
	return write(t, p, r), all, r
}

func write(t *testing.T, p *Page, r *report.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	if b.Len() > MaxBytes {
		t.Errorf("the page has %d bytes", b.Len())
	}
	return b.String()
}

// All that a small run did stands in its page, bar for bar, job for job, as an independent reader finds it.
func TestPageTellsAll(t *testing.T) {
	text, all, r := play(t, "fifo", "edf-p")
	b := blockOf(t, text)
	if len(b.Runs) != 2 || len(b.Sets) != 1 {
		t.Fatalf("%d runs, %d sets of jobs", len(b.Runs), len(b.Sets))
	}
	set := b.Sets[0]
	if set.Total != 3 || set.Index != nil || set.IDs[0] != hostile || set.Classes[0] != "<b>a</b>" {
		t.Errorf("jobs: %+v", set)
	}
	for i, run := range b.Runs {
		want := all[i].bars
		for k := range want {
			want[k].begin, want[k].end = want[k].begin/b.Unit, want[k].end/b.Unit
		}
		var got []keptBar
		busy := [2]float64{}
		lanes := map[string]int64{}
		for _, d := range b.bars(t, i) {
			if d.merged || d.size != 1 {
				t.Fatalf("a merged bar in a small run: %+v", d)
			}
			lane := fmt.Sprint(d.node, d.kind, d.slot)
			if d.begin < lanes[lane] {
				t.Errorf("two attempts in %s at %d", lane, d.begin)
			}
			lanes[lane] = d.end
			busy[d.kind] += float64(d.busy) * float64(b.Unit) / 1e9
			got = append(got, keptBar{d.job, d.task, d.stage, d.outcome, d.begin, d.end})
		}
		order := func(a, b keptBar) int { return slices.Compare(a.list(), b.list()) }
		slices.SortFunc(got, order)
		slices.SortFunc(want, order)
		if !slices.Equal(got, want) {
			t.Errorf("%s: the bars differ: %d, want %d\n%v\n%v", run.Policy, len(got), len(want), got, want)
		}
		// Busy slots over slots offered is the utilisation that the report states.
		s := r.Runs[i].Summary
		if offered := 12 * s.Makespan; math.Abs(busy[0]/offered-s.MapUtilization) > 1e-4 {
			t.Errorf("%s: map slots in use %v, the report says %v", run.Policy, busy[0]/offered, s.MapUtilization)
		}
		checkJobs(t, &b, i, r.Runs[i])
		checkSeries(t, &b, i, s)
	}
}

func (k keptBar) list() []int64 { return []int64{k.job, k.task, k.stage, k.outcome, k.begin, k.end} }

// checkJobs compares the jobs of a run with the report.
func checkJobs(t *testing.T, b *block, i int, run *report.Run) {
	t.Helper()
	r, set := b.Runs[i], b.Sets[b.Runs[i].Set]
	flags, started, finished, deadline := decode(t, r.Flags), decode(t, r.Started), decode(t, r.Finished), decode(t, r.Deadline)
	class, maps, reduces, submitted := decode(t, set.Class), decode(t, set.Maps), decode(t, set.Reduces), decode(t, set.Submitted)
	at := int64(0)
	for _, j := range run.Jobs {
		at += submitted.signed()
		f := flags.next()
		if report.Outcomes[f%16] != j.Outcome || (f/16 == 1) != j.Admitted || set.Classes[class.next()] != j.Class || maps.next() != int64(j.Maps) || reduces.next() != int64(j.Reduces) {
			t.Errorf("%s of %s: flags %d", j.ID, r.Policy, f)
		}
		for name, c := range map[string]struct {
			from *decoder
			want *float64
		}{"started": {started, j.Started}, "finished": {finished, j.Finished}, "deadline": {deadline, j.Deadline}} {
			x, there := c.from.maybe()
			if there != (c.want != nil) || there && at+x != int64(math.Round(*c.want*1e9))/b.Unit {
				t.Errorf("%s of %s %s at %d, want %v", j.ID, r.Policy, name, at+x, c.want)
			}
		}
	}
	for _, c := range []*decoder{flags, started, finished, deadline, class, maps, reduces, submitted} {
		c.end()
	}
}

// checkSeries: means over all time agree with the report, and nothing waits at the end.
func checkSeries(t *testing.T, b *block, i int, s report.Summary) {
	t.Helper()
	r := b.Runs[i].Series
	mean := func(name string) float64 {
		c := decode(t, r.Data[name])
		step, sum, last := int64(0), 0.0, 0.0
		n := 0
		for ; len(c.left) > 0; n++ {
			step += c.signed()
			if step < 0 || step > stepCount {
				t.Errorf("%s: step %d", name, step)
			}
			last = float64(step) / stepCount * float64(r.Max[name])
			sum += last
		}
		if want := int(math.Ceil(s.Makespan * 1e9 / float64(b.Unit) / r.Width)); n != want || n > mostPoints {
			t.Errorf("%s has %d points of %v, want %d", name, n, r.Width, want)
		}
		part := math.Mod(s.Makespan*1e9/float64(b.Unit), r.Width) / r.Width // of the last bin
		return (sum - last*(1-part)) / (float64(n) - 1 + part)
	}
	if got := mean("mapHeld") / mean("mapOffered"); math.Abs(got-s.MapUtilization) > 1e-3 {
		t.Errorf("map slots in use %v, the report says %v", got, s.MapUtilization)
	}
	if got := mean("reduceHeld") / mean("reduceOffered"); math.Abs(got-s.ReduceUtilization) > 1e-3 {
		t.Errorf("reduce slots in use %v, the report says %v", got, s.ReduceUtilization)
	}
	// Little's law: jobs in the system × time is the sum of their response times.
	if got, want := (mean("jobsRunning")+mean("jobsWaiting"))*s.Makespan, *s.MeanResponse*float64(s.Finished()); math.Abs(got-want) > 2e-3*want {
		t.Errorf("jobs over time add up to %v s, their responses to %v s", got, want)
	}
}

// What comes from files cannot leave its place: the page has the scripts that it should have and no
// element of a job's making.
func TestHostileNames(t *testing.T) {
	text, _, _ := play(t, "edf-p")
	for pattern, want := range map[string]int{`(?i)<script`: 2, `(?i)</script`: 2, `(?i)<img`: 0, `(?i)<b>`: 0, `\{\{`: 0} {
		if got := len(regexp.MustCompile(pattern).FindAllString(text, -1)); got != want {
			t.Errorf("%s stands %d times in the page, want %d", pattern, got, want)
		}
	}
	p := New([]Head{{Scenario: hostile, Policy: hostile}})
	text = write(t, p, report.New(&report.Run{Scenario: hostile, Policy: hostile, Jobs: []report.Job{{ID: "a\xffb\u2028{{script}}", Reason: hostile}}}))
	if strings.Contains(text, "<img") || !strings.Contains(text, "<title>Slackline: &lt;/script&gt;") || !strings.Contains(text, "{{script}}") {
		t.Errorf("%.600s", text)
	}
	blockOf(t, text)
}

// The page names no host.
func TestNoHosts(t *testing.T) {
	for name, part := range map[string]string{"page.html": frame, "page.css": style, "js": script()} {
		if found := regexp.MustCompile(`(?i)https?:|\bwss?:|url\(|@import|\bfetch\(|XMLHttp|importScripts|[("'=]//`).FindString(part); found != "" {
			t.Errorf("%s has %q", name, found)
		}
	}
	if !strings.HasPrefix(frame, firstLine+"\n") {
		t.Errorf("page.html begins with %.50q", frame)
	}
}

// The same runs give the same bytes.
func TestSamePage(t *testing.T) {
	a, _, _ := play(t, "fifo", "edf-p")
	b, _, _ := play(t, "fifo", "edf-p")
	if a != b {
		t.Error("two pages of the same runs differ")
	}
}

// crowd is a report of many jobs with long names.
func crowd(policy string, jobs int, shift float64) *report.Run {
	r := &report.Run{World: "sim", Scenario: "crowd", Policy: policy, Seed: math.MaxUint64}
	for i := range jobs {
		finished, deadline := float64(i)+math.Sin(float64(i)*shift)*1000+1000, float64(i)+1500
		r.Jobs = append(r.Jobs, report.Job{ID: fmt.Sprintf("%0200d", i), Class: fmt.Sprint("class ", i%7), Submitted: float64(i), Finished: &finished, Deadline: &deadline, Outcome: "finished", Admitted: true})
	}
	for _, i := range odd(jobs) {
		r.Jobs[i].Finished = new(float64)
		*r.Jobs[i].Finished = 1e6 * shift
	}
	return r
}

// odd are the jobs of a crowd that differ most.
func odd(jobs int) (list []int) {
	for i := 1; i < jobs; i = 2*i + 1 {
		list = append(list, i)
	}
	return list
}

// A page never gets too long: it lists fewer jobs, and keeps those that differ most.
func TestBoundedSize(t *testing.T) {
	const jobs = 50_000
	if testing.Short() {
		t.Skip("takes long")
	}
	p := New([]Head{{Scenario: "crowd", Policy: "a", Seed: 1}, {Scenario: "crowd", Policy: "b", Seed: 1}})
	text := write(t, p, report.New(crowd("a", jobs, 1), crowd("b", jobs, 2)))
	b := blockOf(t, text)
	set := b.Sets[0]
	if set.Total != jobs || len(set.IDs) == jobs || len(set.IDs) < 5000 || len(b.Sets) != 1 {
		t.Errorf("%d of %d jobs listed, %d sets; the page has %d bytes", len(set.IDs), set.Total, len(b.Sets), len(text))
	}
	index, at, listed := decode(t, *set.Index), 0, map[int]bool{}
	for len(index.left) > 0 {
		at += int(index.next())
		listed[at] = true
	}
	for _, i := range odd(jobs) {
		if !listed[i] {
			t.Errorf("job %d, one of those that differ most, is not listed", i)
		}
	}
	var many []*report.Run
	var heads []Head
	for i := range 2 * MaxRuns {
		many = append(many, crowd(fmt.Sprint("p", i%40), 3, float64(i)))
		heads = append(heads, Head{Scenario: "crowd", Policy: fmt.Sprint("p", i%40), Seed: uint64(i)})
	}
	p = New(heads)
	b = blockOf(t, write(t, p, report.New(many...)))
	if len(b.Runs) != MaxRuns || b.Omitted != MaxRuns || b.Runs[0].Seed != fmt.Sprint(uint64(math.MaxUint64)) {
		t.Errorf("%d runs, %d omitted, seed %s", len(b.Runs), b.Omitted, b.Runs[0].Seed)
	}
}

// Points of a sweep are told apart: each is compared with its own.
func TestSweep(t *testing.T) {
	var runs []*report.Run
	for i := range 4 {
		r := crowd(fmt.Sprint("p", i%2), 3, float64(i+1))
		r.Params = map[string]string{"cluster.nodes": fmt.Sprint(10 * (i/2 + 1)), "a": "b"}
		runs = append(runs, r)
	}
	b := blockOf(t, write(t, New(nil), report.New(runs...)))
	for i, r := range b.Runs {
		if want := fmt.Sprintf("crowd a=b cluster.nodes=%d", 10*(i/2+1)); r.Scenario != want || r.Group != i/2 {
			t.Errorf("run %d is %q in group %d, want %q", i, r.Scenario, r.Group, want)
		}
	}
}

// With many runs those of the first seeds are drawn.
func TestWhoIsDrawn(t *testing.T) {
	var heads []Head
	for p := range 4 {
		for seed := range 10 {
			heads = append(heads, Head{Scenario: "s", Policy: fmt.Sprint(p), Seed: uint64(seed)})
		}
	}
	p := New(heads)
	sum := 0
	for i, c := range p.runs {
		if (c.gantt != nil) != (i%10 < 6) {
			t.Errorf("run %d of seed %d is drawn: %v", i, i%10, c.gantt != nil)
		}
		if c.gantt != nil {
			sum += c.gantt.budget
		}
	}
	if sum > MaxBars {
		t.Errorf("%d bars in all", sum)
	}
}

// million shows a sink a million attempts of many jobs on many nodes, without a simulator in between.
func million(t testing.TB, s follow.Sink, nodes, slots, attempts int) *report.Run {
	t.Helper()
	var events []sched.Event
	f := follow.New(s)
	send := func(at units.Time) {
		if err := f.Batch(0, at, events); err != nil {
			t.Fatal(err)
		}
		events = events[:0]
	}
	class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(slots, 1)}
	for n := range nodes {
		node := &cluster.Node{Name: fmt.Sprintf("node-%04d", n+1), Rack: cluster.RackID(n/20 + 1), Class: class}
		events = append(events, sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(n + 1), Detail: &sched.Detail{Node: node}})
	}
	run := &report.Run{World: "sim", Scenario: "million", Policy: "none", Seed: 1}
	const each = 100 // attempts of a job
	wave := nodes * slots
	at := units.Time(0)
	for from := 0; from < attempts; from += wave {
		for i := from; i < min(attempts, from+wave); i++ {
			if i%each == 0 {
				job := &workload.Job{ID: fmt.Sprint("job-", i/each), Class: fmt.Sprint("class-", i/each%5), Deadline: units.Never, Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, each)}}}
				events = append(events, sched.Event{Kind: sched.JobArrived, Job: sched.JobID(i/each + 1), Detail: &sched.Detail{Job: job}})
				submitted, finished := at.Seconds(), at.Seconds()+60
				deadline := finished + 20 - float64(i/each%50)
				outcome := report.Late
				if finished <= deadline {
					outcome = report.Met
				}
				run.Jobs = append(run.Jobs, report.Job{ID: job.ID, Class: job.Class, Submitted: submitted, Finished: &finished, Deadline: &deadline, Admitted: true, Maps: each, Outcome: outcome})
			}
			events = append(events, sched.Event{Kind: sched.Started, Attempt: sched.AttemptID(i - from + 1), Job: sched.JobID(i/each + 1), Task: sched.TaskID(i%each + 1), Stage: sched.Map, Node: sched.NodeID(i%nodes + 1)})
		}
		send(at)
		end := at
		for i := from; i < min(attempts, from+wave); i++ {
			events = append(events, sched.Event{Kind: sched.Ended, Attempt: sched.AttemptID(i - from + 1), Outcome: sched.Committed})
			if i%50 == 0 {
				end = end.Add(units.Second / 7)
				send(end)
			}
		}
		at = end.Add(units.Second)
		send(at)
	}
	run.Summary.Makespan = at.Seconds()
	run.Summary.Attempts = int64(attempts)
	return run
}

// A million attempts make a page of bounded size, whatever the number of slots, and their busy time is all there.
func TestAMillionInAPage(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine and a million attempts are nothing for the race detector")
	}
	attempts := aMillion()
	for _, nodes := range []int{1, 100, 2000} {
		p := New([]Head{{Scenario: "million", Policy: "none", Seed: 1}})
		run := million(t, p.Watch(0)[0], nodes, 6, int(attempts))
		text := write(t, p, report.New(run))
		b := blockOf(t, text)
		n, list := int64(0), b.bars(t, 0)
		for _, d := range list {
			n += d.count
		}
		if n != attempts || len(list) > MaxBars {
			t.Errorf("%d nodes: %d bars, %d attempts", nodes, len(list), n)
		}
		if d := decode(t, b.Runs[0].Series.Data["running"]); len(d.left) > 4*mostPoints {
			t.Errorf("%d nodes: %d bytes in a series", nodes, len(d.left))
		}
		t.Logf("%d nodes: %d bars by %s, %d bytes", nodes, len(list), b.Runs[0].Gantt.Level, len(text))
	}
}

func BenchmarkCollect(b *testing.B) {
	for range b.N {
		p := New([]Head{{Scenario: "million", Policy: "none", Seed: 1}})
		million(b, p.Watch(0)[0], 600, 6, 1_000_000)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e6, "ns/attempt")
}

func TestNoRuns(t *testing.T) {
	var b block
	if err := json.Unmarshal([]byte("{}"), &b); err != nil {
		t.Fatal(err)
	}
	blockOf(t, write(t, New(nil), report.New()))
}

// The page has what rented nodes cost, and each request with its reason, whatever that says.
func TestCloudsOfARun(t *testing.T) {
	r := &report.Run{Bill: []report.Rent{{Class: "m", Rented: 1, Most: 1, Hours: 0.5, Charged: 1, Cost: 2}, {Class: "unused"}}}
	for range mostAsked + 2 {
		r.Requests = append(r.Requests, report.Request{At: 90, Class: "m", Nodes: 3, Why: hostile})
	}
	rows := cloudsOf(r)
	if len(rows) != 1+mostAsked+1 || rows[0] != [2]string{"m", "rented 1 time, at most 1 at once: 0.50 node-hours, 1.00 charged, cost 2.00"} ||
		rows[1] != [2]string{"1:30 min", "rented: 3 nodes of class m: " + hostile} || rows[mostAsked+1][1] != "2 more requests" {
		t.Errorf("%d rows: %q …, %q", len(rows), rows[:2], rows[len(rows)-1])
	}
	if cloudsOf(&report.Run{}) != nil {
		t.Error("rows of a run that rents nothing")
	}
}
