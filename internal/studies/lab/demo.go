package lab

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/slackline/slackline/internal/apps"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Demo runs three jobs over text that is there, under several policies.
//
//  1. Each application is measured alone, on a sample of the text.
//  2. What that taught is played in the simulator for the whole text, first come first served and most urgent first.
//  3. A job is promised the middle between the two finishes, where urgency lets it finish earlier, and half as much again as the later
//     one, where it has to give way.
//  4. The jobs run for real under each policy.
//
// So whether a promise can be kept depends on the order alone, if the machine goes on as it was measured. Nothing is adjusted
// afterwards: the verdicts are what happened.
type Demo struct {
	Files   []task.File
	Machine Machine
	Seed    uint64
	Dir     string                           // for output and work files; must exist
	Budget  units.Duration                   // the runs by all policies should take no longer; less text is taken if they would
	Say     func(format string, args ...any) // tells a line of progress

	learned  []*profile.Class
	arrive   [3]units.Time
	promised [3]units.Time
}

// The jobs of the demo in order of submission: the longest first, the most urgent last.
var demoJobs = [3]struct {
	name, app string
	params    map[string]string
}{
	{"sort", "sort", nil},
	{"words", "wordcount", nil},
	{"find", "grep", map[string]string{"pattern": "error"}},
}

// FindText returns the files below a folder that look like text, and their size.
func FindText(dir string) (files []task.File, size units.Bytes, err error) {
	all, err := task.Find([]string{dir})
	if err != nil {
		return nil, 0, err
	}
	for _, f := range all {
		if f.Size > 0 && isText(f.Path) {
			files = append(files, f)
			size += units.Bytes(f.Size)
		}
	}
	return files, size, nil
}

// isText tells whether a file begins without a NUL, as git does.
func isText(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 1024)
	n, err := io.ReadFull(f, head)
	return n > 0 && (err == nil || err == io.ErrUnexpectedEOF) && !bytes.Contains(head[:n], []byte{0})
}

// Take takes files from all over the list, so that their size is at most about so much.
func Take(files []task.File, size units.Bytes) []task.File {
	var total int64
	for _, f := range files {
		total += f.Size
	}
	if total <= int64(size) {
		return files
	}
	var taken []task.File
	var sum, passed int64
	for _, f := range files {
		passed += f.Size
		if float64(sum+f.Size) <= float64(size)*float64(passed)/float64(total) || taken == nil {
			taken = append(taken, f)
			sum += f.Size
		}
	}
	return taken
}

func sizeOf(files []task.File) units.Bytes {
	var sum int64
	for _, f := range files {
		sum += f.Size
	}
	return units.Bytes(sum)
}

// The sample is an eighth of the text, within these bounds.
const (
	leastSample = 1 * units.MB
	mostSample  = 16 * units.MB
)

// Prepare measures on a sample, takes as much of the text as the time allows for runs by so many policies, and fixes the promises.
func (d *Demo) Prepare(ctx context.Context, policies int) error {
	sample := Take(d.Files, min(max(sizeOf(d.Files)/8, leastSample), mostSample))
	d.Machine.Block = d.block(sizeOf(sample))
	var perByte float64 // seconds for all three jobs
	for i, j := range demoJobs {
		jobs, err := d.jobs(sample, filepath.Join(d.Dir, "sample"))
		if err != nil {
			return err
		}
		learner := report.NewLearner()
		r, err := Run(ctx, d.cell(DefaultPolicy, jobs[i:i+1], learner))
		if err != nil {
			return err
		}
		if r.Summary.Finished() != 1 {
			return fmt.Errorf("measuring %s on a sample failed: %s", j.app, r.Jobs[0].Reason)
		}
		took := r.Summary.Makespan
		d.Say("measured %-9s on %v of it: %.1f MB/s", j.app, sizeOf(sample), float64(sizeOf(sample))/float64(units.MB)/took)
		d.learned = append(d.learned, learner.Profiles()...)
		perByte += took / float64(sizeOf(sample))
	}
	if err := os.RemoveAll(filepath.Join(d.Dir, "sample")); err != nil {
		return err
	}
	most := units.Bytes(d.Budget.Seconds() / float64(policies) / perByte)
	all := len(d.Files)
	if d.Files = Take(d.Files, most); len(d.Files) < all {
		d.Say("taking %v in %d files of it, so that it is over in time", sizeOf(d.Files), len(d.Files))
	}
	d.Machine.Block = d.block(sizeOf(d.Files))
	return d.promise(ctx)
}

