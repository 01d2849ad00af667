// Package runs runs jobs on this machine, and keeps what they did and taught: job files, checked
// and equipped; the engine as their world; the store; predictions of what a run will take, and how
// far those were off.
//
//	local.go     job files for this machine, run by the engine or played in the simulator from what earlier runs taught
//	equip        what the engine runs of a job file: program, input, facts
//	earlier.go   what an interrupted run of the jobs has left: on disk, and in the store
//	keeper.go    the sink that keeps a run in the store, and completes its report
//	door.go      what other processes ask of a run: jobs to run, and jobs to cancel; taken.go finds what those have in common
//	memory.go    what runs leave behind in a folder
//	machine.go   this machine as a cluster of workers
//	meter.go     processor time, memory and energy of a run; usage_*.go and physical_*.go ask the system
//	foresee.go   when jobs will be done, for all who ask (ask.go, run, validate.go); cold.go which runs teach that
//	sample.go    a part of each job, run to say how long the whole of it takes
//	validate.go  such predictions held against what came
//	demo.go      three jobs over real text, with deadlines that follow from rehearsals
package runs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/runs/equip"
	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/internal/worlds/engine/process"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Local is a set of job files for this machine: to be run by the engine, or to be played in the
// simulator.
type Local struct {
	Machine Machine
	Files   []*scenario.Job
	there   []*scenario.Job  // of the run that these are to join
	reading map[string]int64 // how many bytes those read, by name
	jobs    []*equip.Job     // by file
	samples []Sample         // likewise, where they were sampled
	asked   report.Requests  // of clouds, by the last foresight
	plans   []*profile.Class // what the policy that was planned for plans its worst cases by
	planned string
	discard []string  // output directories: see CheckFresh
	replace []string  // likewise: see CheckOverwrite
	now     time.Time // when they are, or were, submitted

	// Warnings are of commands that will hardly find their files.
	Warnings []string

	// the jobs run more than once, into folders of their own: what has finished is known until
	// Forget
	Several bool
	Open    bool                    // the run takes more jobs until its door is shut
	doors   map[string]*engine.Door // of the runs, by the folder that they write
	Some    bool                    // of the jobs of the files: others may go on from them
	Fresh   bool                    // what interrupted runs left is thrown away: see CheckFresh
	Since   time.Time               // when the run began that this one resumes, if none of its jobs had begun
	Command Command                 // of the run, for whoever resumes it
	Memory  *Memory                 // of earlier runs; may be nil
	Known   []*profile.Class        // what it tells of the jobs' classes; nil: whoever needs that asks it
	Resumed func(engine.Resumption) // is told of resumed jobs; may be nil
	Warn    func(job, text string)  // is told at once, from any goroutine, what applications warn of; may be nil
}

// Command is the command line that a job came from. It is in the job's log, and in the store for as
// long as there is no log, so that what is left of a run can be resumed.
type Command struct {
	Dir   string    `json:"dir"`
	Args  []string  `json:"args"`           // of run
	Began time.Time `json:"began,omitzero"` // 0 of the clock: in the store, and in logs of earlier builds
}

// Same tells whether it is the same command line: jobs that have it were submitted together.
func (c Command) Same(o Command) bool { return c.Dir == o.Dir && slices.Equal(c.Args, o.Args) }

// NewLocal checks job files against this machine, and beside those that are there already:
// applications, parameters and input. Errors name the place in the file.
func NewLocal(files []*scenario.Job, m Machine, now time.Time, there ...*scenario.Job) (l *Local, err error) {
	l = &Local{Machine: m, Files: files, there: there, now: now}
	l.jobs, err = equip.Jobs(files, equip.Options{Block: m.Block, Maps: m.Nodes * m.MapSlots, Now: now, There: there, Warn: func(text string) {
		if !slices.Contains(l.Warnings, text) {
			l.Warnings = append(l.Warnings, text)
		}
	}})
	for _, f := range files {
		if text := f.Overdue(now); text != "" && err == nil && !outdir.HasFinished(f.Output) {
			l.Warnings = append(l.Warnings, "warning: "+text)
		}
	}
	return l, err
}

