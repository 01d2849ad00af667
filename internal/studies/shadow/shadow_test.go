package shadow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// stock is a cluster of two nodes with two map slots each, that lets watch. Its own scheduler starts what
// choose says of what is advised for a node that beats; a map takes three beats of a second.
type stock struct {
	jobs   []*workload.Job
	choose func(advised sched.Item) (job sched.JobID, node sched.NodeID)
	watch  bool

	beat    int
	plan    []sched.Item // what was advised
	open    []int        // maps to start, by job
	left    []int        // maps that are not done
	running []attempt
	last    sched.AttemptID
	starts  int
}

type attempt struct {
	id  sched.AttemptID
	job sched.JobID
	end int
}

func (w *stock) Can() sched.Capabilities {
	return sched.Capabilities{World: "w", Kill: true, Heartbeat: units.Second}
}

func (w *stock) WakeAt(units.Time) {}

func (w *stock) Enact(p *sched.Plan) error {
	w.plan = w.plan[:0]
	for i := range p.Items {
		if it := &p.Items[i]; it.Verb == sched.Start && it.Refused == sched.Watched {
			w.plan = append(w.plan, *it)
		}
	}
	return nil
}

func (w *stock) Next(context.Context) (drive.Batch, error) {
	var all []sched.Event
	add := func(e sched.Event) { all = append(all, e) }
	if w.beat++; w.beat == 1 {
		add(sched.Event{Kind: sched.Resync})
		if w.watch {
			add(sched.Event{Kind: sched.Control, Control: sched.Watch})
		}
		class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(2, 0)}
		for n := sched.NodeID(1); n <= 2; n++ {
			add(sched.Event{Kind: sched.NodeUp, Node: n, Detail: &sched.Detail{Node: &cluster.Node{Name: fmt.Sprint("n", n), Rack: 1, Class: class}}})
		}
		for i, j := range w.jobs {
			add(sched.Event{Kind: sched.JobArrived, Job: sched.JobID(i + 1), Detail: &sched.Detail{Job: j}})
			w.open, w.left = append(w.open, len(j.Stages[0].Tasks)), append(w.left, len(j.Stages[0].Tasks))
		}
	}
	for _, it := range w.plan {
		for range it.Count {
			j, n := w.choose(it)
			if j == 0 || w.open[j-1] == 0 {
				continue
			}
			w.open[j-1]--
			w.last++
			w.starts++
			w.running = append(w.running, attempt{w.last, j, w.beat + 3})
			add(sched.Event{Kind: sched.Started, Attempt: w.last, Job: j, Stage: sched.Map, Node: n})
		}
	}
	w.plan = w.plan[:0]
	w.running = slices.DeleteFunc(w.running, func(a attempt) bool {
		if a.end > w.beat {
			return false
		}
		add(sched.Event{Kind: sched.Ended, Attempt: a.id, Outcome: sched.Committed})
		if w.left[a.job-1]--; w.left[a.job-1] == 0 {
			add(sched.Event{Kind: sched.JobEnded, Job: a.job, Outcome: sched.Committed})
		}
		return true
	})
	over := true
	for j := range w.jobs {
		if w.left[j] > 0 {
			over = false
			add(sched.Event{Kind: sched.Demand, Job: sched.JobID(j + 1), Stage: sched.Map, Count: int32(w.open[j]), Item: 1 << 20})
		}
	}
	if over && len(all) == 0 {
		return drive.Batch{}, io.EOF
	}
	for n := sched.NodeID(1); n <= 2; n++ {
		add(sched.Event{Kind: sched.Heartbeat, Node: n})
	}
	slices.SortStableFunc(all, func(a, b sched.Event) int { return int(a.Kind) - int(b.Kind) })
	return drive.Batch{At: units.Time(0).Add(units.Duration(w.beat) * units.Second), Events: all}, nil
}

