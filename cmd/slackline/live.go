package main

import (
	"container/list"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// live is a sink that shows on standard error how far the jobs of a run are: on a terminal as a line
// that is drawn again and again, else as a line now and then. What becomes of jobs is told
// besides, once.
type live struct {
	follow.Single
	lock     sync.Mutex
	log      *log // of what becomes of jobs; it writes above the frame
	frame    frame
	terminal bool
	clock    func() time.Time
	state    liveState
	clouds   report.Requests
	here     []*liveJob    // by index
	attempts []liveAttempt // by index
	said     units.Time    // the last line, where there is no terminal
	last     string        // it
	stop     chan struct{}
	painter  sync.WaitGroup
}

// liveAttempt is an attempt that runs.
type liveAttempt struct {
	input    units.Bytes
	progress float64
}

const (
	repaint  = 200 * time.Millisecond
	sayEvery = 3 * units.Second
)

// newLive begins to show a run. Where w is no terminal, nothing is drawn twice.
func newLive(w io.Writer, jobs []*report.Expectation, names []string, known []*profile.Class) *live {
	l := &live{frame: frame{out: w}, clock: time.Now, stop: make(chan struct{}), terminal: drawable(w)}
	l.log = newLog(aboveFrame{l})
	l.state.known, l.state.base = known, l.clock()
	for i, name := range names {
		var e *report.Expectation
		if i < len(jobs) {
			e = jobs[i]
		}
		l.state.add(name).expected = e
	}
	if l.terminal {
		l.painter.Go(l.paint)
		onScreen.Store(l)
	}
	return l
}

// drawable tells whether what is written can be drawn over.
func drawable(w io.Writer) bool {
	return isTerminal(w) && runtime.GOOS != "windows" && os.Getenv("TERM") != "dumb"
}

// onScreen is the run that the terminal shows now.
var onScreen atomic.Pointer[live]

// tellAbove writes a line above what is on the terminal, and tells whether there is anything.
func tellAbove(line string) bool {
	l := onScreen.Load()
	if l == nil {
		return false
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	_, _ = aboveFrame{l}.Write([]byte(line + "\n"))
	return true
}

// aboveFrame writes lines where the frame stands, which moves down. The lock is held by whoever writes.
type aboveFrame struct{ *live }

func (a aboveFrame) Write(line []byte) (int, error) {
	a.frame.erase()
	n, err := a.frame.out.Write(line)
	a.draw()
	return n, err
}

// warn tells what an application warns of, above the frame where there is one.
func (l *live) warn(w io.Writer, job, text string) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.frame.erase()
	of := "cloud" // whose it is without a job
	if job != "" {
		of = fmt.Sprintf("job %q", job)
	}
	fmt.Fprintf(w, "warning: %s: %s\n", of, report.Printable(text))
	l.draw()
}

// draw puts the frame on the screen.
func (l *live) draw() {
	if l.terminal && !l.state.over() {
		l.frame.show(l.state.frame(l.now(), width(l.frame.out)-1))
	}
}

// now is the time of the run.
func (l *live) now() units.Time { return units.Time(l.clock().Sub(l.state.base)) }

func (l *live) paint() {
	t := time.NewTicker(repaint)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			l.lock.Lock()
			l.state.sample(l.now())
			l.frame.erase()
			l.draw()
			l.lock.Unlock()
		case <-l.stop:
			return
		}
	}
}

// close takes the frame away.
func (l *live) close() {
	onScreen.CompareAndSwap(l, nil)
	close(l.stop)
	l.painter.Wait()
	l.lock.Lock()
	defer l.lock.Unlock()
	l.frame.erase()
}

// Batch takes in what happened.
func (l *live) Batch(at units.Time, records []follow.Record) error {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.state.base = l.clock().Add(-time.Duration(at))
	for i := range records {
		if e := &records[i]; e.Job != nil && (!e.Again || e.Kind == sched.JobArrived) {
			l.take(e.At, e)
		}
	}
	_ = l.clouds.Batch(at, records)
	if err := l.log.Batch(at, records); err != nil {
		return err
	}
	if l.terminal {
		return nil
	}
	l.state.sample(at)
	if at.Sub(l.said) < sayEvery || l.state.over() {
		return nil
	}
	if line := l.state.line(at); line != l.last {
		l.said, l.last = at, line
		l.log.say(at, "%s", line)
	}
	return nil
}

