package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// audited is the engine with its counts held against a search through all jobs, after each batch
// and plan.
type audited struct {
	*engine.World
	t *testing.T
}

func (a audited) Next(ctx context.Context) (drive.Batch, error) {
	b, err := a.World.Next(ctx)
	a.audit("batch")
	return b, err
}

func (a audited) Enact(p *sched.Plan) error {
	err := a.World.Enact(p)
	a.audit("plan")
	return err
}

func (a audited) audit(what string) {
	a.t.Helper()
	if wrong := a.Miscounted(); wrong != "" {
		a.t.Errorf("after a %s: %s", what, wrong)
	}
}

// open is a run that jobs can be brought to.
type open struct {
	*engine.Door
	t     *testing.T
	in    string
	dir   string
	watch *conform.Watch
	ends  *ends
	ctx   context.Context // of the run
	ended chan error

	told chan sched.Event // ends of jobs, arrivals and cancels
	most sched.JobID      // the highest handle
}

func (o *open) Batch(_ int64, _ units.Time, events []sched.Event) error {
	for _, e := range events {
		switch e.Kind {
		case sched.JobArrived, sched.JobCancelled, sched.JobEnded, sched.NodeChanged:
			o.most = max(o.most, e.Job)
			o.told <- e
		}
	}
	return nil
}

func (o *open) Plan(int64, units.Time, *sched.Plan) error { return nil }

// until waits until a job, or a node, was told of so.
func (o *open) until(kind sched.EventKind) sched.Event {
	o.t.Helper()
	for {
		select {
		case e := <-o.told:
			if e.Kind == kind {
				return e
			}
		case <-time.After(time.Minute):
			o.t.Fatalf("no %v came", kind)
		}
	}
}

func (o *open) job(id string, after ...string) engine.Job {
	return engine.Job{Spec: spec(id, after...), Program: program(o.t, "wordcount"), Input: []string{o.in}, Output: filepath.Join(o.dir, id), Reduces: 1}
}

