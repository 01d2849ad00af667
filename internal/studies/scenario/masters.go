package scenario

import (
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// addMasters gives every job an ApplicationMaster, if the scenario asks for them.
func (s *Scenario) addMasters(cfg *sim.Config) {
	m := s.Cluster.Masters
	if m == nil {
		return
	}
	stage := workload.StageSpec{Kind: workload.Master, Tasks: []workload.Task{{Work: m.Start.Duration()}}}
	if m.VCores > 0 || m.Memory > 0 {
		stage.Containers = []cluster.Container{{Name: "master", Needs: units.Vector{units.VCores: int64(m.VCores), units.Memory: int64(m.Memory)}}}
	}
	add := func(j *workload.Job) *workload.Job {
		with := *j // which other runs share
		with.Stages = append([]workload.StageSpec{stage}, j.Stages...)
		return &with
	}
	if why := unfit(&workload.Job{Stages: []workload.StageSpec{stage}}, cfg.Cluster); why != "" {
		s.src.Failf("cluster.masters", "no job can run: %s", why)
	}
	if begin := s.arrivals; begin != nil {
		s.arrivals = func(seed uint64) workload.Source { return &mastered{begin(seed), add} }
		return
	}
	for i, j := range cfg.Workload.Jobs {
		cfg.Workload.Jobs[i] = add(j)
	}
}

// mastered is a source whose jobs get a master as they come.
type mastered struct {
	workload.Source
	add func(*workload.Job) *workload.Job
}

// Position is where the source says that the last job stands.
func (m *mastered) Position() string {
	if s, ok := m.Source.(interface{ Position() string }); ok {
		return s.Position()
	}
	return ""
}

// Fresh tells whether nobody else has the source's jobs.
func (m *mastered) Fresh() bool {
	s, ok := m.Source.(interface{ Fresh() bool })
	return ok && s.Fresh()
}

func (m *mastered) Next() (*workload.Job, error) {
	j, err := m.Source.Next()
	if err != nil {
		return nil, err
	}
	return m.add(j), nil
}