// Plan takes in when jobs with a promise are expected to be done, and tells when that moved and why.
func (l *live) Plan(at units.Time, decisions []follow.Decision) error {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.clouds.List = l.clouds.List[:0]
	_ = l.clouds.Plan(at, decisions)
	for i := range l.clouds.List {
		l.log.say(at, "%s", l.clouds.List[i].String())
	}
	for i := range decisions {
		d := &decisions[i]
		if o, told := report.OutlookOf(at, d); told && d.Refused == sched.OK && l.here[d.Job.Index] != nil {
			if j := l.here[d.Job.Index]; j.matters(at, &o) {
				if j.said = &o; o.Why != "" {
					l.log.say(at, "job %q: %s", d.Job.Spec.ID, o.Why)
				}
			}
			l.here[d.Job.Index].outlook = &o
		}
	}
	return nil
}

// matters tells whether it is worth a line that a job is done at another time than was said: where that decides about
// its deadline, or is a tenth of the time that was left, until its deadline if that is later.
func (j *liveJob) matters(at units.Time, o *report.Outlook) bool {
	if j.said == nil {
		return true
	}
	until, due := j.said.Sure, j.deadline.Seconds()
	if j.deadline != units.Never {
		if (until > due) != (o.Sure > due) {
			return true
		}
		until = max(until, due)
	}
	return math.Abs(o.Sure-j.said.Sure) > (until-at.Seconds())/10
}

func (l *live) take(at units.Time, e *follow.Record) {
	if e.Kind == sched.JobArrived {
		l.arrive(e.Job)
	}
	j := l.here[e.Job.Index]
	if e.Sizes {
		j.maps.tasks, j.reduces.tasks = e.Job.Tasks(sched.Map), e.Job.Tasks(sched.Reduce)
	}
	switch a := e.Attempt; e.Kind {
	case sched.Started:
		input := units.Bytes(0)
		if st := j.spec.Stage(a.Stage); st != nil && a.Task > 0 && int(a.Task) <= len(st.Tasks) {
			input = st.Tasks[a.Task-1].Input
		}
		*sched.Row(&l.attempts, a.Index) = liveAttempt{input: input}
		if j.started == units.Never {
			j.started = a.Began
		}
	case sched.Progress:
		l.advance(j, a, e.X)
	case sched.Ended:
		l.advance(j, a, 0)
		st := j.stage(a.Stage)
		switch e.Outcome {
		case sched.Committed:
			st.done++
			if a.Stage == sched.Map {
				l.state.read += float64(l.attempts[a.Index].input)
			}
		case sched.Failed:
			j.failures++
		}
	case sched.OutputLost:
		j.stage(e.Stage).done--
	case sched.JobEnded:
		l.state.end(j)
	}
}

// arrive begins to show a job. Each is found by its name, those that nobody has announced stand last.
func (l *live) arrive(job *follow.Job) {
	s, spec := &l.state, job.Spec
	j := s.named[spec.ID]
	if j == nil {
		j = s.add(spec.ID)
	}
	*sched.Row(&l.here, job.Index) = j
	j.arrived, j.deadline, j.spec = job.Arrived, spec.Deadline, spec
	j.maps.tasks, j.reduces.tasks = job.Tasks(sched.Map), job.Tasks(sched.Reduce)
	j.weigh(s.known)
	j.maps.done, j.reduces.done = 0, 0
	for i := range spec.Stages { // what a run before has done
		j.stage(spec.Stages[i].Kind).done += len(spec.Stages[i].Done)
	}
}

// advance sets how far an attempt is.
func (l *live) advance(j *liveJob, a *follow.Attempt, part float64) {
	was := &l.attempts[a.Index]
	j.stage(a.Stage).part += part - was.progress
	if a.Stage == sched.Map {
		l.state.read += (part - was.progress) * float64(was.input)
	}
	was.progress = part
}