// two are two jobs of six and four maps; the second is due at 8 s, and has the earlier deadline.
func two() (jobs []*workload.Job) {
	for i, maps := range []int{6, 4} {
		j := &workload.Job{ID: string(rune('a' + i)), Class: "c", Weight: 1, Soft: units.Never, Deadline: units.Time(units.Duration(40-32*i) * units.Second),
			Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, maps)}}}
		jobs = append(jobs, j)
	}
	return jobs
}

// record runs a world under a policy, and returns its journal.
func record(t *testing.T, policy string, w drive.World) string {
	file := filepath.Join(t.TempDir(), "j")
	if _, err := lab.Run(context.Background(), lab.Cell{Scenario: "s", Policy: policy, Seed: 1, Journal: file, World: func(context.Context) (drive.World, error) { return w, nil }}); err != nil {
		t.Fatal(err)
	}
	return file
}

func compare(t *testing.T, file, policy string) *Comparison {
	c, err := Compare(context.Background(), file, policy, 3)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A stock scheduler that does what is advised agrees in all; the simulation of its jobs tells the same again.
func TestStockThatFollows(t *testing.T) {
	w := &stock{jobs: two(), watch: true, choose: func(it sched.Item) (sched.JobID, sched.NodeID) { return it.Job, it.Node }}
	file := record(t, "fifo", w)
	c := compare(t, file, "")
	if want := [Kinds]int{Same: 10}; c.Agreed != want || w.starts != 10 || len(c.Other) > 0 {
		t.Errorf("%v of %d starts, want %v; %v", c.Agreed, w.starts, want, c.Other)
	}
	// Waves of four: the first job has its last two maps in the second, the other one two there and two in the
	// third, which is late.
	for _, r := range []*report.Run{c.Stock, c.Simulated} {
		if len(r.Jobs) != 2 || r.Summary.InTime != 1 || *r.Jobs[0].Finished > *r.Jobs[1].Finished {
			t.Errorf("%s: %+v", r.World, r.Jobs)
		}
		for i := range r.Jobs {
			if n := r.Jobs[i].Maps; n != []int{6, 4}[i] {
				t.Errorf("%s: job %d has %d maps", r.World, i, n)
			}
		}
	}
	// Each wave of the stock scheduler waits for a beat or two.
	if d := *c.Stock.Jobs[1].Finished - *c.Simulated.Jobs[1].Finished; d < 0 || d > 3 {
		t.Errorf("stock ends at %v s, the simulation at %v s", *c.Stock.Jobs[1].Finished, *c.Simulated.Jobs[1].Finished)
	}
	if w.beat < 12 || c.Watched != float64(w.beat-2) {
		t.Errorf("watched for %v s of %d beats", c.Watched, w.beat)
	}

	// By deadline the second job goes first. Then its four maps are advised while the first job's start.
	c = compare(t, file, "edf-p")
	if c.Policy != "edf-p" || c.Recorded != "fifo" || c.Agreed[Same] == 10 || c.Agreed[OtherJob] < 4 {
		t.Errorf("%s beside %s: %v", c.Policy, c.Recorded, c.Agreed)
	}
	if len(c.Other) != 3 || c.Other[0].Job != "a" || c.Other[0].Advised != "b map" || c.Other[0].Why == "" || c.Other[0].Node != "n1" {
		t.Errorf("%+v", c.Other)
	}
	if b := c.Simulated.Jobs[1]; b.Outcome != report.Met || *b.Finished >= *c.Stock.Jobs[1].Finished {
		t.Errorf("simulated by deadline: %+v", b)
	}
}

// What differs is told by kind.
func TestStockThatDiffers(t *testing.T) {
	// It starts all on the other node: the first job's maps are advised for both.
	w := &stock{jobs: two()[:1], watch: true}
	w.choose = func(it sched.Item) (sched.JobID, sched.NodeID) { return it.Job, 3 - it.Node }
	c := compare(t, record(t, "fifo", w), "")
	if c.Agreed[Same]+c.Agreed[OtherNode] != 6 || c.Agreed[Same] < 4 {
		t.Errorf("%v", c.Agreed)
	}
	// It starts the second job's first.
	w = &stock{jobs: two(), watch: true}
	w.choose = func(it sched.Item) (sched.JobID, sched.NodeID) {
		if w.open[1] > 0 {
			return 2, it.Node
		}
		return it.Job, it.Node
	}
	c = compare(t, record(t, "fifo", w), "")
	if c.Agreed[OtherJob] != 4 || c.Agreed[Same] != 6 {
		t.Errorf("%v", c.Agreed)
	}
}

// script is a world that says what it is given, a second apart.
type script struct {
	stock
	says [][]sched.Event
}

func (w *script) Next(context.Context) (drive.Batch, error) {
	if w.beat++; w.beat > len(w.says) {
		return drive.Batch{}, io.EOF
	}
	return drive.Batch{At: units.Time(0).Add(units.Duration(w.beat) * units.Second), Events: w.says[w.beat-1]}, nil
}

// A stock scheduler that does not wait for beats is compared with what is advised at the next ones, as if it had not
// started anything yet.
func TestStockThatDoesNotWait(t *testing.T) {
	job := two()[0]
	job.Stages[0].Tasks = job.Stages[0].Tasks[:5]
	asks := func(n int32) sched.Event {
		return sched.Event{Kind: sched.Demand, Job: 1, Stage: sched.Map, Count: n}
	}
	starts := func(a sched.AttemptID, n sched.NodeID) sched.Event {
		return sched.Event{Kind: sched.Started, Attempt: a, Job: 1, Stage: sched.Map, Node: n}
	}
	done := func(a sched.AttemptID) sched.Event {
		return sched.Event{Kind: sched.Ended, Attempt: a, Outcome: sched.Committed}
	}
	beat := func(n sched.NodeID) sched.Event { return sched.Event{Kind: sched.Heartbeat, Node: n} }
	w := &script{says: [][]sched.Event{
		{{Kind: sched.Resync}, {Kind: sched.Control, Control: sched.Watch}, node(1, "n1", 1), node(2, "n2", 1),
			{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: job}}},
		{asks(5)},
		{starts(1, 1), starts(2, 1), starts(3, 2), starts(4, 2), asks(1)},
		{beat(1)},
		{done(4), beat(2)},
		{starts(5, 2), asks(0)}, // where the policy would have it as well
		{beat(2)},
		{done(1), done(2), done(3), done(5), {Kind: sched.JobEnded, Job: 1, Outcome: sched.Committed}},
	}}
	c := compare(t, record(t, "fifo", w), "")
	if want := [Kinds]int{Same: 5}; c.Agreed != want {
		t.Errorf("%v, want %v: %+v", c.Agreed, want, c.Other)
	}
	// What is held tells its own time: the first start was at 3 s, the job's end at 8 s.
	if j := c.Stock.Jobs[0]; *j.Started != 3 || *j.Finished != 8 || j.Attempts != 5 {
		t.Errorf("from %v s to %v s, %d attempts", *j.Started, *j.Finished, j.Attempts)
	}
}