// Notes tell what of the input is read in a way that takes long.
func (l *Local) Notes() []string { return equip.Notes(l.jobs) }

// Clocks say which instants the times of day are that stand for deadlines.
func (l *Local) Clocks() (list []string) {
	for _, f := range l.Files {
		list = append(list, f.Clocks(l.now)...)
	}
	return list
}

// Isolation says in one line what holds the processes of jobs together, and what bounds them; empty
// if no job has any.
func (l *Local) Isolation() string {
	if slices.ContainsFunc(l.jobs, func(j *equip.Job) bool { return j.Executor != nil }) {
		return process.How()
	}
	return ""
}

// Name is the name of the set, for the report: those of the jobs that it begins with.
func (l *Local) Name() string {
	if len(l.Files) == 0 {
		return "open"
	}
	return strings.Join(l.JobNames(), "+")
}

// JobNames are the names of the jobs, in the order of the files.
func (l *Local) JobNames() []string {
	return each.Of(l.Files, func(f *scenario.Job) string { return f.Name })
}

// tellProgress is how often a run on this machine tells how far its attempts are.
const tellProgress = 250 * units.Millisecond

// outputs are the output directories of the jobs, one folder after the other: these folders of
// those that the files name.
func (l *Local) outputs(under ...string) []string { return outputs(l.Files, under) }

func outputs(files []*scenario.Job, under []string) (dirs []string) {
	for _, u := range under {
		for _, f := range files {
			dirs = append(dirs, filepath.Join(f.Output, u))
		}
	}
	return dirs
}

// output is that of a job as it is from anywhere.
func (l *Local) output(file int, under string) string {
	return absolute(filepath.Join(l.Files[file].Output, under))
}

// file is the index of a job by its name, -1 if it is none of these.
func (l *Local) file(name string) int {
	return slices.IndexFunc(l.Files, func(f *scenario.Job) bool { return f.Name == name })
}

// Real returns the run on this machine. Where several policies run the same jobs, each gets a
// folder within the output: under.
func (l *Local) Real(policy string, seed uint64, under string, known []*profile.Class) (lab.Cell, error) {
	if i, err := l.free(under); err != nil {
		what := "name another directory"
		if _, busy := errors.AsType[*outdir.BusyError](err); busy {
			what = "wait for it, or " + what
		} else if errors.Is(err, outdir.ErrExists) {
			what = "remove it, or " + what + ", or replace it with --overwrite"
			if dirs := l.outputs(under); len(dirs) > 1 && outdir.AllSucceeded(dirs) {
				what += fmt.Sprintf("; all %d jobs have finished, so nothing is left to run", len(dirs))
			}
		}
		return lab.Cell{}, l.Files[i].Errorf("output", "%v; %s", err, what)
	}
	if err := l.apart(under); err != nil {
		return lab.Cell{}, err
	}
	cfg, goesOn := l.config(policy, seed, under, known), time.Time{}
	if !l.Fresh {
		if goesOn = Began(l.Files, under); goesOn.IsZero() && !l.Several {
			goesOn = l.Since
		}
	}
	door := engine.NewDoor()
	if !l.Open {
		door.Shut()
	}
	if l.doors == nil {
		l.doors = make(map[string]*engine.Door)
	}
	cfg.Source, l.doors[under] = door, door
	cfg.Origin = sync.OnceValue(func() time.Time {
		if goesOn.IsZero() {
			return time.Now()
		}
		return goesOn
	})
	cfg.GoesOn = !goesOn.IsZero()
	l.expect(cfg.Jobs, known)
	text, err := json.Marshal(l.Command)
	if err != nil {
		return lab.Cell{}, err
	}
	for i := range cfg.Jobs {
		j := &cfg.Jobs[i]
		if j.Command = text; cfg.GoesOn {
			j.Spec.Deadline, j.Spec.Soft, j.Spec.Overdue = l.Files[i].Due(goesOn)
			if j.Spec.Promised, err = l.promised(i, under, goesOn); err != nil {
				return lab.Cell{}, err
			}
		}
	}
	return lab.Cell{Scenario: l.Name(), Policy: policy, Seed: seed, GoesOn: goesOn, Origin: cfg.Origin, Books: account.New(account.Enough), World: func(context.Context) (drive.World, error) {
		cfg.Resumed, cfg.Warn = l.Resumed, l.Warn // by then whoever runs the cell has said who listens
		return newEngine(cfg)
	}}, nil
}

