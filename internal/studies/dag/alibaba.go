package dag

import (
	"cmp"
	"io"
	"slices"

	"github.com/slackline/slackline/internal/studies/trace"
)

// Alibaba reads so many jobs of Alibaba's trace of 2018 at most that have more than one task, each as a workflow of its
// tasks, whose instances are maps here; 0 = all. They come as long after the first of them as they did there.
func Alibaba(in io.Reader, file string, most int) (list []Workflow, err error) {
	err = trace.Graphs(in, trace.Options{File: file, Sort: true}, func(g *trace.Graph) error {
		if len(g.Vertices) < 2 {
			return nil
		}
		w := Workflow{Name: g.Job, Arrive: g.Start}
		for _, p := range g.Vertices {
			w.Jobs = append(w.Jobs, Job{ID: p.Name, Maps: p.Tasks.Count, Time: max(0, p.Tasks.Time), After: p.After})
		}
		if list = append(list, w); len(list) == most {
			return io.EOF
		}
		return w.check()
	})
	if len(list) > 0 {
		first := slices.MinFunc(list, func(a, b Workflow) int { return cmp.Compare(a.Arrive, b.Arrive) }).Arrive
		for i := range list {
			list[i].Arrive -= first
		}
	}
	if most > 0 && len(list) == most {
		err = nil
	}
	return list, err
}
