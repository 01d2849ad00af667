package outdir

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"path/filepath"
	"strconv"
	"time"

	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/units"
)

// entry is a line of a job's log. One field is set.
type entry struct {
	Job    *Description `json:"job,omitempty"`    // the first line
	Done   *Commit      `json:"done,omitempty"`   // a task was committed; a later one of the same task counts instead
	Lost   int          `json:"lost,omitempty"`   // the output of this map, from 1, is gone
	Moving bool         `json:"moving,omitempty"` // the commit of the job began
	Ended  bool         `json:"ended,omitempty"`  // so has its run, and not all of its jobs finished
}

// Description is what makes a run a continuation of another.
type Description struct {
	Version int             `json:"version"` // of the log
	Facts   []Fact          `json:"facts"`
	Input   []InputFile     `json:"input"`
	Splits  string          `json:"splits"`           // how it is cut, in short: what a task is follows from that
	Block   units.Bytes     `json:"block,omitempty"`  // by which a policy had it cut; 0 = as its run cuts
	Command json.RawMessage `json:"origin,omitempty"` // the command line that it came from
	Began   time.Time       `json:"began,omitzero"`   // 0 of the clock of the run
	Made    bool            `json:"made,omitempty"`   // Slackline made the output directory
	// files of an earlier output, which stay in place until the commit of this job begins: replace.go
	Replaces []string `json:"replaces,omitempty"`
}

const logVersion = 2

// Fact is something that decides what a job writes: its application, a parameter, a command. What
// an interrupted run of the job has committed counts only if all facts are as they were.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// BlockFact names the fact of how large a split may be. It decides nothing but how the input is cut.
const BlockFact = "block"

// ReducesFact names the fact of how many reduces there are.
const ReducesFact = "reduces"

// InputFile is a file that a job reads.
type InputFile struct {
	Path  input.Path `json:"path"`
	Size  int64      `json:"size"`
	Wrote time.Time  `json:"wrote"`
	// of the system's, where it tells: input.File
	Node    uint64 `json:"node,omitempty"`
	Changed int64  `json:"changed,omitempty"`
}

// Bytes is the size of all files together.
func Bytes(files []InputFile) (sum units.Bytes) {
	for i := range files {
		sum += units.Bytes(files[i].Size)
	}
	return sum
}

// Task names a task of a job.
type Task struct {
	Reduce bool `json:"reduce,omitempty"`
	Number int  `json:"task"` // from 1
}

// Commit is a task that is done.
type Commit struct {
	Task
	Node     string       `json:"node"`
	Run      *task.Output `json:"run,omitempty"`   // map output; in the log its path is that below _temporary
	Dir      string       `json:"dir,omitempty"`   // of part files, below _temporary
	Parts    []task.Part  `json:"parts,omitempty"` // files
	Counters []counted    `json:"counters,omitempty"`
	Lost     bool         `json:"-"` // its output is gone, and only what it counted is left
	moving   bool         // the commit of the job began since, so that its files may be in place
}

type counted struct {
	Group string `json:"group"`
	Name  string `json:"name"`
	Value int64  `json:"value"`
}

// Count keeps what the task has counted.
func (c *Commit) Count(of *mapreduce.Counters) {
	for _, n := range of.Names() {
		c.Counters = append(c.Counters, counted{n.Group, n.Name, of.Get(n.Group, n.Name)})
	}
}

// Counted is what the task has counted.
func (c *Commit) Counted() *mapreduce.Counters {
	all := mapreduce.NewCounters()
	for _, k := range c.Counters {
		all.Counter(k.Group, k.Name).Add(k.Value)
	}
	return all
}

// Describe describes a job by its facts, its input, and how that is cut.
func Describe(facts []Fact, input []InputFile, splits []input.Split) *Description {
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
	cut := fmt.Sprintf("%d %016x", len(splits), h.Sum64())
	return &Description{Version: logVersion, Facts: facts, Input: input, Splits: cut}
}

// differs says in what the description that a run left differs from what the job is now; "" if in
// nothing.
func (d *Description) differs(now *Description) string {
	if d.Version != now.Version {
		return "another version of Slackline wrote its log"
	}
	was := make(map[string]string)
	for _, f := range d.Facts {
		was[f.Name] = f.Value
	}
	block, wasBlock := "", was[BlockFact]
	for _, f := range now.Facts {
		before, ok := was[f.Name]
		delete(was, f.Name)
		switch {
		case f.Name == BlockFact: // counts by how it cuts the input: below
			block = f.Value
		case !ok:
			return fmt.Sprintf("%s is %q now, and was not given before", f.Name, f.Value)
		case before != f.Value:
			return fmt.Sprintf("%s is %q now, and was %q before", f.Name, f.Value, before)
		}
	}
	for _, f := range d.Facts {
		if before, ok := was[f.Name]; ok {
			return fmt.Sprintf("%s is not given now, and was %q before", f.Name, before)
		}
	}
	for i, f := range now.Input {
		if i >= len(d.Input) {
			return fmt.Sprintf("input %q is new", f.Path)
		}
		switch b := d.Input[i]; {
		case b.Path != f.Path:
			return fmt.Sprintf("its input has other files: %q instead of %q", f.Path, b.Path)
		case b.Size != f.Size:
			return fmt.Sprintf("input %q has changed: it has %d bytes now, and had %d", f.Path, f.Size, b.Size)
		case !b.Wrote.Equal(f.Wrote):
			return fmt.Sprintf("input %q has changed: it was written at %v, not at %v", f.Path,
				f.Wrote.Format(time.RFC3339Nano), b.Wrote.Format(time.RFC3339Nano))
		case b.Node != 0 && f.Node != 0 && (b.Node != f.Node || b.Changed != f.Changed):
			return fmt.Sprintf("input %q has changed: its size and time are as before, but it was written, or replaced, at %v", f.Path,
				time.Unix(0, f.Changed).UTC().Format(time.RFC3339Nano))
		}
	}
	if len(d.Input) > len(now.Input) {
		return fmt.Sprintf("input %q is missing", d.Input[len(now.Input)].Path)
	}
	switch {
	case d.Splits == now.Splits:
	case block != wasBlock:
		return fmt.Sprintf("block is %q now, and was %q before; that --block cuts its input as before", block, wasBlock)
	default:
		return "its input is split into tasks in another way"
	}
	return ""
}