// expect says of jobs that read what others of the files write what that is expected to be.
func (l *Local) expect(jobs []engine.Job, known []*profile.Class) {
	told, list := Told(known), make([][]input.Split, len(l.Files))
	for i := range jobs {
		if jobs[i].Splits == nil {
			jobs[i].Guess, _ = l.splits(i, told, true, list) // what cannot be said now is seen when it is there
		}
	}
}

// config is what the engine gets.
func (l *Local) config(policy string, seed uint64, under string, known []*profile.Class) engine.Config {
	jobs := make([]engine.Job, len(l.jobs))
	for i, dir := range l.outputs(under) {
		jobs[i] = l.jobs[i].Job
		jobs[i].Output, jobs[i].Replace = dir, slices.Contains(l.replace, dir)
		if under != "" {
			l.chain(&jobs[i], l.Files[i], func(before *scenario.Job) string { return filepath.Join(before.Output, under) })
		}
	}
	return engine.Config{Cluster: l.Machine.Cluster(known...), Clouds: l.Machine.Clouds, Jobs: jobs, Block: l.Machine.Block, Memory: l.Machine.Memory,
		Core: cmp.Or(l.Machine.Power, DefaultPower).Core, Sync: l.Machine.Sync, Seed: seed, Profiles: l.whole(known, policy), Keep: l.Several, Some: l.Some, Fresh: l.Fresh,
		Progress: tellProgress, Steps: l.Machine.Steps}
}

// apart refuses, where each policy writes to a folder of its own, a job that reads more than the output of
// one of those before it: it would read those of other policies too.
func (l *Local) apart(under string) error {
	if under == "" {
		return nil
	}
	for _, f := range l.Files {
		for _, path := range f.Input {
			if before := equip.Writer(l.Files, f, path); before != nil && !input.Within(path, before.Output) {
				return f.Errorf("input", "input %q holds the output of job %q, which is one folder for each policy; run one policy, or name %s", path, before.Name, before.Output)
			}
		}
		for _, path := range f.Files {
			if before := equip.Writer(l.Files, f, path); under != "" && before != nil {
				return f.Errorf("files", "files: %q is output of job %q, which is one folder for each policy; run one policy", path, before.Name)
			}
		}
	}
	return nil
}

// chain lets a job read what the jobs before it write, where that goes to another folder than their files say.
func (l *Local) chain(j *engine.Job, f *scenario.Job, to func(before *scenario.Job) string) {
	moved := func(paths []string) []string {
		paths = slices.Clone(paths)
		for i, path := range paths {
			if before := equip.Writer(l.Files, f, path); before != nil {
				if rest, err := filepath.Rel(files.Resolved(absolute(before.Output)), files.Resolved(absolute(path))); err == nil {
					paths[i] = filepath.Join(to(before), rest)
				}
			}
		}
		return paths
	}
	j.Input, j.Sources = moved(j.Input), slices.Clone(j.Sources)
	for i := range j.Sources {
		j.Sources[i].Paths = moved(j.Sources[i].Paths)
	}
}

// newEngine makes the engine. Its clock counts from its origin; from then on it is a stopwatch, whatever is
// done to the time of day.
func newEngine(cfg engine.Config) (drive.World, error) {
	began := sync.OnceValues(func() (time.Time, units.Duration) {
		origin, now := cfg.Origin(), time.Now()
		return now, units.Duration(max(0, now.Sub(origin)))
	})
	cfg.Clock = func() units.Time {
		now, before := began()
		return units.Time(0).Add(before).Add(units.Duration(time.Since(now)))
	}
	return engine.New(cfg)
}

