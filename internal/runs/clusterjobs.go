package runs

import (
	"time"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// KeepCluster begins to keep what the jobs of a Hadoop cluster do under a policy, as those of a run on this
// machine are kept. Origin tells since when times count, once the cluster has attached. Of a job that an
// earlier process left there the new row continues the old one.
func KeepCluster(m *Memory, policy string, origin func() time.Time) (*Keeper, error) {
	k := newKeeper(lab.Cell{Policy: policy, Origin: origin})
	k.cluster = true
	if err := k.begin(m, store.Run{Name: "yarn", Seed: 1}, nil); err != nil {
		return nil, err
	}
	return k, nil
}

// meet begins to keep a job of a cluster. Its name stands for its output, which nobody knows: by it a row finds the
// row that it continues.
func (k *Keeper) meet(spec *workload.Job) {
	j := &keptJob{work: report.Work{Counters: map[string]int64{}}, row: store.Job{Name: spec.ID, Class: spec.Class,
		State: store.Waiting, Output: spec.ID, GoesOn: true, Promised: spec.Promised}}
	k.open[spec.ID] = j
	k.fresh = append(k.fresh, j)
}

// Leave ends the keeping of a cluster, whose jobs go on without it, and keeps what was taught. An error says why
// that is not kept. There is no report, and run is nil, where something broke it off.
func (k *Keeper) Leave(run *report.Run, taught []*profile.Class) error {
	k.interrupt("Slackline stopped; the cluster keeps running the job")
	if run == nil {
		return k.finish(store.Change{Taught: taught})
	}
	return k.Finish(run, nil, taught)
}

// expect notes what was said of a job when it was promised its deadline: when it is done.
func (j *keptJob) expect(at, arrived units.Time) {
	if j.row.Expected == nil {
		j.row.Expected = new(at.Sub(arrived).Seconds())
	}
}