// block cuts the text into eight rounds of maps.
func (d *Demo) block(size units.Bytes) units.Bytes {
	return min(max(size/units.Bytes(8*d.Machine.Nodes*d.Machine.MapSlots), 64*units.KB), 32*units.MB)
}

// jobs makes the jobs over these files.
func (d *Demo) jobs(files []task.File, out string) ([]engine.Job, error) {
	var input []string
	for _, f := range files {
		input = append(input, f.Path)
	}
	var jobs []engine.Job
	for i, j := range demoJobs {
		program, err := apps.New(j.app, j.params)
		if err != nil {
			return nil, err
		}
		spec := workload.Job{ID: j.name, Class: j.app, Weight: 1, SlowStart: 1, Soft: units.Never, Deadline: units.Never}
		if d.promised[i] > 0 {
			spec.Arrive, spec.Deadline = d.arrive[i], d.promised[i]
		}
		jobs = append(jobs, engine.Job{Spec: spec, Program: program, Input: input, Output: filepath.Join(out, j.name),
			Reduces: d.Machine.Nodes * d.Machine.ReduceSlots})
	}
	return jobs, nil
}

// cell is a run of the jobs on this machine.
func (d *Demo) cell(policy string, jobs []engine.Job, sinks ...drive.Sink) Cell {
	cfg := engine.Config{Cluster: d.Machine.Cluster(), Jobs: jobs, Block: d.Machine.Block, Seed: d.Seed, Dir: d.Dir, Profiles: d.learned}
	return Cell{Scenario: "demo", Policy: policy, Seed: d.Seed, Sinks: sinks, World: engineWorld(cfg)}
}

// Cells are the runs, each with output in a folder of its policy's name.
func (d *Demo) Cells(policies []string, folder func(policy string) string) ([]Cell, error) {
	var cells []Cell
	for _, p := range policies {
		jobs, err := d.jobs(d.Files, filepath.Join(d.Dir, folder(p)))
		if err != nil {
			return nil, err
		}
		cells = append(cells, d.cell(p, jobs))
	}
	return cells, nil
}

// promise plays what was learned, and derives arrivals and deadlines: the second and third job come when a tenth and two tenths
// of the time that all need have passed.
func (d *Demo) promise(ctx context.Context) error {
	splits := task.Cut(d.Files, int64(d.Machine.Block))
	play := func(policy string) (*report.Run, error) {
		w := &workload.Workload{}
		for i, j := range demoJobs {
			w.Jobs = append(w.Jobs, &workload.Job{ID: j.name, Class: j.app, Weight: 1, SlowStart: 1, Soft: units.Never, Arrive: d.arrive[i],
				Deadline: units.Never - units.Time(1+i), // no promise yet, only who is more urgent
				Stages:   stages(splits, d.Machine.Nodes*d.Machine.ReduceSlots, find(d.learned, j.app), d.Machine.Nodes, d.Seed)})
		}
		cfg := sim.Config{Cluster: d.Machine.Cluster(), Workload: w, Seed: d.Seed}
		return Run(ctx, Cell{Scenario: "demo", Policy: policy, Seed: d.Seed, World: simWorld(cfg)})
	}
	all, err := play("fifo")
	if err != nil {
		return err
	}
	for i := range d.arrive {
		d.arrive[i] = units.Time(units.FromSeconds(all.Summary.Makespan * 0.1 * float64(i)))
	}
	first, err := play("fifo")
	if err != nil {
		return err
	}
	urgent, err := play(DefaultPolicy)
	if err != nil {
		return err
	}
	for i := range d.promised {
		f, u := *first.Jobs[i].Finished, *urgent.Jobs[i].Finished
		due := (f + u) / 2
		if u >= f {
			due = 1.5 * u
		}
		d.promised[i] = units.Time(units.FromSeconds(due))
		d.Say("%-6s comes at %4.1f s and is promised for %4.1f s (the simulator finishes it at %4.1f s by arrival, at %4.1f s by urgency)",
			demoJobs[i].name, d.arrive[i].Seconds(), due, f, u)
	}
	return nil
}