// Simulated returns the run of the same jobs in the simulator.
func (l *Local) Simulated(policy string, seed uint64, known []*profile.Class) (lab.Cell, error) {
	cfg, err := l.sim(policy, seed, known, false)
	for _, f := range l.Files {
		if err == nil && find(Told(known), f.Class) == nil {
			err = unknown(f) // a simulation is no guess
		}
	}
	return lab.Cell{Scenario: l.Name(), Policy: policy, Seed: seed, World: lab.Simulated(cfg), Config: func(context.Context) (sim.Config, error) { return cfg, nil }, Can: cfg.Can()}, err
}

// sim returns the same jobs for the simulator: tasks from the input as the engine would cut it,
// times from what earlier runs taught. Of a class of which they taught nothing that is an error, unless
// the policy is one that says all the same when such jobs are done.
//
// A map takes its class's start and time per byte for its own bytes. What a reduce reads is
// estimated from the class's ratio of intermediate to input bytes, shared out evenly; where that is
// unknown it takes the class's mean time. Cold runs do not count once there was a warm one. All times are
// corrected by how far earlier predictions of the class were off on average (profile.Class.Bias).
func (l *Local) sim(policy string, seed uint64, known []*profile.Class, says bool) (sim.Config, error) {
	w := &workload.Workload{}
	told, list := Told(known), make([][]input.Split, len(l.Files))
	for i, f := range l.Files {
		class := profile.Near(told, f.Class)
		// Nobody is refused by a guess.
		judges := lab.JudgesDeadlines(policy, lab.NoQueues) && find(told, f.Class) == nil
		if (class == nil || class.Any(workload.Map).Task.N == 0 || judges) && !says {
			return sim.Config{}, unknown(f)
		}
		splits, err := l.splits(i, told, says, list)
		if err != nil {
			return sim.Config{}, err
		}
		job := l.jobs[i].Spec
		job.Stages = stages(splits, f.Reduces, class, l.Machine.Nodes+l.Machine.GPUs, seed)
		job.Stages[0].Containers = l.jobs[i].Containers
		if least, most := l.jobs[i].MinMaps, l.jobs[i].MaxMaps; least > 0 && class != nil {
			maps, bias := class.Any(workload.Map), class.Bias()
			mold(&job.Stages[0], least, most, float64(job.Stages[0].Input()), func(bytes float64) float64 { return bias * maps.Expect(bytes) })
		}
		if most := l.jobs[i].MaxReduces; most > 0 && class != nil && len(job.Stages) > 1 {
			reduces, bias := class.Any(workload.Reduce), class.Bias()
			mold(&job.Stages[1], 1, most, class.Between(float64(job.Stages[0].Input())), func(bytes float64) float64 { return bias * reduces.Expect(bytes) })
		}
		w.Jobs = append(w.Jobs, &job)
	}
	return sim.Config{Cluster: l.Machine.Cluster(known...), Workload: w, Profiles: l.whole(known, policy), Seed: seed}, nil
}

// unknown says that a job's class has to be learned first.
func unknown(f *scenario.Job) error {
	return f.Errorf("app", "nothing is known of jobs of class %q yet; run it once to learn: slackline run %s", f.Class, f.Path())
}

