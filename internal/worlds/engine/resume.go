package engine

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/workload"
)

// Fact is something that decides what a job writes: its application, a parameter, a command. What
// an interrupted run of the job has committed counts only if all facts are as they were.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ChangedError says why an interrupted run of a job cannot be gone on with.
type ChangedError struct {
	Output string
	What   string
}

// Error is the error as one sentence.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("output %q: an interrupted run left it, which cannot go on: %s", e.Output, e.What)
}

// entry is a line of a job's log. One field is set.
type entry struct {
	Job    *description `json:"job,omitempty"`    // the first line
	Done   *commit      `json:"done,omitempty"`   // a task was committed; a later one of the same task counts instead
	Lost   int          `json:"lost,omitempty"`   // the output of this map, from 1, is gone
	Moving bool         `json:"moving,omitempty"` // the commit of the job began
}

// description is what makes a run a continuation of another.
type description struct {
	Version int             `json:"version"` // of the log
	Facts   []Fact          `json:"facts"`
	Input   []inputFile     `json:"input"`
	Splits  string          `json:"splits"` // how it is cut, in short: what a task is follows from that
	Origin  json.RawMessage `json:"origin,omitempty"`
	Began   time.Time       `json:"began,omitzero"` // 0 of the clock of the run
	Made    bool            `json:"made,omitempty"` // Slackline made the output directory
}

const logVersion = 2

type inputFile struct {
	Path  task.Path `json:"path"`
	Size  int64     `json:"size"`
	Wrote time.Time `json:"wrote"`
}

// commit is a task that is done.
type commit struct {
	Reduce   bool         `json:"reduce,omitempty"`
	Task     int          `json:"task"` // from 1
	Node     string       `json:"node"`
	Run      *task.Output `json:"run,omitempty"`   // map output; its path below the job's folder for it
	Dir      string       `json:"dir,omitempty"`   // of part files, below _temporary
	Parts    []task.Part  `json:"parts,omitempty"` // files
	Counters []counted    `json:"counters,omitempty"`
	lost     bool         // its output is gone, and only what it counted is left
	moving   bool         // the commit of the job began since, so that its files may be in place
}

type counted struct {
	Group string `json:"group"`
	Name  string `json:"name"`
	Value int64  `json:"value"`
}

// past is what an interrupted run of a job has left.
type past struct {
	records   int  // of the log
	described bool // in it
	finished  bool
}

// Resumption tells what a job goes on from.
type Resumption struct {
	Job                   string
	Maps, Reduces         int // that are done
	AllMaps, AllReduces   int
	MapsAgain, PartsAgain int // were done, and are not there any more as they were
}

// describe returns what the job is now.
func (w *World) describe(j *job) *description {
	d := &description{Version: logVersion, Origin: j.cfg.Origin, Began: w.cfg.began(), Made: j.committer.Made}
	d.Facts = append(d.Facts, Fact{"program", j.cfg.Program.Name}, Fact{"reduces", strconv.Itoa(j.cfg.Reduces)},
		Fact{"block", w.cfg.Block.String()}, Fact{"seed", strconv.FormatUint(w.cfg.Seed, 10)},
		Fact{"skip_bad_records", strconv.Itoa(j.cfg.SkipBad)})
	for _, in := range j.cfg.Sources {
		if in.Name != "" || in.Format != nil {
			d.Facts = append(d.Facts, Fact{strings.TrimSpace("input_format " + in.Name), in.Format.String()})
		}
	}
	d.Facts = append(d.Facts, Fact{"output_format", j.cfg.Written.Format.String()}, Fact{"compress", j.cfg.Written.Compress})
	d.Facts = append(d.Facts, j.cfg.Facts...)
	d.Input, d.Splits = j.input, digest(j.splits)
	return d
}

// digest tells whether input is cut as it was.
func digest(splits []task.Split) string {
	h := fnv.New64a()
	var line []byte
	for _, s := range splits {
		for _, p := range s.Pieces {
			line = append(append(line[:0], p.Path...), 0)
			for _, n := range []int64{int64(p.Source), p.Start, p.End} {
				line = binary.BigEndian.AppendUint64(line, uint64(n))
			}
			h.Write(line)
		}
		h.Write([]byte{0})
	}
	return fmt.Sprintf("%d %016x", len(splits), h.Sum64())
}