// History is what a log says: what the job was, and what was done of it in the end.
type History struct {
	Lines    int  // that could be read
	Finished bool // the job has
	ended    bool // and its run has come to its end
	moving   bool // the commit of the job began
	job      *Description
	done     map[Task]*Commit
}

// Of returns the commit of a task, nil if it has none.
func (h *History) Of(t Task) *Commit { return h.done[t] }

func replay(records []json.RawMessage) *History {
	h := &History{Lines: len(records), done: make(map[Task]*Commit)}
	for _, r := range records {
		var e entry
		if json.Unmarshal(r, &e) != nil {
			continue
		}
		switch {
		case e.Job != nil:
			h.job, h.ended, h.moving = e.Job, false, false
			clear(h.done) // of another job, which this one replaces
		case e.Ended:
			h.ended = true
		case e.Done != nil:
			h.done[e.Done.Task] = e.Done
		case e.Lost > 0:
			if c := h.done[Task{Number: e.Lost}]; c != nil {
				c.Lost = true
			}
		case e.Moving:
			h.moving = true
			for _, c := range h.done {
				c.moving = true
			}
		}
	}
	return h
}

// history reads the log. There may be none.
func (d *Dir) history() (*History, error) {
	records, err := readLog(d.logPath())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return replay(records), says(d.path, err)
}

// note writes a line of the log.
func (d *Dir) note(e entry) error {
	if err := d.log.append(e); err != nil {
		return says(d.path, fmt.Errorf("its log: %w", err))
	}
	return nil
}

// ChangedError says why an interrupted run of a job cannot be resumed.
type ChangedError struct {
	Output string
	What   string
}

// Error is the error as one sentence.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("output %q: an interrupted run left it, but cannot be resumed: %s", e.Output, e.What)
}

// Unlike says why output that is finished does not count as what the job would write.
func (d *Dir) Unlike(why string) error {
	return says(d.path, fmt.Errorf("it is finished, but %s; "+
		"remove it, leave the job out, or run all of them again (slackline run --overwrite)", why))
}

// counts tells whether what stands there is of a run that this one may go on from.
func (d *Dir) counts(state State) bool {
	return state == Interrupted && !d.opt.Fresh || state == Finished && !d.opt.Replace
}

// GoesOn tells whether the run may go on from what stands there.
func (d *Dir) GoesOn() bool {
	state, err := d.State()
	return err == nil && d.counts(state)
}

// Cut is the block by which a policy had the job cut in the run that this one may go on from, 0 if none had, with any
// also that of the run; and how many reduces it had, 0 if nobody knows.
func (d *Dir) Cut(any bool) (block units.Bytes, reduces int) {
	if !d.GoesOn() {
		return 0, 0
	}
	if h, err := d.history(); err == nil && h.job != nil { // what cannot be read Look says
		block = h.job.Block
		for _, f := range h.job.Facts {
			switch {
			case f.Name == ReducesFact:
				reduces, _ = strconv.Atoi(f.Value)
			case f.Name == BlockFact && any && block == 0:
				block, _ = units.ParseBytes(f.Value)
			}
		}
	}
	return block, reduces
}

// Look finds out what an interrupted run has left that the job, as it is now, may resume from; nil
// if nothing. It changes nothing on disk.
func (d *Dir) Look(now *Description) (*History, error) {
	state, err := d.State()
	if err != nil || !d.counts(state) {
		return nil, err
	}
	var h *History
	if err := d.again(func() (err error) { h, err = d.history(); return err }); err != nil {
		return nil, err
	}
	h.Finished = state == Finished
	what := ""
	if h.job != nil {
		what = h.job.differs(now)
	} else if parts, _ := filepath.Glob(d.join("part-*")); h.Finished || len(parts) > 0 {
		what = "its log is damaged"
	} else { // it died before it had done anything, or nobody knows of what job that is
		clear(h.done)
	}
	switch {
	case what == "":
		d.left = h
		return h, nil
	case h.Finished:
		return nil, d.Unlike("the job would write something else: " + what)
	}
	return nil, &ChangedError{d.path, what}
}

// Restore takes over what a commit says, if it is there as it was written: the parts of a task,
// which are read for that, or map output for so many reduces. Of that only the length is looked at,
// as whoever reads it checks every byte.
func (d *Dir) Restore(c *Commit, reduces int) (*task.Output, error) {
	if c.Run == nil {
		return nil, d.again(func() error { return d.adopt(c) })
	}
	run := *c.Run
	run.Path = d.join(temporary, c.Run.Path)
	size, err := straightSize(d.join(temporary), c.Run.Path)
	if err == nil && (len(run.Segments) != reduces || size != int64(run.Size())) {
		err = errSum
	}
	if err != nil {
		return nil, err
	}
	d.outputs[c.Number] = filepath.Dir(run.Path)
	return &run, nil
}
