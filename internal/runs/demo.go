package runs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
)

// Demo runs three jobs over text that is there, under several policies.
//
//  1. Each application runs alone on a sample of the text, twice. The second time says how much of
//     the text there is time for.
//  2. The jobs are rehearsed as they will run, over all of that text, first come first served and
//     without deadlines, until two runs in a row take about the same time. So files lie in memory,
//     the process is warm, and what is learned is what the jobs cost beside each other. The runs
//     before these two teach nothing.
//  3. What was learned is played in the simulator under both policies. A job that is done much
//     earlier where it is more urgent gets a deadline half way between its two finishes, by ratio:
//     it can be met by the one order and not by the other, with as much to spare on either side.
//     Any other gets half as much again as the later of its two finishes, which both orders should
//     meet.
//  4. The jobs run for real under each policy.
//
// So whether a deadline is met depends on the order alone, if the machine goes on as it was
// measured. Nothing is adjusted afterwards: the verdicts are what happened.
type Demo struct {
	Files   []input.File
	Machine Machine
	Seed    uint64
	Dir     string // for output and work files; must exist
	// the runs by all policies should take no longer; less text is taken if they would
	Budget units.Duration
	Say    func(format string, args ...any) // tells a line of progress

	learned []*profile.Class
	arrive  [3]units.Time
	due     [3]units.Time // 0: no deadline yet
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

// FindText returns the files below a folder that look like text.
func FindText(dir string) ([]input.File, error) {
	all, err := input.Find([]string{dir})
	return slices.DeleteFunc(all, func(f input.File) bool { return f.Size == 0 || !isText(f.Path) }), err
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
func Take(files []input.File, size units.Bytes) []input.File {
	total := input.Total(files)
	if total <= size {
		return files
	}
	var taken []input.File
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

// The sample is an eighth of the text, within these bounds.
const (
	leastSample = 1 * units.MB
	mostSample  = 16 * units.MB
)

// Bounds on rehearsals.
const (
	mostRehearsals = 5
	alike          = 1.15 // two runs take about the same time if neither takes more than so many times the other
)

// Prepare measures on a sample, takes as much of the text as the time allows for runs by so many
// policies, rehearses, and sets the deadlines.
func (d *Demo) Prepare(ctx context.Context, policies int) error {
	sample := Take(d.Files, min(max(input.Total(d.Files)/8, leastSample), mostSample))
	d.Machine.Block = d.block(input.Total(sample))
	var perByte float64 // seconds for all three jobs
	for i, j := range demoJobs {
		var took float64
		for range 2 {
			r, _, err := d.rehearse(ctx, sample, i, i+1)
			if err != nil {
				return err
			}
			took = r.Summary.Makespan
		}
		d.Say("measured %-9s on %v of it: %.1f MB/s", j.app, input.Total(sample), float64(input.Total(sample))/float64(units.MB)/took)
		perByte += took / float64(input.Total(sample))
	}
	most := units.Bytes(d.Budget.Seconds() / float64(policies) / perByte)
	all := len(d.Files)
	if d.Files = Take(d.Files, most); len(d.Files) < all {
		d.Say("taking %v in %d files of it, to keep the demo short", input.Total(d.Files), len(d.Files))
	}
	d.Machine.Block = d.block(input.Total(d.Files))
	return d.settle(ctx)
}

// rehearse runs some of the jobs over these files, first come first served, and returns what that
// taught.
func (d *Demo) rehearse(ctx context.Context, files []input.File, from, to int) (*report.Run, []*profile.Class, error) {
	out := filepath.Join(d.Dir, "rehearsal")
	cell, err := d.cell("fifo", files, out, from, to)
	if err != nil {
		return nil, nil, err
	}
	learner := report.NewLearner()
	cell.Sinks = []follow.Sink{learner}
	r, err := lab.Run(ctx, cell)
	if err != nil {
		return nil, nil, err
	}
	for i := range r.Jobs {
		if j := &r.Jobs[i]; j.Finished == nil {
			return nil, nil, fmt.Errorf("measuring %s failed: %s", j.Class, j.Reason)
		}
	}
	return r, learner.Profiles(), os.RemoveAll(out)
}

// settle rehearses the jobs until the machine is warm, learns from the last two runs, and sets the
// deadlines.
func (d *Demo) settle(ctx context.Context) error {
	var before float64
	var taught []*profile.Class
	for n := 1; ; n++ {
		r, learned, err := d.rehearse(ctx, d.Files, 0, len(demoJobs))
		if err != nil {
			return err
		}
		took := r.Summary.Makespan
		d.Say("rehearsal %d, first come first served: done after %s", n, units.Span(took))
		for i := range d.arrive {
			d.arrive[i] = units.Time(units.FromSeconds(took * apart * float64(i)))
		}
		steady := max(took, before) <= alike*min(took, before)
		if steady || n == mostRehearsals {
			if d.learned = merge(taught, learned); !steady {
				d.Say("this machine is busy: equal runs take different times, so deadlines may be met or missed by chance")
			}
			return d.deadlines(ctx)
		}
		before, taught = took, learned
	}
}

// block cuts the text into eight rounds of maps.
func (d *Demo) block(size units.Bytes) units.Bytes {
	return min(max(size/units.Bytes(8*d.Machine.Nodes*d.Machine.MapSlots), 64*units.KB), 32*units.MB)
}

// local are some of the jobs over these files, with output in a folder.
func (d *Demo) local(files []input.File, out string, from, to int) (*Local, error) {
	jobs, err := DefaultBatch(each.Of(files, func(f input.File) string { return f.Path }), 0)
	if err != nil {
		return nil, err
	}
	for _, j := range jobs {
		j.Output, j.Reduces = filepath.Join(out, j.Name), d.Machine.Nodes*d.Machine.ReduceSlots
	}
	l, err := NewLocal(jobs[from:to], d.Machine, time.Now())
	if err != nil {
		return nil, err
	}
	for i, j := range l.jobs {
		j.Spec.Arrive = d.arrive[from+i]
		if due := d.due[from+i]; due > 0 {
			j.Spec.Deadline = due
		}
	}
	return l, nil
}

// cell is a run of some of the jobs on this machine.
func (d *Demo) cell(policy string, files []input.File, out string, from, to int) (c lab.Cell, err error) {
	l, err := d.local(files, out, from, to)
	if err == nil {
		c, err = l.Real(policy, d.Seed, "", d.learned)
	}
	c.Scenario = "demo"
	return c, err
}

// Cells are the runs, each with output in a folder of its policy's name.
func (d *Demo) Cells(policies []string, folder func(policy string) string) (cells []lab.Cell, err error) {
	for _, p := range policies {
		c, err := d.cell(p, d.Files, filepath.Join(d.Dir, folder(p)), 0, len(demoJobs))
		if err != nil {
			return nil, err
		}
		cells = append(cells, c)
	}
	return cells, nil
}

// Urgent is the order by deadlines that the demo sets beside first come, first served.
const Urgent = "edf-p"

// Where deadlines lie.
const (
	// the second and third job come when so many parts of the time that all need, and twice as
	// many, have passed
	apart  = 0.05
	tells  = 1.3 // the least margin on either side of a deadline that only one order is to meet
	spared = 1.5 // of one that both are to meet
)

// deadlines plays what was learned under both orders, and sets deadlines by when each finishes a
// job.
func (d *Demo) deadlines(ctx context.Context) error {
	play := func(policy string) (finished [len(demoJobs)]float64, err error) {
		l, err := d.local(d.Files, d.Dir, 0, len(demoJobs))
		if err != nil {
			return finished, err
		}
		for i, j := range l.jobs {
			if d.due[i] == 0 {
				j.Spec.Deadline = units.Never - units.Time(1+i) // none yet, only who is more urgent
			}
		}
		all, err := l.Foresee(ctx, policy, d.Seed, d.learned)
		if err != nil {
			return finished, err
		}
		for i := range finished {
			finished[i] = all[i].Ended.Seconds()
		}
		return finished, nil
	}
	first, err := play("fifo")
	if err != nil {
		return err
	}
	urgent, err := play(Urgent)
	if err != nil {
		return err
	}
	for i, due := range dueBetween(first, urgent) {
		d.due[i] = units.Time(units.FromSeconds(due))
	}
	if urgent, err = play(Urgent); err != nil { // by the deadlines as they are now
		return err
	}
	differ := false
	for i, j := range demoJobs {
		due := d.due[i].Seconds()
		d.Say("%-6s arrives at %s and is due at %s (simulated: done at %s by arrival, at %s by urgency)", j.name,
			units.Span(d.arrive[i].Seconds()), units.Span(due), units.Span(first[i]), units.Span(urgent[i]))
		differ = differ || first[i] > due && urgent[i] <= due
	}
	if !differ {
		d.Say("in the simulator both orders meet the same deadlines, so the runs will probably not differ")
	}
	return nil
}

// dueBetween sets a deadline for each job by when it is done by arrival and by urgency.
func dueBetween(first, urgent [len(demoJobs)]float64) (due [len(demoJobs)]float64) {
	for i := range due {
		if due[i] = math.Sqrt(first[i] * urgent[i]); due[i] < tells*urgent[i] {
			due[i] = spared * max(first[i], urgent[i])
		}
	}
	return due
}