// differs says in what the description that a run left differs from what the job is now; "" if in nothing.
func (d *description) differs(now *description) string {
	if d.Version != now.Version {
		return "another version of Slackline wrote its log"
	}
	was := make(map[string]string)
	for _, f := range d.Facts {
		was[f.Name] = f.Value
	}
	for _, f := range now.Facts {
		before, ok := was[f.Name]
		delete(was, f.Name)
		switch {
		case !ok:
			return fmt.Sprintf("%s is %q and was not given", f.Name, f.Value)
		case before != f.Value:
			return fmt.Sprintf("%s is %q and was %q", f.Name, f.Value, before)
		}
	}
	for _, f := range d.Facts {
		if before, ok := was[f.Name]; ok {
			return fmt.Sprintf("%s is not given and was %q", f.Name, before)
		}
	}
	for i, f := range now.Input {
		if i >= len(d.Input) {
			return fmt.Sprintf("input %q has come to it", f.Path)
		}
		switch b := d.Input[i]; {
		case b.Path != f.Path:
			return fmt.Sprintf("its input has other files: %q stands where %q was", f.Path, b.Path)
		case b.Size != f.Size:
			return fmt.Sprintf("input %q has changed, it has %d bytes and had %d", f.Path, f.Size, b.Size)
		case !b.Wrote.Equal(f.Wrote):
			return fmt.Sprintf("input %q has changed, it was written at %v and not at %v", f.Path, f.Wrote.Format(time.RFC3339Nano), b.Wrote.Format(time.RFC3339Nano))
		}
	}
	if len(d.Input) > len(now.Input) {
		return fmt.Sprintf("input %q is not there any more", d.Input[len(now.Input)].Path)
	}
	if d.Splits != now.Splits {
		return "its input is cut into tasks otherwise than it was"
	}
	return ""
}

// look finds out what an interrupted run of the job has left that can be taken over. It changes nothing on disk.
func (w *World) look(j *job) error {
	state, err := j.committer.State()
	if err != nil || state == outdir.Free || state == outdir.Taken || state == outdir.Interrupted && w.cfg.Fresh {
		return err
	}
	var records []json.RawMessage
	err = w.again(func() (err error) { records, err = outdir.Read(j.committer.LogPath()); return err })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("output %q: %w", j.cfg.Output, err)
	}
	p := &past{records: len(records), finished: state == outdir.Finished}
	was, done := replay(records)
	if was == nil {
		parts, _ := filepath.Glob(filepath.Join(j.cfg.Output, "part-*"))
		if p.finished {
			return j.unlike("its log is damaged")
		}
		if len(parts) > 0 {
			return &ChangedError{j.cfg.Output, "its log is damaged"}
		}
		j.past = p // it died before it had done anything
		return nil
	}
	p.described = true
	if what := was.differs(w.describe(j)); what != "" && p.finished {
		return j.unlike(what)
	} else if what != "" {
		return &ChangedError{j.cfg.Output, what}
	}
	j.past = p
	return w.takeIn(j, done)
}

// again reads as often as a task may fail, if it is the reading that fails and not what is read.
func (w *World) again(read func() error) (err error) {
	for range w.cfg.MaxFailures {
		var failed *fs.PathError
		if err = read(); err == nil || errors.Is(err, fs.ErrNotExist) || !errors.As(err, &failed) {
			break
		}
	}
	return err
}

// unlike says why output that is finished does not count as what the job would write.
func (j *job) unlike(what string) error {
	return fmt.Errorf("output %q: it is finished, but not what the job would write: %s; remove it, leave the job out, or start the run anew (slackline run --fresh)", j.cfg.Output, what)
}

// replay reads a log: what the job was, and what was done of it in the end.
func replay(records []json.RawMessage) (was *description, done map[commitKey]*commit) {
	done = make(map[commitKey]*commit)
	for _, r := range records {
		var e entry
		if json.Unmarshal(r, &e) != nil {
			continue
		}
		switch {
		case e.Job != nil:
			was = e.Job
		case e.Done != nil:
			done[commitKey{e.Done.Reduce, e.Done.Task}] = e.Done
		case e.Lost > 0:
			if c := done[commitKey{false, e.Lost}]; c != nil {
				c.lost = true
			}
		case e.Moving:
			for _, c := range done {
				c.moving = true
			}
		}
	}
	return was, done
}

type commitKey struct {
	reduce bool
	task   int
}

