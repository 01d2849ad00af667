package runs

import (
	"context"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/studies/trace"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// ClusterValidation holds the simulator against a Hadoop cluster. Sets of jobs run there again and again, and each time
// a set is played from what its runs before have taught: the laws of its classes, and what the cluster adds to
// tasks (trace.Overheads). When jobs were submitted is taken as it was. Tasks slow each other by running at once, which
// stands in the laws only, so that each set teaches itself alone.
type ClusterValidation struct {
	Cluster trace.Cluster
	Queues  lab.Queues
	Seed    uint64
	Agreement
	ran map[string][]*trace.Job // by set
}

// NewClusterValidation begins one with a policy that the cluster is taken to follow.
func NewClusterValidation(c trace.Cluster, q lab.Queues, policy string, seed uint64) *ClusterValidation {
	return &ClusterValidation{Cluster: c, Queues: q, Seed: seed, ran: map[string][]*trace.Job{},
		Agreement: Agreement{Schema: AgreementSchema, Policy: policy, Level: 0.9}}
}

// Take learns what a set of jobs did. If judge is set it says first what the runs before say of it. Files are those
// of the jobs, one for each.
func (v *ClusterValidation) Take(ctx context.Context, set string, files []*scenario.Job, jobs []*trace.Job, judge bool) error {
	if judge {
		cfg, known, err := v.played(set, files, jobs)
		if err != nil {
			return err
		}
		took, err := drawn(ctx, lab.Start(v.Policy, v.Queues), cfg, Told(known))
		if err != nil {
			return err
		}
		for i, j := range jobs {
			v.row(files[i].Name+", "+set).among(j.Ran.Response().Seconds(), took[i])
		}
	}
	v.ran[set] = append(v.ran[set], jobs...)
	return nil
}

// Sum says how far predictions were off after so many rounds.
func (v *ClusterValidation) Sum(rounds int) *Agreement {
	v.Rounds = rounds
	v.sum()
	return &v.Agreement
}

// row is the prediction of this name.
func (v *ClusterValidation) row(id string) *Prediction {
	i := slices.IndexFunc(v.Jobs, func(p Prediction) bool { return p.ID == id })
	if i < 0 {
		i, v.Jobs = len(v.Jobs), append(v.Jobs, Prediction{ID: id})
	}
	return &v.Jobs[i]
}

// played is the simulation of a set of jobs, and what its runs before have taught.
func (v *ClusterValidation) played(set string, files []*scenario.Job, jobs []*trace.Job) (sim.Config, []*profile.Class, error) {
	learner, rule := report.NewLearner(), trace.DefaultRule(1)
	rule.Containers, rule.Nodes = true, map[string]cluster.NodeID{}
	for _, j := range v.ran[set] {
		spec, err := rule.Unfold(j, 1)
		if err == nil {
			err = learner.Recorded(spec, j.Ran, nil)
		}
		if err != nil {
			return sim.Config{}, nil, err
		}
	}
	known, w, from := learner.Profiles(), &workload.Workload{}, jobs[0].Ran.Submitted
	cfg := sim.Config{Cluster: v.Cluster.Machines(), Workload: w, Profiles: known, Seed: v.Seed, Heartbeat: v.Cluster.Beat}
	for i, n := range cfg.Cluster.Nodes {
		rule.Nodes[n.Name] = cluster.NodeID(i + 1)
	}
	adds := trace.OverheadsOf(v.ran[set], v.Cluster.Beat)
	cfg.Launch = adds.Launch
	master := workload.StageSpec{Kind: workload.Master, Tasks: []workload.Task{{Work: adds.Master}}, Containers: []cluster.Container{{Name: "master", Needs: adds.Needs}}}
	for _, j := range jobs {
		from = min(from, j.Ran.Submitted)
	}
	for i, j := range jobs {
		spec, err := rule.Unfold(j, v.Seed)
		if err != nil {
			return sim.Config{}, nil, err
		}
		spec.SlowStart = files[i].SlowStart
		spec.Arrive = units.Time(j.Ran.Submitted-from) * units.Time(units.Millisecond)
		spec = expected(spec, profile.Near(known, spec.Class))
		spec.Stages = slices.Insert(spec.Stages, 0, master)
		w.Jobs = append(w.Jobs, spec)
	}
	slices.SortStableFunc(w.Jobs, func(a, b *workload.Job) int { return int(min(1, max(-1, a.Arrive-b.Arrive))) })
	return cfg, known, nil
}

// expected is a job whose tasks take what those of its class are expected to, for what they read.
func expected(j *workload.Job, class *profile.Class) *workload.Job {
	if class == nil {
		return j
	}
	var read units.Bytes
	for i := range j.Stages {
		if j.Stages[i].Kind == workload.Map {
			read = j.Stages[i].Input()
		}
	}
	return retimed(j, func(s *workload.StageSpec, _ int, t *workload.Task) {
		known, reads := class.Any(s.Kind), float64(t.Input)
		if s.Kind == sched.Reduce {
			t.Shuffle, reads = units.FromSeconds(known.Shuffle.Mean), class.Between(float64(read))/float64(len(s.Tasks))
		}
		t.Work = units.FromSeconds(known.Expect(reads))
	})
}

// among holds how long a job took against plays of it, ascending.
func (p *Prediction) among(measured float64, plays []float64) {
	middle, low, high := stat.Quantile(plays, 0.5), stat.Quantile(plays, 0.05), stat.Quantile(plays, 0.95)
	before, _ := slices.BinarySearch(plays, measured)
	p.Measured, p.Predicted, p.Simulated = append(p.Measured, measured), append(p.Predicted, middle), append(p.Simulated, middle)
	p.Low, p.High, p.Places = append(p.Low, &low), append(p.High, &high), append(p.Places, (float64(before)+0.5)/float64(len(plays)+1))
	if p.Told++; low <= measured && measured <= high {
		p.Inside++
	}
}