// liveState is all that the view shows; frame and line are functions of it and the time.
type liveState struct {
	jobs    list.List           // of *liveJob: those that have not ended, in the order in which they came
	named   map[string]*liveJob // the same by name
	ended   int
	read    float64 // bytes, by maps that are done and by those that run
	known   []*profile.Class
	base    time.Time // of the clock of the run
	samples []sample  // of the last seconds
}

// liveJob is what is shown of a job.
type liveJob struct {
	name          string
	spec          *workload.Job
	arrived       units.Time // units.Never: not yet
	started       units.Time // its first attempt; units.Never: none yet
	deadline      units.Time
	expected      *report.Expectation // nil: nothing is known
	maps, reduces liveStage
	outlook       *report.Outlook // nil: none was told
	said          *report.Outlook // the last that was worth a line
	failures      int
	at            *list.Element
}

// add begins to show a job, before it arrives.
func (s *liveState) add(name string) *liveJob {
	if s.named == nil {
		s.named = make(map[string]*liveJob)
	}
	j := &liveJob{name: name, deadline: units.Never, arrived: units.Never, started: units.Never}
	s.named[name], j.at = j, s.jobs.PushBack(j)
	return j
}

// end shows a job no more.
func (s *liveState) end(j *liveJob) {
	s.jobs.Remove(j.at)
	delete(s.named, j.name)
	s.ended++
}

// all goes through the jobs that have not ended.
func (s *liveState) all(yield func(*liveJob) bool) {
	for e := s.jobs.Front(); e != nil && yield(e.Value.(*liveJob)); e = e.Next() {
	}
}

// liveStage is what is shown of a stage.
type liveStage struct {
	tasks, done int
	part        float64 // of running tasks, in tasks
	weight      float64 // of a task
}

// sample is what all maps had read at a time.
type sample struct {
	at    units.Time
	bytes float64
}

func (j *liveJob) stage(s sched.Stage) *liveStage {
	if s == sched.Map {
		return &j.maps
	}
	return &j.reduces
}

// weigh sets what a task of each stage counts for: its usual time, or alike.
func (j *liveJob) weigh(known []*profile.Class) {
	j.maps.weight, j.reduces.weight = 1, 1
	for _, c := range known {
		if c.Name != j.spec.Class {
			continue
		}
		m, r := c.Any(workload.Map), c.Any(workload.Reduce)
		if m.Task.N > 0 && (r.Task.N > 0 || j.reduces.tasks == 0) {
			j.maps.weight, j.reduces.weight = m.Task.Mean, r.Task.Mean
		}
	}
}

// label is the name as it is shown.
func (j *liveJob) label() string { return report.Printable(j.name) }

// done is the part of the job's work that is done.
func (j *liveJob) done() float64 {
	sum, all := 0.0, 0.0
	for _, s := range []*liveStage{&j.maps, &j.reduces} {
		sum += s.weight * (float64(s.done) + s.part)
		all += s.weight * float64(s.tasks)
	}
	if all <= 0 {
		return 0
	}
	return min(max(sum/all, 0), 1)
}

// left is the time that the job still needs; false while nobody can tell. The more of it is done,
// the more what it took so far counts against what was expected.
func (j *liveJob) left(now units.Time) (float64, bool) {
	const telling = 0.05
	part, ran := j.done(), 0.0
	if j.started != units.Never {
		ran = now.Sub(j.started).Seconds()
	}
	switch {
	case j.expected != nil:
		ahead := max(0, j.expected.Seconds-now.Sub(j.arrived).Seconds())
		return (1 - part) * (ahead + ran), ahead+ran > 0
	case part >= telling:
		return ran * (1 - part) / part, true
	}
	return 0, false
}

// window is how long back the rate of reading goes.
const window = 3 * units.Second

// sample notes what has been read until now, as often as a screen is painted.
func (s *liveState) sample(now units.Time) {
	if n := len(s.samples); n > 0 && now.Sub(s.samples[n-1].at) < units.Duration(repaint) {
		return
	}
	s.samples = append(s.samples, sample{now, s.read})
	for len(s.samples) > 2 && now.Sub(s.samples[1].at) >= window {
		s.samples = s.samples[1:]
	}
}

