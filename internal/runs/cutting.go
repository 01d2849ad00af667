package runs

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Asked is an application that is to be submitted, with what no cluster is told of it: how it hangs together with
// others that come later, each of them behind those that it waits for.
type Asked struct {
	Application *wire.Application `json:"application"`
	Block       int64             `json:"block"` // of the cluster's file system, in bytes
	After       []string          `json:"after"` // it waits for them
	Reads       []string          `json:"reads"` // it reads what they write, which is not there yet
	Workflow    string            `json:"workflow"`
	Due         time.Time         `json:"due"`   // of the workflow; zero: none
	Least       int               `json:"least"` // maps that it may be cut into; 0: as it is
	Most        int               `json:"most"`
	Reduces     int               `json:"reduces"` // that it may be cut into at most; 0: as it is
	Files       []Stored          `json:"-"`       // that are there
}

// Cutting is how a job of a workflow is to be submitted.
type Cutting struct {
	Maps    int       `json:"maps"`
	Reduces int       `json:"reduces"`
	Due     time.Time `json:"due"` // the tag vdl:
	Why     []string  `json:"why"` // it is cut so

	split, goal int64 // bytes of a map; how many are asked for, which bounds them too
}

// Split finds the size of splits with which files make so many maps, or as many as come nearest to that and are no
// more.
func (c *Cutting) Split(files []Stored) {
	total := sizeOf(files, func(f Stored) int64 { return f.Size })
	least := max(1, (total+int64(c.Maps)-1)/int64(max(1, c.Maps)))
	c.split = least + int64(sort.Search(int(max(0, total-least)), func(i int) bool { return len(splitsOf(files, least+int64(i))) <= c.Maps }))
	c.goal = (total + c.split - 1) / c.split
}

// guess says what an application will read that others write, as such jobs wrote before.
func (x *Asked) guess(others []*Asked, jobs []*workload.Job, known []*profile.Class) {
	read := 0.0
	for i, o := range others {
		if slices.Contains(x.Reads, o.Application.Id) {
			ratio := 1.0
			if class := profile.Near(known, jobs[i].Class); class != nil && class.Output.N > 0 {
				ratio = class.Output.Mean
			}
			read += ratio * float64(sizeOf(o.Application.Files.Splits, func(s *wire.Split) int64 { return s.Bytes }))
		}
	}
	if read > 0 {
		f := Stored{Size: int64(read)}
		x.Application.Files.Splits = append(x.Application.Files.Splits, splitsOf([]Stored{f}, max(1, min(f.Size/2, x.Block)))...)
	}
}

// shape writes into a job what it waits for and how it may be cut, if it is known what a byte costs in such jobs.
func (x *Asked) shape(j *workload.Job, class *profile.Class) {
	if j.After = x.After; class == nil {
		return
	}
	read := float64(0)
	for i := range j.Stages {
		st := &j.Stages[i]
		known, model := class.Any(st.Kind), class.Model(st.Kind, "", profile.Run)
		takes := known.Expect
		if model != nil { // which tells starts from what bytes cost, if it has seen tasks of several sizes
			takes = func(bytes float64) float64 { return model.Typical(bytes, -1) }
		}
		switch {
		case st.Kind == workload.Map:
			if read = float64(st.Input()); x.Least > 0 && known.PerByte.N > 0 {
				mold(st, x.Least, x.Most, read, takes)
			}
		case st.Kind == workload.Reduce && x.Reduces > 0 && known.PerByte.N > 0:
			mold(st, 1, x.Reduces, class.Between(read), takes)
		}
	}
}

// planned is how the policy would cut the jobs of workflows; nil of others, and of one of which it says nothing.
func (k *Keeper) planned(from lab.Stand, list []*Asked, jobs []*workload.Job) ([]*Cutting, error) {
	plan, of, due := make([]*Cutting, len(list)), map[string][]*workload.Job{}, map[string]units.Time{}
	for i, x := range list {
		if of[x.Workflow] = append(of[x.Workflow], jobs[i]); !x.Due.IsZero() {
			due[x.Workflow] = units.Time(x.Due.Sub(k.base))
		}
	}
	for i, x := range list {
		if all := of[x.Workflow]; x.Workflow != "" && all[0] == jobs[i] {
			workload.NewWorkflow(x.Workflow, cmp.Or(due[x.Workflow], units.Never), all)
		}
	}
	if len(of) == 1 && of[""] != nil {
		return plan, nil
	}
	will, err := from.Plan(jobs)
	if err != nil {
		return nil, err
	}
	says := map[string]bool{} // of these workflows the policy says something
	for i, p := range will {
		says[list[i].Workflow] = says[list[i].Workflow] || p.Due != 0 || p.Why != nil
	}
	for i, p := range will {
		if of := list[i].Workflow; of != "" && says[of] {
			plan[i] = &Cutting{Maps: p.Job.Tasks(workload.Map), Reduces: p.Job.Tasks(workload.Reduce), Due: k.wall(cmp.Or(p.Due, jobs[i].Virtual, jobs[i].Deadline)), Why: append([]string{}, p.Why...)}
		}
	}
	return plan, nil
}
