package streaming

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/worlds/engine/process"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/mapreduce"
)

// Job is a job of commands. Each is its words: the program and its arguments.
type Job struct {
	ID      string // 1400000000000_0001
	Name    string
	User    string
	Map     []string
	MapGPU  []string            // in a container of kind gpu; empty = as elsewhere
	MapOf   map[string][]string // those of inputs that have their own, by the inputs' names
	Combine []string            // empty = none
	Reduce  []string            // empty = what combines; without that too, records pass as they are
	Files   []File

	KeyFields       int // how many fields of a line of map output are the key; 0 = 1
	PartitionFields int // how many fields of the key choose the reduce; 0 = all

	OneCommand bool // a mapper command goes on from one small file of a task to the next

	Conf   map[string]string // by Hadoop's names, which the environment bears with underscores
	Env    map[string]string // as it is
	Limits process.Limits    // of each command

	Input   []string // for the environment only, as what follows
	Output  string
	Maps    int // 0 = not known
	Reduces int

	AtOnce int // maps that may run at once; 0 = not known
}

// combines tells whether maps combine. A combiner takes as much time on the cores of the maps as it
// saves the reduces, so it pays where many maps at once work for few reduces.
func (j *Job) combines() bool {
	return len(j.Combine) > 0 && (j.AtOnce == 0 || 2*j.Reduces < j.AtOnce)
}

// ignoreExitKey is Hadoop's key for commands whose exit code says nothing.
const ignoreExitKey = "stream.non.zero.exit.is.failure"

// Executor runs the attempts of a job of commands.
type Executor struct {
	job        Job
	ignoreExit bool
}

// New returns the executor of the job.
func New(j Job) *Executor {
	// how far maps have combined depends on the size of blocks and buffers, and no result may
	if len(j.Reduce) == 0 && j.Reduces > 0 {
		j.Reduce = j.Combine
	}
	return &Executor{job: j, ignoreExit: strings.EqualFold(j.Conf[ignoreExitKey], "false")}
}

// Close has nothing to end: commands end with their attempts.
func (x *Executor) Close() {}

// attempt is an attempt with its commands.
type attempt struct {
	x        *Executor
	dir      string // in which they run
	conf     conf
	said     *task.Said
	gpu      bool
	longest  int // line of a command's output
	commands []*command
}

func (x *Executor) begin(c *task.Config, isMap bool, reduces int) (*attempt, error) {
	dir, err := filepath.Abs(c.Local + "-work")
	if err != nil {
		return nil, err
	}
	a := &attempt{x: x, dir: dir, conf: x.attemptConf(c, isMap, reduces), said: c.Said, gpu: c.Container == "gpu" && len(x.job.MapGPU) > 0, longest: min(c.LongestLine(), longestLine)}
	if err := fault.MakeDirs(dir); err != nil {
		return nil, err
	}
	for _, f := range x.job.Files {
		if err := f.link(dir); err != nil {
			return nil, errors.Join(fmt.Errorf("side file %s: %w", f.Path, err), fault.DeleteAll(dir))
		}
	}
	return a, nil
}

// plain is the error of an attempt without the place in the engine's own code at which it came up:
// commands read ahead, so it says nothing.
func plain(err error) error {
	var user *task.UserError
	switch {
	case !errors.As(err, &user) || user.Err == nil:
		return err
	case user.App != "":
		return user.Err
	}
	user.Spot = nil // of a record that cannot be read: commands cannot do without one
	return err
}

// end ends all that is left of the attempt.
func (a *attempt) end(err error) error {
	for _, c := range a.commands {
		if e := c.end(); err == nil && e != nil {
			err = fmt.Errorf("%s: %w", c.what, e)
		}
	}
	if e := fault.DeleteAll(a.dir); err == nil {
		err = e
	}
	return err
}

// Map runs a map attempt.
func (x *Executor) Map(ctx context.Context, c task.MapConfig) (out *task.Output, stats task.Stats, err error) {
	a, err := x.begin(&c.Config, true, c.Parts)
	if err != nil {
		return nil, stats, err
	}
	program := x.program(a)
	program.NewMapper = func(user *mapreduce.Context) (mapreduce.Mapper, error) {
		m := &mapper{a: a, user: user}
		if x.job.combines() && c.Parts > 0 {
			m.combine = &combiner{a: a, user: user, limit: combineBuffer(c.Buffer)}
		}
		return m, nil
	}
	c.Program = program
	out, stats, err = task.Map(ctx, c)
	e := a.end(err)
	if err == nil && e == nil && c.Parts == 0 {
		e = sideEffects(c.Out, &stats)
	}
	if err == nil && e != nil {
		return nil, task.Stats{}, errors.Join(e, fault.DeleteAll(c.Local), fault.DeleteAll(c.Out))
	}
	return out, stats, plain(err)
}

// combineBuffer is half of the memory for sorting, which a combiner leaves little to do, and no
// more than is of use to it.
func combineBuffer(bytes int) int {
	if bytes <= 0 {
		return 16 << 20
	}
	return min(bytes/2, 32<<20)
}

// Reduce runs a reduce attempt.
func (x *Executor) Reduce(ctx context.Context, c task.ReduceConfig) (stats task.Stats, err error) {
	a, err := x.begin(&c.Config, false, c.Parts)
	if err != nil {
		return stats, err
	}
	program := x.program(a)
	if len(x.job.Reduce) > 0 {
		program.NewReducer = func(user *mapreduce.Context) (mapreduce.Reducer, error) {
			cmd, err := a.start(user, "reduce", x.job.Reduce, nil)
			return &reducer{a: a, cmd: cmd}, err
		}
	}
	c.Program = program
	stats, err = task.Reduce(ctx, c)
	e := a.end(err)
	if err == nil && e == nil {
		e = sideEffects(c.Out, &stats)
	}
	if err == nil && e != nil {
		return task.Stats{}, errors.Join(e, fault.DeleteAll(c.Out))
	}
	return stats, plain(err)
}

// sideEffects looks for what commands wrote to mapreduce_task_output_dir besides. As in Hadoop it
// becomes a part of the job's output, under its own name, when the task is committed.
func sideEffects(dir string, stats *task.Stats) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	own := stats.Parts
	for _, f := range files {
		name := f.Name()
		switch {
		case slices.ContainsFunc(own, func(p task.Part) bool { return p.Name == name }):
		case strings.HasPrefix(name, "part-") || strings.HasPrefix(name, "_") || strings.HasPrefix(name, "."):
			return fmt.Errorf("a command made %q in mapreduce_task_output_dir, a name reserved for the engine", name)
		case !f.Type().IsRegular():
			return fmt.Errorf("a command made %q in mapreduce_task_output_dir, which is not a plain file", name)
		default:
			stats.Parts = append(stats.Parts, task.Part{Name: name, Size: task.Unread})
		}
	}
	return nil
}

func (x *Executor) program(a *attempt) *mapreduce.Program {
	p := &mapreduce.Program{Name: x.job.Name}
	if n := x.job.PartitionFields; n > 0 {
		p.Partition = func(key []byte, parts int) int {
			first, _ := split(key, n)
			return int(xxhash.Sum64(first) % uint64(parts))
		}
	}
	return p
}
