package engine

import (
	"slices"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/workload"
)

// mold gives a job that has not begun so many reduces, or cuts its input into so many maps, or as many as come nearest
// to that and are no more if its input can be cut anywhere. That reads the input, so it is not done in the loop; until
// it is answered the book starts nothing of the stage. What a job reads that is not there yet is cut when it is.
func (w *World) mold(it *sched.Item) {
	j := w.jobs[it.Job]
	if j.setUp { // its log says how it is cut
		w.emit(sched.Event{Kind: sched.Refused, Item: it.ID, Job: j.id, Stage: it.Stage, Count: it.Count, Why: sched.TooLate})
		return
	}
	if j.guessed {
		j.cut[it.Stage] = *it
		return
	}
	if it.Stage == sched.Reduce {
		j.reduces = int(it.Count)
		w.recut(j, 1, j.stages[1].Spec.Cut(j.reduces), it.ID)
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
	j.input, j.splits, j.cuts, j.block, j.outs = r.cut.input, r.cut.splits, r.cut.cuts, r.cut.block, r.cut.outs
	w.recut(j, 0, r.cut.Spec.Stages[0], r.item)
}

// recut gives a stage of a job the tasks that it was asked to have, and tells so.
func (w *World) recut(j *job, stage int, as workload.StageSpec, item sched.ItemID) {
	spec := *j.Spec // which the book has
	spec.Stages = slices.Clone(spec.Stages)
	as.MinTasks, as.MaxTasks = spec.Stages[stage].MinTasks, spec.Stages[stage].MaxTasks
	spec.Stages[stage] = as
	for i, s := range j.stages {
		s.Spec = &spec.Stages[i]
	}
	s := j.stages[stage]
	s.Cut(s.Spec)
	j.Spec, s.tasks = &spec, make([]taskTruth, len(as.Tasks))
	w.emit(sched.Event{Kind: sched.JobAmended, Job: j.id, Item: item, Detail: &sched.Detail{Job: &spec}})
	w.more(j)
}
