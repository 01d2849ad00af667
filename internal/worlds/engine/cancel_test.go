package engine_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// stuck is a program whose maps hang until they are told to stop.
func stuck(t *testing.T) *mapreduce.Program {
	p := *program(t, "wordcount")
	p.NewMapper = func(c *mapreduce.Context) (mapreduce.Mapper, error) {
		<-c.Done()
		return nil, errors.New("stopped")
	}
	return &p
}

// Whatever a job is about when it is cancelled, that is told in one batch and its end in a later
// one, nothing is left of it, and what waits for it ends as well.
func TestCancel(t *testing.T) {
	o := opened(t, engine.Config{Cluster: workers(1, 1, 1), Grace: 5 * units.Second}, conform.Friendly{})
	o.cancel(`the run has no job "nobody"`, "nobody")
	// Either may be the first whose input is read: the other is queued behind it.
	runs, queued := o.job("runs"), o.job("queued")
	runs.Program, queued.Program = stuck(t), stuck(t)
	fed := o.job("fed", "runs")
	fed.Input = []string{runs.Output}
	later := o.job("later")
	later.Spec.Arrive = units.Time(units.Hour)
	o.submit("", runs, fed, o.job("behind", "runs"), queued, later, o.job("behind later", "later"))
	o.until(sched.JobArrived)
	o.cancel("", "queued")
	o.cancel(`job "queued" `, "queued") // is about to end, or has
	o.cancel("", "later")
	for range 3 { // "queued", "later", and the one behind that
		o.until(sched.JobEnded)
	}
	o.cancel(`job "queued" has ended`, "queued")
	o.cancel("", "runs")
	jobs := o.shut()
	const cancelled, failed = "killed cancelled by its user", "killed its predecessor did not finish"
	for id, want := range map[string]string{"runs": cancelled, "queued": cancelled, "later": cancelled, "fed": failed, "behind": failed, "behind later": failed} {
		if jobs[id] != want {
			t.Errorf("job %s: %s, want %s", id, jobs[id], want)
		}
		if _, err := os.Stat(filepath.Join(o.dir, id)); err == nil {
			t.Errorf("job %s has left its output directory", id)
		}
	}
	if o.watch.Cancels != 3 {
		t.Errorf("%d cancels were told, want 3", o.watch.Cancels)
	}
	for _, b := range o.watch.Close(6) {
		t.Error(b)
	}
}

// What is cancelled while its input is not there yet never runs, and the input is not looked for.
func TestCancelBeforeInput(t *testing.T) {
	o := opened(t, engine.Config{Cluster: workers(1, 1, 1)}, conform.Friendly{})
	runs := o.job("runs")
	runs.Program = stuck(t)
	fed := o.job("fed", "runs")
	fed.Input = []string{runs.Output}
	o.submit("", runs, fed)
	o.cancel("", "fed")
	o.until(sched.JobEnded)
	o.cancel("", "runs")
	if jobs := o.shut(); jobs["fed"] != "killed cancelled by its user" || jobs["runs"] != "killed cancelled by its user" {
		t.Errorf("jobs ended %v", jobs)
	}
	for _, b := range o.watch.Close(2) {
		t.Error(b)
	}
}

// What is cancelled while it waits for another job is left alone when that has finished.
func TestCancelBehind(t *testing.T) {
	o := opened(t, engine.Config{Cluster: workers(1, 1, 1)}, conform.Friendly{})
	runs, cancelled := o.job("runs"), make(chan struct{})
	p := *program(t, "wordcount")
	p.NewMapper = func(c *mapreduce.Context) (mapreduce.Mapper, error) {
		<-cancelled
		return program(t, "wordcount").NewMapper(c)
	}
	runs.Program = &p
	fed, guessed := o.job("fed", "runs"), o.job("guessed", "runs")
	fed.Input, guessed.Input = []string{runs.Output}, []string{runs.Output}
	guessed.Guess = make([]input.Split, 3)
	o.submit("", runs, fed, guessed, o.job("behind", "runs"))
	for _, id := range []string{"fed", "guessed", "behind"} {
		o.cancel("", id)
		o.until(sched.JobEnded)
	}
	close(cancelled)
	for id, end := range o.shut() {
		if want := "killed cancelled by its user"; end != want && id != "runs" || id == "runs" && end != "committed" {
			t.Errorf("job %s: %s", id, end)
		}
	}
	for _, b := range o.watch.Close(4) {
		t.Error(b)
	}
}

// partial starts what it admits at once, all but the first job: for that one, nodes beat on.
type partial struct{ conform.Friendly }

func (c partial) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	for i := range batch {
		if e := &batch[i]; e.Kind == sched.JobArrived {
			p.Admit(e.Job, sched.Outlook{}, sched.Because(sched.AdmitAll))
			if e.Job > 1 {
				p.Start(e.Job, sched.Map, 1, 1, sched.Remote, sched.Because(sched.FirstInOrder, 1))
			}
		}
	}
}

// What is cancelled while its input is being read starts nothing, though it waits for no other job.
func TestCancelWhileInputIsRead(t *testing.T) {
	o := opened(t, engine.Config{Cluster: workers(1, 1, 1), Heartbeat: units.Microsecond}, partial{})
	in := filepath.Join(o.dir, "many")
	if err := os.Mkdir(in, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		if err := os.WriteFile(filepath.Join(in, fmt.Sprint(i)), []byte("a b\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o.submit("", o.job("waits"))
	o.until(sched.JobArrived)
	for i := range 5 {
		j := o.job(fmt.Sprint("j", i))
		j.Input = slices.Repeat([]string{in}, 50) // to find them takes longer than to cancel
		o.submit("", j)
		o.cancel("", j.Spec.ID)
	}
	o.cancel("", "waits")
	for id, end := range o.shut() {
		if end != "killed cancelled by its user" {
			t.Errorf("job %s: %s", id, end)
		}
	}
	for _, b := range o.watch.Close(6) {
		t.Error(b)
	}
}
