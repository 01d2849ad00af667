package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/worlds/cloud"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Beat is how often a worker beats while work waits that fits, if nobody says otherwise.
const Beat = 20 * units.Millisecond

// Config is what a run is made of. Zero values take the defaults that are given.
type Config struct {
	Cluster *cluster.Cluster // the workers; their map and reduce slots run attempts
	// who rents out nodes of a class; those of others are slots of this machine, which come when they have booted
	Clouds map[string]cloud.Provider
	Jobs   []Job // that are there from the beginning
	// of more jobs, and of what else is asked while the engine runs; nil = nobody asks for anything
	Source      Source
	Block       units.Bytes      // largest split; 0 = as a job's input and the slots say: input.Block
	Replicas    int              // workers that hold a block; 1
	Seed        uint64           // of the placement of blocks
	Buffer      units.Bytes      // memory of an attempt for sorting or shuffling; its share of Memory, or 32 MB
	Memory      units.Bytes      // what this process is to take at most, user code apart; 0 = no bound
	Sync        outdir.Sync      // what outlives a loss of power
	MaxFailures int              // attempts of a task that may fail before its job does; 4
	Timeout     units.Duration   // an attempt that does not get on for so long has failed; 10 min
	Grace       units.Duration   // an attempt that was told to stop is waited for so long; 5 s
	Heartbeat   units.Duration   // how often a worker beats while work waits that fits; 20 ms
	Profiles    []*profile.Class // what is known at the start
	Core        units.Watts      // what a task draws of whose container nothing is stated; 0 = nobody knows
	Progress    units.Duration   // how often the progress of attempts is told; 0 = never
	// what workers offer from certain times on, in their order; nothing that runs is stopped
	Steps []Step
	// what tells a later run that jobs have finished stays behind the end, until Forget
	Keep    bool
	Some    bool             // there are more jobs than these, which may go on from them: so logs are kept
	Fresh   bool             // what interrupted runs left is thrown away, not resumed
	Resumed func(Resumption) // told of each job that continues from what an interrupted run left; may be nil
	// told at once what user code warns of, once for each text of a job, and without a job what clouds do wrong, from
	// any goroutine; may be nil
	Warn  func(job, text string)
	Clock func() units.Time // stopwatch of the run; it never goes back
	// the instant that 0 of the clock stands for, asked for when all input has been cut; nil =
	// nobody knows
	Origin func() time.Time
	// the clock is that of an interrupted run: jobs that are there from the start have been for a
	// while
	GoesOn bool
}

// Step sets the slots of all workers.
type Step struct {
	At    units.Time
	Slots []units.Vector // by worker
}

// Job is a job with what it computes.
type Job struct {
	Spec    workload.Job // all but its stages, which follow from the input
	Program *mapreduce.Program
	Input   []string // files, directories, globs
	Output  string   // a directory that does not exist
	// how many maps a policy may have it cut into: 0 = it stays as it is cut, or as many at most
	MinMaps, MaxMaps int
	Replace          bool // or one that outdir.Replaceable allows to replace
	Reduces          int  // 0 = the output of the maps is the job's
	MaxReduces       int  // that a policy may ask for; 0 = it stays with Reduces

	Sources []input.Source // in place of Input, where inputs have names or formats; nil = they have none
	// The input, found and cut by Block. Without splits the engine does it: at New, or in a goroutine
	// of its own once the job waits for no other.
	Files  []input.File
	Splits []input.Split
	// Of a job that reads what one before it writes: how that is expected to be cut. It comes as this until it is
	// there; none = it comes when it is there.
	Guess []input.Split

	Written task.Written // how part files are written

	SkipBad int           // records of a task that may be passed over when user code has failed at them
	Facts   []outdir.Fact // what else decides what it writes: its application, parameters, commands
	// facts that jobs before it make: what side files hold that these write; nil = none
	Later func() []outdir.Fact
	// the command line that it came from, kept in its log, for whoever resumes it; may be nil
	Command json.RawMessage
	Began   time.Time // 0 of its own times, for whoever resumes it; zero = that of the run

	// kinds of containers that its maps can run in, best first; nil = a map slot
	Containers []cluster.Container
	Executor   Executor       // nil = attempts run in this process
	Timeout    units.Duration // an attempt that does not get on for so long has failed; 0 = Config.Timeout
}

func (c *Config) withDefaults() Config {
	d := *c
	d.Replicas = cmp.Or(d.Replicas, 1)
	d.MaxFailures = cmp.Or(d.MaxFailures, 4)
	d.Timeout = cmp.Or(d.Timeout, 10*units.Minute)
	d.Grace = cmp.Or(d.Grace, 5*units.Second)
	d.Heartbeat = cmp.Or(d.Heartbeat, Beat)
	return d
}

// began is the instant that 0 of the clock stands for, zero if nobody knows. It has no monotonic
// part, as it outlasts the process.
func (c *Config) began() time.Time {
	if c.Origin == nil {
		return time.Time{}
	}
	return c.Origin().Round(0)
}

// MinMemory is the least that Config.Memory may be.
const MinMemory = 32 * units.MB

// besides is what the process takes whatever its attempts do, and what an attempt takes besides its
// buffer.
const (
	besides     = 24 * units.MB
	besidesEach = 2 * units.MB
)

// buffer is the memory of an attempt. Maps get three parts of four: they sort, while reduces merge
// what is sorted already. Where slots are added, attempts that run keep what they have, so that the
// bound holds again when they have ended.
func (w *World) buffer(reduce bool) int {
	c := &w.cfg
	if c.Buffer > 0 || c.Memory == 0 {
		return int(c.Buffer)
	}
	slots, reduces := w.slots()
	part := units.Bytes(3)
	if reduce {
		slots, part = reduces, 1
	}
	share := (c.Memory - besides) / 4 * part / units.Bytes(max(slots, 1))
	return int(max(share-besidesEach, units.MB))
}