func (o *open) ask(want string, r engine.Request) {
	o.t.Helper()
	ctx, stop := context.WithTimeoutCause(o.ctx, time.Minute, errors.New("no answer comes"))
	defer stop()
	switch err := o.Ask(ctx, r); {
	case want == "" && err != nil:
		o.t.Errorf("%+v is refused: %v", r, err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		o.t.Errorf("%+v: %v\nwant %s", r, err, want)
	}
}

func (o *open) submit(want string, jobs ...engine.Job) {
	o.t.Helper()
	o.ask(want, engine.Request{Submit: jobs})
}

func (o *open) cancel(want, id string) {
	o.t.Helper()
	o.ask(want, engine.Request{Cancel: id})
}

// shut lets the run end, and returns how its jobs have.
func (o *open) shut() map[string]string {
	o.t.Helper()
	_ = o.Ask(o.ctx, engine.Request{Shut: true}) // unless it has ended
	select {
	case err := <-o.ended:
		if err != nil {
			o.t.Fatal(err)
		}
	case <-time.After(time.Minute):
		o.t.Fatal("the run does not end")
	}
	return o.ends.jobs
}

// opened begins a run without a job.
func opened(t *testing.T, cfg engine.Config, p sched.Policy) *open {
	t.Helper()
	in, _ := text(t, 900)
	o := &open{Door: engine.NewDoor(), t: t, in: in, dir: t.TempDir(), watch: conform.NewWatch(true), ends: &ends{jobs: map[string]string{}},
		ended: make(chan error, 1), told: make(chan sched.Event, 100_000)}
	if cfg.Clock == nil {
		cfg.Clock = stopwatch()
	}
	cfg.Source, cfg.Block, cfg.Heartbeat = o.Door, 2*units.KB, units.Millisecond
	w, err := engine.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(context.Background())
	o.ctx = ctx
	go func() {
		err := drive.New(audited{w, t}, p, o.watch, o.ends, o).Run(ctx)
		stop(errors.New("the run has ended"))
		o.ended <- err
	}()
	t.Cleanup(func() { stop(nil) })
	return o
}

// Jobs come while others run, wait for others, and are refused with a reason; a run without a job
// waits, and ends when its door is shut.
func TestOpenDoor(t *testing.T) {
	o := opened(t, engine.Config{Cluster: workers(2, 1, 1)}, conform.Friendly{})
	o.submit("", o.job("a"))
	o.until(sched.JobEnded) // from here on it waits
	taken := o.job("b")
	taken.Output = filepath.Join(o.dir, "a")
	o.submit(`it exists already`, taken)
	hangs := o.job("hangs")
	hangs.Program = stuck(t)
	for range 2 { // once it has ended, its name and its output are free again
		o.submit("", hangs)
		o.submit(`job "hangs": another job has this id`, hangs)
		taken.Output = hangs.Output
		o.submit(`is also that of job "hangs"`, taken)
		o.cancel("", "hangs")
		o.until(sched.JobEnded)
	}
	o.submit(`it waits for job "nobody", which does not exist`, o.job("c"), o.job("b", "nobody")) // and "c" with it
	o.submit(`the jobs "b", "c" wait for each other`, o.job("b", "c"), o.job("c", "b"))
	missing := o.job("b")
	missing.Input = []string{filepath.Join(o.dir, "no such file")}
	o.submit("", missing) // which is found out once it is looked for
	o.until(sched.JobEnded)
	fed := o.job("d", "c", "e")
	fed.Input = []string{filepath.Join(o.dir, "c")}
	o.submit("", fed, o.job("c", "a", "a"), o.job("e", "c"))
	for range 3 {
		o.until(sched.JobEnded)
	}
	if got := counted(t, fed.Output); len(got) < 40 {
		t.Errorf("what reads another's output counts %v", got)
	}
	for i := range 20 {
		o.submit("", o.job(fmt.Sprint("later", i)))
		o.until(sched.JobEnded)
	}
	jobs := o.shut()
	o.submit("the run has ended", o.job("late"))
	if len(jobs) != 26 {
		t.Errorf("jobs of %d names ended, 26 were taken", len(jobs))
	}
	if how := jobs["hangs"]; how != "killed cancelled by its user" {
		t.Errorf("the job that was cancelled: %s", how)
	}
	delete(jobs, "hangs")
	if how := jobs["b"]; !strings.Contains(how, "no such file") {
		t.Errorf("the job without input: %s", how)
	}
	delete(jobs, "b")
	for id, how := range jobs {
		if how != "committed" {
			t.Errorf("job %s: %s", id, how)
		}
		if left, err := os.ReadDir(filepath.Join(o.dir, id)); err != nil || len(left) != 2 {
			t.Errorf("job %s left %v, %v", id, left, err)
		}
	}
	if o.most > 3 {
		t.Errorf("handle %d was given, and no more than three jobs were there at a time", o.most)
	}
	for _, b := range o.watch.Close(26) {
		t.Error(b)
	}
}

// slowToCut is a format whose files cannot be cut before somebody allows it.
type slowToCut struct {
	mapreduce.WholeFile
	may chan struct{}
}

func (s slowToCut) Cutting() mapreduce.Cutting {
	<-s.may
	return mapreduce.Uncut
}

// While the input of one job is read others run.
func TestSlowInputHoldsNobodyUp(t *testing.T) {
	o := opened(t, engine.Config{Cluster: workers(2, 1, 1)}, conform.Friendly{})
	slow := slowToCut{may: make(chan struct{})}
	job := func(id string, after ...string) engine.Job {
		j := o.job(id, after...)
		p := *j.Program
		p.Input, j.Program = slow, &p
		return j
	}
	o.submit("", o.job("a"))
	fed := job("fed", "a")
	fed.Input = append(fed.Input, o.dir+"/a")
	withdrawn := job("withdrawn")
	o.submit("", fed, withdrawn)
	o.until(sched.JobEnded)
	o.submit("", o.job("b"))
	o.until(sched.JobEnded)
	o.cancel("", "withdrawn")
	o.until(sched.JobEnded)
	close(slow.may)
	jobs := o.shut()
	for id, want := range map[string]string{"a": "committed", "b": "committed", "fed": "committed", "withdrawn": "killed cancelled by its user"} {
		if jobs[id] != want {
			t.Errorf("%s: %s, want %s", id, jobs[id], want)
		}
	}
	for _, b := range o.watch.Close(4) {
		t.Error(b)
	}
}

// A door that is shut lets no job in, and cancels through.
func TestShutDoor(t *testing.T) {
	o := opened(t, engine.Config{Cluster: workers(1, 1, 1)}, conform.Friendly{})
	later := o.job("later")
	later.Spec.Arrive = units.Time(units.Hour)
	o.submit("", later)
	o.ask("", engine.Request{Shut: true})
	o.submit(engine.ErrShut.Error(), o.job("b"))
	o.cancel("", "later")
	if jobs := o.shut(); len(jobs) != 1 || jobs["later"] != "killed cancelled by its user" {
		t.Errorf("jobs ended %v", jobs)
	}
}

// A run with an open door and no job ends well when it is stopped, one with a job is paused.
func TestStopOfAnOpenRun(t *testing.T) {
	for _, busy := range []bool{false, true} {
		door := engine.NewDoor()
		in, _ := text(t, 300)
		cfg := engine.Config{Cluster: workers(1, 1, 1), Clock: stopwatch(), Source: door, Heartbeat: units.Millisecond}
		w, err := engine.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		go func() {
			if busy {
				j := engine.Job{Spec: spec("j"), Program: stuck(t), Input: []string{in}, Output: filepath.Join(t.TempDir(), "out"), Reduces: 1}
				if err := door.Ask(ctx, engine.Request{Submit: []engine.Job{j}}); err != nil {
					t.Error(err)
				}
			}
			stop()
		}()
		if err := drive.New(w, conform.Friendly{}).Run(ctx); busy != errors.Is(err, context.Canceled) || !busy && err != nil {
			t.Errorf("busy %v: %v", busy, err)
		}
	}
}

// ending is the context of a run that grants what was asked for last, and ends.
type ending struct {
	context.Context
	door *engine.Door
}

func (e ending) Done() <-chan struct{} {
	for r := e.door.Next(); r != nil; r = e.door.Next() {
		r.Answer(nil)
	}
	return e.Context.Done()
}

// Whoever lets a run end by what is asked of it hears that it was granted, not that the run has ended.
func TestAnswerBeforeTheEnd(t *testing.T) {
	ended, end := context.WithCancelCause(t.Context())
	end(errors.New("the run has ended"))
	for range 50 {
		door := engine.NewDoor()
		if err := door.Ask(ending{ended, door}, engine.Request{Shut: true}); err != nil {
			t.Fatal(err)
		}
	}
	if err := engine.NewDoor().Ask(ended, engine.Request{Shut: true}); err == nil {
		t.Error("nobody has answered, and there is an answer")
	}
}
