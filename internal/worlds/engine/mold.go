package engine

import (
	"slices"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/sched"
)

// mold cuts the input of a job that has not begun into so many maps, or as many as come nearest to that and are no
// more if its input can be cut anywhere. That reads the input, so it is not done in the loop; until it is answered the
// book starts nothing of the stage. What a job reads that is not there yet is cut when it is.
func (w *World) mold(it *sched.Item) {
	j := w.jobs[it.Job]
	if j.setUp { // its log says how it is cut
		w.emit(sched.Event{Kind: sched.Refused, Item: it.ID, Job: j.id, Stage: it.Stage, Count: it.Count, Why: sched.TooLate})
		return
	}
	if j.guessed {
		j.cut = *it
		return
	}
	j.asked = it.ID
	as, id, maps := &job{cfg: j.cfg}, it.ID, int(it.Count)
	files := each.Of(j.input, func(f outdir.InputFile) input.File { return input.File{Size: f.Size} })
	w.settling.Go(func() {
		as.block = input.BlockFor(files, maps)
		w.reports.post(report{job: j, cut: as, item: id, err: w.plan(as)})
	})
}

// molded takes in how the input of a job was cut, unless it ended meanwhile or it was asked for another number.
func (w *World) molded(r *report) {
	j := r.job
	if j.asked != r.item || w.job(j.id) != j || j.now().Ends {
		return
	}
	j.asked = 0
	if r.err != nil {
		w.emit(sched.Event{Kind: sched.Refused, Item: r.item, Job: j.id, Stage: sched.Map, Why: sched.Gone})
		return
	}
	spec := *j.Spec // which the book has
	spec.Stages = slices.Clone(spec.Stages)
	was := &j.Spec.Stages[0]
	spec.Stages[0] = r.cut.Spec.Stages[0]
	spec.Stages[0].MinTasks, spec.Stages[0].MaxTasks = was.MinTasks, was.MaxTasks
	for i, s := range j.stages {
		s.Spec = &spec.Stages[i]
	}
	maps := j.stages[0]
	maps.Cut(&spec.Stages[0])
	j.Spec, maps.tasks, j.outs = &spec, r.cut.stages[0].tasks, r.cut.outs
	j.input, j.splits, j.cuts, j.block = r.cut.input, r.cut.splits, r.cut.cuts, r.cut.block
	w.emit(sched.Event{Kind: sched.JobAmended, Job: j.id, Item: r.item, Detail: &sched.Detail{Job: &spec}})
	w.more(j)
}
