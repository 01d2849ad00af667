package scenario

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/studies/synth"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Mix is so many jobs of each of some sizes, as published benchmarks state them (paper 003, tables
// 4.4 to 5.7). The seed draws their order, when they come, and what a range leaves open. All are of
// one application: what a byte costs is the same for all of them.
type Mix struct {
	Class     string      `json:"class" need:"yes" label:"yes" doc:"kind of all these jobs"`
	Arrive    config.Span `json:"arrive" min:"0" doc:"from when on they arrive; the start of the run if left out"`
	Arrivals  *Arrivals   `json:"arrivals" need:"yes" doc:"when they come, one by one; not from a trace"`
	Jobs      []Mixed     `json:"jobs" need:"yes" some:"yes" doc:"the sizes, and how many jobs there are of each"`
	Start     config.Span `json:"start" min:"0" doc:"what each task takes besides the time for its bytes"`
	Rate      config.Size `json:"rate" need:"yes" above:"0" doc:"bytes a second that a map works through on a node of speed 1; its input is a block"`
	Ratio     float64     `json:"ratio" min:"0" max:"1000" doc:"bytes that maps write for each that they read; reduces share them evenly; needed where there are reduces"`
	Reducing  config.Size `json:"reduce_rate" above:"0" doc:"bytes a second that a reduce works through; as a map if left out"`
	Fetching  config.Size `json:"shuffle_rate" above:"0" doc:"bytes a second that a reduce fetches; no time if left out"`
	CPUShare  float64     `json:"cpu_share" above:"0" max:"1" def:"1" doc:"part of a task's time that a faster CPU shortens"`
	SlowStart float64     `json:"slow_start" min:"0" max:"1" def:"0.05" doc:"part of the maps that must have finished before reduces start"`
}

// Mixed is the jobs of one size, called ID-1, ID-2, …
type Mixed struct {
	ID       string       `json:"id" need:"yes" label:"yes" doc:"name of the size"`
	Count    int          `json:"count" need:"yes" min:"1" max:"1000000" doc:"number of jobs"`
	Maps     Counts       `json:"maps" need:"yes" doc:"number of maps, or a range from which it is drawn for each job"`
	Reduces  Counts       `json:"reduces" doc:"number of reduces, or a range; none if left out"`
	Deadline config.Spans `json:"deadline" doc:"from its arrival to its deadline, or a range; none if left out"`
}

// mix adds the jobs of the mix to what arrives.
func (s *Scenario) mix(cfg *sim.Config) {
	m, d := s.Workload.Mix, s.src
	if m == nil {
		return
	}
	const at = "workload.mix"
	taken := map[string]bool{}
	for _, j := range s.Workload.Jobs {
		taken[j.ID] = true
	}
	for _, st := range s.Workload.Streams {
		taken[st.ID] = true
	}
	switch a := m.Arrivals; {
	case len(d.Errs) > 0:
		return
	case a.Process == "trace" || a.File != "" || a.Format != "":
		d.Failf(at+".arrivals", "the jobs of a mix cannot arrive as in a trace; give a process, such as {process: poisson, every: 30s}")
	case a.Every == 0:
		d.Failf(at+".arrivals", "arrivals need every, the mean time between two, such as every: 30s")
	}
	tasks := 0
	for i, k := range m.Jobs {
		path := fmt.Sprintf("%s.jobs[%d]", at, i)
		switch {
		case taken[k.ID]:
			d.Failf(path+".id", "another job, stream or size is named %q", k.ID)
		case k.Deadline.From == 0 && d.Has(path+".deadline"):
			d.Failf(path+".deadline", "deadline is %v, it must be above 0s; leave the key out if its jobs have none", k.Deadline.From)
		case k.Maps.From == 0:
			d.Failf(path+".maps", "maps is %v, it must be at least 1", k.Maps)
		}
		if k.Reduces.To > 0 && !s.says(at+".ratio") {
			d.Failf(path+".reduces", "size %q has reduces, but the mix has no ratio; say how many bytes maps write for each byte they read, such as ratio: 0.4", k.ID)
		}
		taken[k.ID] = true
		if tasks += k.Count * (k.Maps.To + k.Reduces.To); tasks > maxTasks {
			d.Failf(path, "the jobs up to this size have up to %d tasks, and at most %d are possible", tasks, maxTasks)
			return
		}
		largest := m.job(k.ID, k.Maps.To, k.Reduces.To, s.Cluster.Block)
		runnable(d, path, &largest, cfg.Cluster)
	}
	if len(d.Errs) > 0 {
		return
	}
	others, listed := s.arrivals, cfg.Workload
	block := s.Cluster.Block
	s.arrivals = func(seed uint64) workload.Source {
		all := sources{m.source(seed, block)}
		switch {
		case others != nil:
			all = append(all, others(seed))
		case len(listed.Jobs) > 0:
			all = append(all, listed.Source())
		}
		return all
	}
}