// What no node has room for, as it was counted, cannot be simulated, and a sentence says why.
func TestNoRoomToSimulate(t *testing.T) {
	narrow, job := node(1, "n1", 1), two()[0]
	narrow.Detail.Node.Class.Capacity = units.Slots(0, 1)
	job.Stages[0].Tasks = job.Stages[0].Tasks[:1]
	w := &script{says: [][]sched.Event{
		{{Kind: sched.Resync}, {Kind: sched.Control, Control: sched.Watch}, narrow, {Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: job}}},
		{{Kind: sched.Demand, Job: 1, Stage: sched.Map, Count: 1}},
		{{Kind: sched.Started, Attempt: 1, Job: 1, Stage: sched.Map, Node: 1}},
		{{Kind: sched.Ended, Attempt: 1, Outcome: sched.Committed}, {Kind: sched.JobEnded, Job: 1, Outcome: sched.Committed}},
	}}
	if _, err := Compare(context.Background(), record(t, "fifo", w), "", 0); err == nil || !strings.Contains(err.Error(), `no node has room for a map of job "a"`) {
		t.Error(err)
	}
}

// Each start while the policy watches counts once: beside the unkind world, where watching ends with a resync, by
// the text of the journal.
func TestEachStartCountsOnce(t *testing.T) {
	starts, guesses := 0, 0
	for seed := range uint64(12) {
		nodes := cluster.Uniform(3, 2, cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(2, 1)})
		file := record(t, "edf-p", adverse.New(adverse.Config{Cluster: nodes, Jobs: two(), Seed: seed, Calm: 40, Watching: true}))
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, watches, resync := 0, false, false
		for line := range strings.Lines(string(text)) {
			switch f := strings.Fields(line); {
			case f[1] == "round":
				resync = false
			case f[1] == "event" && f[2] == "resync":
				watches, resync = false, true
			case f[1] == "event" && f[2] == "control":
				watches = strings.Contains(line, "=watch")
			case f[1] == "event" && f[2] == "started" && watches && !resync:
				want++
			}
		}
		c, err := Compare(context.Background(), file, "", 1000)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, n := range c.Agreed {
			got += n
		}
		if got != want || len(c.Other) != got-c.Agreed[Same] {
			t.Errorf("seed %d: %d starts, the journal has %d", seed, got, want)
		}
		starts, guesses = starts+got, guesses+c.Agreed[Same]
		if _, err := json.Marshal(c); err != nil {
			t.Error(err)
		}
	}
	if starts < 20 || guesses == 0 {
		t.Errorf("%d starts, %d of them as advised: this tests nothing", starts, guesses)
	}
}

