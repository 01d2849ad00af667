package scenario

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/studies/trace"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// TraceFile is the file of the trace that the scenario plays, "" if it plays none.
func (s *Scenario) TraceFile() string {
	if s.Workload.Trace == nil {
		return ""
	}
	return s.beside(s.Workload.Trace.File)
}

// Traces are the files that the scenario reads besides its own, when it is played.
func (s *Scenario) Traces() (files []string) {
	if file := s.TraceFile(); file != "" {
		files = append(files, file)
	}
	for i := range s.Workload.Streams {
		if a := s.Workload.Streams[i].Arrivals; a != nil && a.File != "" {
			files = append(files, s.beside(a.File))
		}
	}
	if file := s.ProfileFile(); file != "" {
		files = append(files, file)
	}
	return files
}

// LeftOut reads the trace, if some of its records may be no jobs that are played, and returns which those are.
func (s *Scenario) LeftOut() ([]trace.LeftOut, error) {
	t := s.Workload.Trace
	if t == nil {
		return nil, nil
	}
	format, err := trace.Find(t.Format)
	if err != nil || !format.Omits && !t.Lenient {
		return nil, err
	}
	return s.eachJob(format, func(*trace.Job, int64) error { return nil })
}

// eachJob goes through the jobs of the trace that are played, once, with their lines.
func (s *Scenario) eachJob(format trace.Format, do func(j *trace.Job, line int64) error) ([]trace.LeftOut, error) {
	t := s.Workload.Trace
	in, file, err := trace.File{Path: s.TraceFile(), Format: format, Lenient: t.Lenient, Block: units.Bytes(t.Block)}.Open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for {
		j, err := in.Next()
		switch {
		case errors.Is(err, io.EOF), err == nil && t.First > 0 && j.Submit >= units.Time(t.First):
			return in.LeftOut(), nil
		case err != nil:
			return nil, err
		}
		if err := do(j, in.Line()); err != nil {
			return nil, err
		}
	}
}

// mapsAlone refuses a trace of jobs with reduces where the cluster has no slot for one.
func (s *Scenario) mapsAlone(format trace.Format, rule *trace.Rule) {
	_, err := s.eachJob(format, func(j *trace.Job, line int64) error {
		reduces := 0
		if r := j.Stage(workload.Reduce); r != nil {
			reduces = r.Count()
		} else if len(j.Stages) == 0 {
			var err error
			if _, reduces, err = rule.Tasks(j); err != nil {
				return err
			}
		}
		if reduces > 0 {
			return fmt.Errorf("job %q of the trace (%s:%d) has reduces, and the cluster has no slot for them", j.ID, s.TraceFile(), line)
		}
		return nil
	})
	if err != nil {
		at := "cluster.reduce_slots"
		if !s.src.has(at) {
			at = "cluster"
		}
		s.src.failAt(at, "%v", err)
	}
}

// checkQueue is Check for a job that may name none: it then stands in the default one, described or not.
func (s *Scenario) checkQueue(name string) error {
	if name == "" {
		return nil
	}
	return s.Config.Check(name)
}

// beside is a path as the scenario means it: from its own folder.
func (s *Scenario) beside(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(s.src.file), path)
}

// deadlines is the rule for jobs of a trace that have none, but for the slots.
func (s *Scenario) deadlines() trace.Deadlines {
	d, said := s.src, &s.Workload.Trace.Deadlines
	const at = "workload.trace.deadlines"
	factor := func(f Factors, path string) [2]float64 {
		if said.Share > 0 && f.From < 1 {
			d.failAt(path, "factor is %g, it must be at least 1: no job is done sooner than alone", f.From)
		}
		return [2]float64{f.From, f.To}
	}
	rule := trace.Deadlines{Share: said.Share, Factor: factor(said.Factor, at+".factor")}
	if d.has(at+".classes") && d.has(at+".factor") {
		d.failAt(at+".factor", "factor and classes stand beside each other; each class has a factor of its own")
	}
	if d.has(at+".classes") && len(said.Classes) == 0 {
		d.failAt(at+".classes", "classes is empty; name at least one, or leave the key out")
	}
	for i, c := range said.Classes {
		path := fmt.Sprintf("%s.classes[%d]", at, i)
		if slices.ContainsFunc(said.Classes[:i], func(o DeadlineClass) bool { return o.Name == c.Name }) {
			d.failAt(path+".name", "there is another class %q; each needs a name of its own", c.Name)
		}
		rule.Classes = append(rule.Classes, trace.DeadlineClass{Name: c.Name, Weight: c.Weight, Factor: factor(c.Factor, path+".factor")})
	}
	return rule
}

// trace makes the workload from a record. Its jobs are read when they arrive.
func (s *Scenario) trace(cfg *sim.Config) {
	d, t := s.src, s.Workload.Trace
	if d.has("workload.jobs") {
		d.failAt("workload.jobs", "jobs and trace stand beside each other; give one of them")
	}
	if d.has("workload.streams") {
		d.failAt("workload.streams", "streams and trace stand beside each other; give one of them")
	}
	if d.has("workload.mix") {
		d.failAt("workload.mix", "mix and trace stand beside each other; give one of them")
	}
	format, err := trace.Find(t.Format)
	if err != nil {
		d.failAt("workload.trace.format", "%v", err)
		return
	}
	path := s.TraceFile()
	switch info, err := os.Stat(path); {
	case err != nil:
		d.failAt("workload.trace.file", "the trace cannot be read: %v", err)
		return
	case info.IsDir():
		d.failAt("workload.trace.file", "%s is a folder; name a file", path)
		return
	}
	if t.Repeat > 1 && t.Every == 0 {
		d.failAt("workload.trace.every", "every is 0s; say how far apart the repetitions begin, such as 24h")
	}
	deadlines := s.deadlines()
	maps, reduces := int64(0), int64(0)
	names := make(map[string]cluster.NodeID, len(cfg.Cluster.Nodes))
	for i, n := range cfg.Cluster.Nodes {
		names[n.Name] = cluster.NodeID(i + 1)
		maps += n.Class.Capacity[units.MapSlots]
		reduces += n.Class.Capacity[units.ReduceSlots]
	}
	if maps == 0 && !t.Containers {
		d.failAt("cluster", "jobs of a trace run in map slots, and the cluster has none")
	}
	if deadlines.Slots = int(maps); t.Deadlines.Slots != nil {
		deadlines.Slots = *t.Deadlines.Slots
	}
	rule := trace.Rule{
		Version: t.Rule,
		Block:   units.Bytes(t.Block), MapTime: [2]units.Duration{t.MapTime.From, t.MapTime.To},
		ReduceInput: units.Bytes(t.ReduceInput), MaxReduces: int(max(1, reduces)),
		ShuffleRate: units.Bytes(t.ShuffleRate), ReduceRate: units.Bytes(t.ReduceRate), SlowStart: t.SlowStart,
		Deadlines:  deadlines,
		Containers: t.Containers, Nodes: names, Queues: s.checkQueue,
	}
	if maps > 0 && reduces == 0 && !t.Containers {
		s.mapsAlone(format, &rule)
	}
	file := trace.File{Path: path, Format: format, Lenient: t.Lenient, Block: units.Bytes(t.Block)}
	part := trace.Part{First: t.First.Duration(), Repeat: t.Repeat, Every: t.Every.Duration()}
	cfg.Workload = nil
	s.arrivals = func(seed uint64) workload.Source { return trace.Source(file, part, rule, seed) }
	cfg.Source = func() workload.Source { return s.arrivals(0) }
}