// source draws the jobs of a seed.
func (m *Mix) source(seed uint64, block config.Size) workload.Source {
	key := draw.Of(seed, "mix")
	var sizes []int
	for i, k := range m.Jobs {
		for range k.Count {
			sizes = append(sizes, i)
		}
	}
	key.Job("order").Shuffle(len(sizes), func(i, j int) { sizes[i], sizes[j] = sizes[j], sizes[i] })
	process := m.Arrivals.process(key.Job("arrivals").Uint64())
	var list workload.Workload
	made := make([]int, len(m.Jobs))
	for _, i := range sizes {
		k := &m.Jobs[i]
		made[i]++
		id := k.ID + "-" + strconv.Itoa(made[i])
		own := key.Job(id)
		job := m.job(id, k.Maps.draw(own.Number(1)), k.Reduces.draw(own.Number(2)), block)
		job.Arrive = units.Time(m.Arrive).Add(units.Duration(process.Next()))
		if k.Deadline.To > 0 {
			job.Deadline = job.Arrive.Add(units.Duration(own.Number(3).Between(float64(k.Deadline.From), float64(k.Deadline.To))))
		}
		list.Jobs = append(list.Jobs, &job)
	}
	return list.Source()
}

// job makes a job of so many tasks.
func (m *Mix) job(id string, maps, reduces int, block config.Size) workload.Job {
	rank := Rank{Class: m.Class, Weight: 1}
	job := rank.job(id, 0, m.SlowStart)
	spent := func(bytes float64, rate config.Size) units.Duration {
		if rate == 0 {
			return 0
		}
		return units.Second.Scale(bytes / float64(rate))
	}
	stage := func(kind workload.Stage, n int, task workload.Task) {
		if n == 0 {
			return
		}
		spec := workload.StageSpec{Kind: kind, CPUShare: m.CPUShare, Tasks: make([]workload.Task, n)}
		for i := range spec.Tasks {
			spec.Tasks[i] = task
		}
		job.Stages = append(job.Stages, spec)
	}
	stage(workload.Map, maps, workload.Task{Input: units.Bytes(block), Work: m.Start.Duration() + spent(float64(block), m.Rate)})
	share := m.Ratio * float64(block) * float64(maps) / float64(max(1, reduces))
	rate := m.Reducing
	rate = cmp.Or(rate, m.Rate)
	stage(workload.Reduce, reduces, workload.Task{Input: units.Bytes(share), Work: m.Start.Duration() + spent(share, rate), Shuffle: spent(share, m.Fetching)})
	return job
}

// process is the arrivals as they are drawn, but for those of a trace.
func (a *Arrivals) process(seed uint64) synth.Arrivals {
	hourly := float64(units.Hour) / max(1, float64(a.Every))
	switch a.Process {
	case "constant":
		return synth.Constant(a.Every.Duration())
	case "bursty":
		return synth.Bursty(hourly, synth.Burst{Share: a.Bursts, Ratio: a.Ratio, Mean: max(1, a.Burst.Duration().Seconds())}, seed)
	}
	return synth.Poisson(hourly, seed)
}