// rate is what maps read in a second, lately.
func (s *liveState) rate() float64 {
	if len(s.samples) < 2 {
		return 0
	}
	first, last := s.samples[0], s.samples[len(s.samples)-1]
	if last.at <= first.at {
		return 0
	}
	return max(0, last.bytes-first.bytes) / last.at.Sub(first.at).Seconds()
}

// over tells whether all jobs have ended.
func (s *liveState) over() bool { return s.jobs.Len() == 0 }

// mostLive is how many jobs a line in a pipe tells of.
const mostLive = 8

// urgent is the job that has the least time to spare until its deadline; without any the first that has come. Nil: none
// is there.
func (s *liveState) urgent(now units.Time) (first *liveJob) {
	least := math.Inf(1)
	for j := range s.all {
		spare := math.Inf(1)
		if j.arrived != units.Never && j.deadline != units.Never {
			left, _ := j.left(now)
			spare = j.deadline.Sub(now).Seconds() - left
		}
		if first == nil || spare < least || first.arrived == units.Never && j.arrived != units.Never {
			first, least = j, spare
		}
	}
	return first
}

// frame says in a line of at most so many columns how far the run is, and of the most urgent job what matters: how it
// stands to its deadline, when it is done as it was told, and how far it is.
func (s *liveState) frame(now units.Time, columns int) string {
	line := fmt.Sprintf("%s  %d of %d ended", units.Span(now.Seconds()), s.ended, s.ended+s.jobs.Len())
	if j := s.urgent(now); j != nil {
		words := j.words(now, s.base)
		slices.Reverse(words) // what matters most comes first
		line += fmt.Sprintf("  %s %s  %s", text.Snip(j.label(), max(8, columns/5), "…"), bar12(j.done()), strings.Join(words, ", "))
	}
	if r := s.rate(); r > 0 {
		line += ", " + report.Size(r) + "/s"
	}
	return text.Snip(line, columns, "…")
}

// line says the same in one line, for a pipe.
func (s *liveState) line(now units.Time) string {
	var parts []string
	for j := range s.all {
		if j.arrived != units.Never {
			if len(parts) == mostLive {
				parts = append(parts, "…")
				break
			}
			parts = append(parts, fmt.Sprintf("%s: %s", j.label(), strings.Join(j.words(now, s.base), ", ")))
		}
	}
	text := strings.Join(parts, "; ")
	if r := s.rate(); r > 0 {
		text += "; " + report.Size(r) + "/s"
	}
	return text
}

// words says how far a job is, when it should end, and how it stands to its promise.
func (j *liveJob) words(now units.Time, base time.Time) (words []string) {
	if j.arrived == units.Never {
		return []string{"not submitted yet"}
	}
	text := fmt.Sprintf("maps %d of %d", j.maps.done, j.maps.tasks)
	if j.reduces.tasks > 0 {
		text += fmt.Sprintf(", reduces %d of %d", j.reduces.done, j.reduces.tasks)
	}
	if j.failures > 0 {
		text += fmt.Sprintf(", %d failed", j.failures)
	}
	words = append(words, text)
	left, known := j.left(now)
	clock := func(at units.Time) string { return base.Add(time.Duration(at)).Format(time.TimeOnly) }
	switch o := j.outlook; {
	case o != nil: // which the policy goes by
		words = append(words, o.DoneBy(func(s float64) string { return clock(units.Time(0).Add(units.FromSeconds(s))) }))
	case known:
		words = append(words, fmt.Sprintf("%s left (until %s)", units.Span(left), clock(now.Add(units.FromSeconds(left)))))
	}
	if j.deadline == units.Never {
		return words
	}
	due := j.deadline.Sub(now).Seconds()
	switch {
	case due < 0:
		return append(words, "LATE by "+units.Span(-due))
	case known && left > due:
		return append(words, fmt.Sprintf("due in %s: LATE by %s", units.Span(due), units.Span(left-due)))
	}
	return append(words, "due in "+units.Span(due))
}

// bar12 draws a part of the whole in twelve columns.
func bar12(part float64) string {
	const columns = 12
	eighths := int(part*columns*8 + 0.5)
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return text + strings.Repeat("░", columns-utf8.RuneCountInString(text))
}
