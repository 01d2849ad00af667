package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/apps"
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
	runs := o.job("runs")
	runs.Program = stuck(t)
	fed := o.job("fed", "runs")
	fed.Input = []string{runs.Output}
	later := o.job("later")
	later.Spec.Arrive = units.Time(units.Hour)
	o.submit("", runs, fed, o.job("behind", "runs"), o.job("queued"), later, o.job("behind later", "later"))
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

// partial starts what it admits at once, all but the first job: for that one, nodes beat on.
type partial struct{ conform.Friendly }

func (c partial) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	for i := range batch {
		if e := &batch[i]; e.Kind == sched.JobArrived {
			p.Admit(e.Job, sched.Because(sched.AdmitAll))
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

// crowded is a wordcount whose maps begin when so many of them are there at a time.
func crowded(t *testing.T, n int) (p *mapreduce.Program, most *atomic.Int32) {
	var now atomic.Int32
	all := make(chan struct{})
	open := sync.OnceFunc(func() { close(all) })
	most = &atomic.Int32{}
	return brittle(t, func(int, int) error {
		k := now.Add(1)
		defer now.Add(-1)
		for was := most.Load(); k > was && !most.CompareAndSwap(was, k); was = most.Load() {
		}
		if int(k) == n {
			open()
		}
		<-all
		time.Sleep(time.Millisecond) // so that one too many would be seen
		return nil
	}), most
}

// Slots follow the steps of the run: with one slot no two maps run at a time, with four from a later step on
// four do, and nothing that runs is stopped.
func TestSlotsFollowSteps(t *testing.T) {
	one, four := []units.Vector{units.Slots(1, 1)}, []units.Vector{units.Slots(4, 1)}
	second := units.Time(units.Second / 10)
	var first atomic.Bool // has been seen: before that no time comes to the second, however slow the machine
	watch := stopwatch()
	clock := func() units.Time {
		now := watch()
		if !first.Load() {
			now = min(now, second-1)
		}
		return now
	}
	o := opened(t, engine.Config{Cluster: workers(1, 4, 1), Clock: clock, Steps: []engine.Step{{At: 0, Slots: one}, {At: second, Slots: four}}}, conform.Friendly{})
	if e := o.until(sched.NodeChanged); e.Detail.Node.Class.Capacity != one[0] {
		t.Errorf("the node is told with %v", e.Detail.Node.Class.Capacity)
	}
	first.Store(true)
	wide := o.job("wide")
	var most *atomic.Int32
	wide.Program, most = crowded(t, 4) // a map ends when four run
	o.submit("", wide)
	if jobs := o.shut(); jobs["wide"] != "committed" || most.Load() != 4 {
		t.Errorf("jobs ended %v, and %d maps ran at a time", jobs, most.Load())
	}
	if n := o.watch.Ends[sched.Killed] + o.watch.Ends[sched.Lost] + o.watch.Ends[sched.Preempted]; n > 0 {
		t.Errorf("%d attempts were ended", n)
	}
	for _, steps := range [][]engine.Step{{{At: 1, Slots: one}, {At: 1, Slots: four}}, {{At: 0}}, {{At: 0, Slots: []units.Vector{units.Slots(-1, 1)}}}} {
		if _, err := engine.New(engine.Config{Cluster: workers(1, 4, 1), Clock: func() units.Time { return 0 }, Steps: steps}); err == nil {
			t.Errorf("%v is taken", steps)
		}
	}
}

// A node gets other slots while it runs: what is beyond them runs on and is not followed, and with
// more of them more runs.
func TestSlotsChange(t *testing.T) {
	o := opened(t, engine.Config{Cluster: workers(1, 4, 1)}, conform.Friendly{})
	o.ask("there is no node 2", engine.Request{Node: 2, Slots: units.Slots(1, 1)})
	o.ask("cannot offer -1", engine.Request{Node: 1, Slots: units.Slots(-1, 1)})
	var most *atomic.Int32
	slow := o.job("slow")
	changed := make(chan struct{})
	slow.Program = brittle(t, func(int, int) error { <-changed; return nil })
	o.submit("", slow)
	o.until(sched.JobArrived)
	o.ask("", engine.Request{Node: 1, Slots: units.Slots(1, 1)})
	e := o.until(sched.NodeChanged)
	if got := e.Detail.Node.Class.Capacity; got != units.Slots(1, 1) {
		t.Errorf("the node is told with %v", got)
	}
	o.ask("", engine.Request{Node: 1, Slots: units.Slots(0, 0)})
	o.submit("no node that it may use offers a map-slot", o.job("no room"))
	o.ask("", engine.Request{Node: 1, Slots: units.Slots(6, 2)})
	close(changed)
	o.until(sched.JobEnded)
	wide := o.job("wide")
	wide.Program, most = crowded(t, 6)
	o.submit("", wide)
	o.until(sched.JobEnded)
	if most.Load() != 6 {
		t.Errorf("%d maps ran at a time in 6 slots", most.Load())
	}
	o.ask("", engine.Request{Node: 1, Slots: units.Slots(2, 1)})
	narrow := o.job("narrow")
	narrow.Program, most = crowded(t, 2)
	o.submit("", narrow)
	if jobs := o.shut(); jobs["slow"] != "committed" || jobs["wide"] != "committed" || jobs["narrow"] != "committed" {
		t.Errorf("jobs ended %v", jobs)
	}
	if most.Load() != 2 {
		t.Errorf("%d maps ran at a time in 2 slots", most.Load())
	}
	if n := o.watch.Ends[sched.Killed] + o.watch.Ends[sched.Lost] + o.watch.Ends[sched.Preempted]; n > 0 {
		t.Errorf("%d attempts were ended", n)
	}
	for _, b := range o.watch.Close(3) {
		t.Error(b)
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

// What an event costs does not depend on how many jobs wait: the loop looks at two at most.
func TestQueuedJobsCostNothing(t *testing.T) {
	for _, queued := range []int{10, 10_000} {
		w, done := crowd(t, queued)
		before := w.Looks()
		events := done(8)
		if n := w.Looks() - before; n == 0 || n > 2*events {
			t.Errorf("%d jobs are queued: the loop looks at %d of them for %d events", queued, n, events)
		}
	}
	// Looks counts what is looked at one by one; nothing may go through all jobs but what does so
	// at the end of a run.
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	all := regexp.MustCompile(`range w\.(jobs|known|outputs|waiting|gone)\b|w\.jobs\[1:\]`)
	found := 0
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(all.FindAll(src, -1)); !strings.HasSuffix(f, "_test.go") {
			found += n
		}
	}
	if found != 1 {
		t.Errorf("%d places go through all jobs, want one, World.all", found)
	}
}

// crowd is an engine with one slot and so many jobs that have arrived, of which one runs. done
// plays it until so many have ended, and returns how many events that were.
func crowd(t testing.TB, queued int) (w *engine.World, done func(int) int) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	if err := os.WriteFile(in, []byte("a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := apps.New("wordcount", nil)
	if err != nil {
		t.Fatal(err)
	}
	jobs := make([]engine.Job, queued)
	for i := range jobs {
		id := fmt.Sprint("j", i)
		jobs[i] = engine.Job{Spec: spec(id), Program: p, Input: []string{in}, Output: filepath.Join(dir, id)}
	}
	w, err = engine.New(engine.Config{Cluster: workers(1, 1, 1), Jobs: jobs, Clock: stopwatch()})
	if err != nil {
		t.Fatal(err)
	}
	left, events := 0, 0
	ctx, stop := context.WithCancel(context.Background())
	l := drive.New(w, conform.Friendly{}, watcherOf(func(e *sched.Event) {
		events++
		if e.Kind == sched.JobEnded {
			left--
		}
	}))
	t.Cleanup(func() {
		stop()
		if err := l.Run(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	if err := l.Step(ctx); err != nil {
		t.Fatal(err)
	}
	return w, func(n int) int {
		for left, events = n, 0; left > 0; {
			if err := l.Step(ctx); err != nil {
				t.Fatal(err)
			}
		}
		return events
	}
}

// watcherOf is a sink that shows each event.
type watcherOf func(*sched.Event)

func (w watcherOf) Batch(_ int64, _ units.Time, events []sched.Event) error {
	for i := range events {
		w(&events[i])
	}
	return nil
}

func (w watcherOf) Plan(int64, units.Time, *sched.Plan) error { return nil }

// BenchmarkQueue plays jobs of one task while so many others wait.
func BenchmarkQueue(b *testing.B) {
	for _, queued := range []int{10, 10_000} {
		b.Run(fmt.Sprint(queued), func(b *testing.B) {
			for left := 0; left < b.N; left += queued / 2 {
				b.StopTimer()
				_, done := crowd(b, queued)
				b.StartTimer()
				done(min(queued/2, b.N-left))
				b.StopTimer()
			}
		})
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