// validate reports the first thing that cannot be, as one sentence.
func (c *Config) validate() error {
	if c.Cluster == nil || c.Clock == nil {
		return fmt.Errorf("engine: a cluster and a clock are needed")
	}
	if err := c.Cluster.Validate(); err != nil {
		return err
	}
	switch {
	case c.Block < 0:
		return fmt.Errorf("engine: block size %v is negative", c.Block)
	case c.Replicas < 1 || c.Replicas > len(c.Cluster.Own()):
		return fmt.Errorf("engine: %d replicas do not fit on %d nodes", c.Replicas, len(c.Cluster.Own()))
	case c.Memory != 0 && c.Memory < MinMemory:
		return fmt.Errorf("engine: memory of %v is below %v", c.Memory, units.Bytes(MinMemory))
	case c.MaxFailures > math.MaxUint8:
		return fmt.Errorf("engine: %d failures of a task, it must be 1 to %d", c.MaxFailures, math.MaxUint8)
	case c.Buffer < 0 || c.MaxFailures < 0 || c.Timeout < 0 || c.Grace < 0 || c.Heartbeat < 0:
		return fmt.Errorf("engine: buffer, failures, time-out, grace and heartbeat must not be negative")
	}
	before := units.Time(-1)
	for _, step := range c.Steps {
		if step.At <= before || len(step.Slots) != len(c.Cluster.Own()) {
			return fmt.Errorf("engine: the step at %v is not after that at %v, or not of %d nodes", step.At, before, len(c.Cluster.Own()))
		}
		for _, slots := range step.Slots {
			if d, bad := slots.Negative(); bad {
				return fmt.Errorf("engine: at %v a node cannot offer %d %v", step.At, slots[d], d)
			}
		}
		before = step.At
	}
	return nil
}

// block is the largest split of a job with so many bytes of input.
func (c *Config) block(total units.Bytes) units.Bytes {
	return cmp.Or(c.Block, input.Block(total, int(c.Cluster.Capacity()[units.MapSlots])))
}

// read finds the input of a job and cuts it by a block, or if that is 0 as the run does; unless whoever brings
// the job has done either.
func (c *Config) read(j *Job, block units.Bytes) ([]outdir.InputFile, []input.Split, error) {
	files, splits := j.Files, j.Splits
	if splits == nil || block > 0 {
		sources := j.Sources
		if sources == nil {
			sources = []input.Source{{Paths: j.Input}}
		}
		var odd []input.Odd
		var err error
		if files == nil {
			files, err = input.FindAll(sources)
		}
		if err == nil {
			splits, odd, err = input.Plan(files, int64(cmp.Or(block, c.block(input.Total(files)))), j.Program, sources)
		}
		if i := slices.IndexFunc(odd, func(o input.Odd) bool { return o.What == input.NoText }); i >= 0 && c.Warn != nil {
			c.Warn(j.Spec.ID, fmt.Sprintf("%s %s: %s", odd[i].What, odd[i].Path, odd[i].Why))
		}
		if err != nil {
			return nil, nil, fmt.Errorf("job %q: %w", j.Spec.ID, err)
		}
	}
	found := make([]outdir.InputFile, len(files))
	for i, f := range files {
		found[i] = outdir.InputFile{Path: input.Path(f.Path), Size: f.Size, Wrote: time.Unix(0, f.Wrote).UTC(), Node: f.Node, Changed: f.Changed}
	}
	return found, splits, nil
}

// stages returns the stages of a job with these splits and so many reduces.
func (c *Config) stages(j *Job, splits []input.Split, reduces int) []workload.StageSpec {
	maps := workload.StageSpec{Kind: workload.Map, Containers: j.Containers}
	if j.MinMaps > 0 {
		maps.MinTasks, maps.MaxTasks = min(j.MinMaps, len(splits)), max(j.MaxMaps, len(splits))
	}
	for i := range splits {
		maps.Tasks = append(maps.Tasks, workload.Task{Input: units.Bytes(splits[i].Size)})
		maps.Hosts.Set(i, c.hosts(&splits[i])...)
	}
	if reduces == 0 {
		return []workload.StageSpec{maps}
	}
	last := workload.StageSpec{Kind: workload.Reduce, Tasks: make([]workload.Task, reduces)}
	if j.MaxReduces > 0 {
		last.MinTasks, last.MaxTasks = 1, max(j.MaxReduces, j.Reduces)
	}
	return []workload.StageSpec{maps, last}
}

func (c *Config) hosts(s *input.Split) []cluster.NodeID {
	return Hosts(s, len(c.Cluster.Own()), c.Replicas, c.Seed)
}

// Hosts draws the workers that hold a split, of so many. The draw is keyed by what the split begins
// with, so that it lies on the same workers for every job, and in a simulation of them.
func Hosts(s *input.Split, workers, replicas int, seed uint64) []cluster.NodeID {
	if len(s.Pieces) == 0 {
		return nil
	}
	key := draw.Of(seed, "block").Job(filepath.ToSlash(s.Pieces[0].Path)).Number(uint64(s.Pieces[0].Start))
	nodes := make([]cluster.NodeID, workers)
	for i := range nodes {
		nodes[i] = cluster.NodeID(i + 1)
	}
	key.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
	return slices.Clone(nodes[:replicas])
}