// A journal in which nobody watched is no such recording.
func TestUnwatched(t *testing.T) {
	nodes := cluster.Uniform(3, 2, cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(2, 1)})
	file := record(t, "fifo", adverse.New(adverse.Config{Cluster: nodes, Jobs: two(), Seed: 1, Calm: 1}))
	if _, err := Compare(context.Background(), file, "", 0); !errors.Is(err, ErrUnwatched) {
		t.Error(err)
	}
	if _, err := Compare(context.Background(), file+"x", "", 0); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Compare(context.Background(), file, "nobody", 0); err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Error(err)
	}
}

// What was advised for a job is not advised for another one that gets its handle.
func TestAdviceOfAJobThatIsGone(t *testing.T) {
	a := NewAgreement(9)
	batch := func(round int64, events ...sched.Event) {
		t.Helper()
		if err := a.Batch(round, units.Time(round)*units.Time(units.Second), events); err != nil {
			t.Fatal(err)
		}
	}
	job := func(name string) sched.Event {
		return sched.Event{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: &workload.Job{ID: name}}}
	}
	started := func(n sched.NodeID) sched.Event {
		return sched.Event{Kind: sched.Started, Job: 1, Stage: sched.Map, Node: n}
	}
	batch(1, sched.Event{Kind: sched.Control, Control: sched.Watch}, job("old"), sched.Event{Kind: sched.Heartbeat, Node: 1})
	p := &sched.Plan{Items: []sched.Item{{Verb: sched.Start, Job: 1, Stage: sched.Map, Node: 1, Count: 3, Refused: sched.Watched}}}
	if err := a.Plan(1, 0, p); err != nil {
		t.Fatal(err)
	}
	// It has ended, and this start was as advised all the same.
	batch(2, sched.Event{Kind: sched.JobEnded, Job: 1}, started(1))
	batch(3, job("new"))
	batch(4, started(1), started(2))
	if want := [Kinds]int{Same: 1, Nothing: 2}; a.Counts != want {
		t.Errorf("the starts were %v, want %v", a.Counts, want)
	}
}