// takeIn marks as done what was done and is still there as it was written. Parts are read for that;
// of a map output only its length is looked at, as whoever reads it checks every byte.
func (w *World) takeIn(j *job, done map[commitKey]*commit) error {
	for _, s := range j.stages {
		reduce := s.Spec.Kind == workload.Reduce
		for i := range s.tasks {
			c := done[commitKey{reduce, i + 1}]
			if c == nil || c.lost {
				continue
			}
			if c.Run != nil {
				run := *c.Run
				run.Path = filepath.Join(w.home(j), c.Run.Path)
				size, err := outdir.Straight(w.home(j), c.Run.Path)
				if len(run.Segments) != j.cfg.Reduces || err != nil || size != int64(run.Size()) {
					j.again.MapsAgain++
					continue
				}
				s.tasks[i].out = &run
			} else if err := w.again(func() error { return j.committer.Adopt(reduce, i, c.Dir, c.Parts) }); err != nil {
				if j.past.finished {
					return j.unlike(err.Error())
				}
				j.again.PartsAgain++
				continue
			}
			s.tasks[i].State = truth.Done
			s.Done++
		}
	}
	last := j.last()
	if j.past.finished && int(last.Done) != len(last.tasks) {
		return j.unlike("its log is damaged")
	}
	if int(last.Done) == len(last.tasks) { // then nobody asks for map output
		j.again.MapsAgain = 0
		for i := range j.stages[0].tasks {
			j.stages[0].tasks[i].State = truth.Done
		}
	}
	for _, s := range j.stages {
		s.Done, s.Spec.Done = 0, nil
		for i := range s.tasks {
			t := &s.tasks[i]
			if t.State == truth.Done {
				s.Done++
				s.Spec.Done = append(s.Spec.Done, int32(i+1))
			}
			if c := done[commitKey{s.Spec.Kind == workload.Reduce, i + 1}]; c != nil {
				w.recall(j, t, c)
			}
		}
		s.Open = int32(len(s.tasks)) - s.Done
	}
	return nil
}

// recall takes over what the log says of a task.
func (w *World) recall(j *job, t *taskTruth, c *commit) {
	if t.out != nil {
		j.outs.put(c.Task-1, t.out)
	}
	t.counters = mapreduce.NewCounters()
	for _, k := range c.Counters {
		t.counters.Counter(k.Group, k.Name).Add(k.Value)
	}
	for n := 1; n < len(w.nodes); n++ {
		if t.out != nil && w.nodes[n].Spec.Name == c.Node {
			t.Node = int32(n)
		}
	}
}

// resumption sums up what the job goes on from.
func (j *job) resumption() Resumption {
	r := j.again
	r.Job = j.cfg.Spec.ID
	for _, s := range j.stages {
		if s.Spec.Kind == workload.Reduce {
			r.Reduces, r.AllReduces = int(s.Done), len(s.tasks)
		} else {
			r.Maps, r.AllMaps = int(s.Done), len(s.tasks)
		}
	}
	return r
}

// note writes a line of the job's log.
func (j *job) note(e entry) error {
	if err := j.log.Append(e); err != nil {
		return fmt.Errorf("output %q: its log: %w", j.cfg.Output, err)
	}
	return nil
}

// committed returns the line for a task that is done.
func (w *World) committed(j *job, a *attempt, r *report) *commit {
	c := &commit{Reduce: a.stage == sched.Reduce, Task: int(a.task), Node: w.nodes[a.node].Spec.Name}
	for _, n := range r.stats.Counters.Names() {
		c.Counters = append(c.Counters, counted{n.Group, n.Name, r.stats.Counters.Get(n.Group, n.Name)})
	}
	if r.output != nil {
		run := *r.output
		run.Path, _ = filepath.Rel(w.home(j), run.Path)
		c.Run = &run
	}
	return c
}

// Remains is what stands in an output directory.
type Remains struct {
	Finished bool            // a job has
	Origin   json.RawMessage // of the job, if its run has not ended; nil if it has, or if there is none
	Began    time.Time       // 0 of the clock of that run; zero: it is not known
}

// Left looks at what a run has left in an output directory. That a process is at work there is an error.
func Left(output string) (r Remains, err error) {
	c := outdir.NewCommitter(output)
	state, err := c.State()
	if err != nil || state == outdir.Free {
		return r, err
	}
	_, err = os.Stat(filepath.Join(output, outdir.SuccessFile))
	r.Finished = err == nil
	if state == outdir.Taken {
		return r, nil
	}
	if err := outdir.Busy(c.LockPath()); err != nil {
		return r, fmt.Errorf("output %q: %w", output, err)
	}
	records, err := outdir.Read(c.LogPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return r, fmt.Errorf("output %q: %w", output, err)
	}
	if was, _ := replay(records); was != nil {
		r.Origin, r.Began = was.Origin, was.Began
	}
	return r, nil
}