// splits are those of a job's input. What jobs before it are to write is as much, for what these read, as jobs of
// their classes wrote on average. Where nobody knows that it is an error, or, for a guess, as much as they read. The
// list has those that were found before.
func (l *Local) splits(i int, told []*profile.Class, guess bool, list [][]input.Split) ([]input.Split, error) {
	if l.jobs[i].Splits != nil {
		return l.jobs[i].Splits, nil
	}
	if list[i] != nil {
		return list[i], nil
	}
	f, read, counted, writers := l.Files[i], int64(0), make(map[int]bool), slices.Concat(l.Files, l.there)
	for _, path := range f.Input {
		there := true
		for k, before := range writers {
			if equip.Writer([]*scenario.Job{before}, f, path) == nil || outdir.HasFinished(before.Output) {
				continue
			}
			if there = false; counted[k] {
				continue
			}
			its, known := l.reading[before.Name]
			if k >= len(l.Files) && !known {
				return nil, f.Errorf("input", "the input is the output of job %q, and it is not known yet how much that reads; ask again once it has come", before.Name)
			} else if k < len(l.Files) {
				found, err := l.splits(k, told, guess, list)
				if err != nil {
					return nil, err
				}
				its = sizeOf(found, func(s input.Split) int64 { return s.Size })
			}
			ratio := 1.0
			if class := profile.Near(told, before.Class); class != nil && class.Output.N > 0 {
				ratio = class.Output.Mean
			} else if !guess {
				return nil, f.Errorf("input", "the input is the output of job %q, and it is not known yet how much such jobs write; run it once to learn: slackline run %s", before.Name, before.Path())
			}
			counted[k] = true
			read += int64(ratio * float64(its))
		}
		if there {
			found, err := input.Find([]string{path})
			if err != nil {
				return nil, f.Errorf("input", "%v", err)
			}
			read += sizeOf(found, func(f input.File) int64 { return f.Size })
		}
	}
	block := int64(cmp.Or(l.Machine.Block, input.Block(units.Bytes(read), l.Machine.Nodes*l.Machine.MapSlots)))
	list[i] = make([]input.Split, max(1, (read+block-1)/block))
	for k := range list[i] {
		list[i][k].Size = read / int64(len(list[i]))
	}
	return list[i], nil
}

func sizeOf[T any](list []T, size func(T) int64) (sum int64) {
	for _, x := range list {
		sum += size(x)
	}
	return sum
}

func find(known []*profile.Class, name string) *profile.Class {
	if c := profile.Near(known, name); c != nil && c.Name == name {
		return c
	}
	return nil
}

// mold lets a stage be cut into other numbers of tasks, each of which takes what its part of so many bytes does, in
// seconds.
func mold(st *workload.StageSpec, least, most int, read float64, takes func(bytes float64) float64) {
	st.MinTasks, st.MaxTasks = min(least, len(st.Tasks)), max(most, len(st.Tasks))
	for k := st.MinTasks; k <= st.MaxTasks; k++ {
		st.Works = append(st.Works, units.FromSeconds(takes(read/float64(k))))
	}
}

// stages estimates a job's stages from its splits and its class. The splits lie on the workers that
// the engine puts them on. Of a class of which nothing is known it is not known what its tasks take.
func stages(splits []input.Split, reduces int, class *profile.Class, workers int, seed uint64) []workload.StageSpec {
	maps := workload.StageSpec{Kind: workload.Map}
	if class == nil {
		class = profile.New("")
	}
	bias := class.Bias()
	known := class.Any(workload.Map)
	var read units.Bytes
	for i := range splits {
		size := units.Bytes(splits[i].Size)
		read += size
		maps.Tasks = append(maps.Tasks, workload.Task{Input: size, Work: units.FromSeconds(bias * known.Expect(float64(size)))})
		maps.Hosts.Set(i, engine.Hosts(&splits[i], workers, 1, seed)...)
	}
	if reduces == 0 {
		return []workload.StageSpec{maps}
	}
	last := workload.StageSpec{Kind: workload.Reduce, Tasks: make([]workload.Task, reduces)}
	known = class.Any(workload.Reduce)
	share := class.Between(float64(read)) / float64(reduces)
	for i := range last.Tasks {
		last.Tasks[i] = workload.Task{Work: units.FromSeconds(bias * known.Expect(share)), Shuffle: units.FromSeconds(bias * known.Shuffle.Mean)}
	}
	return []workload.StageSpec{maps, last}
}
