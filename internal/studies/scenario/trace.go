package scenario

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/policies/queues"
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

// Recorded tells whether all jobs are those of a trace, which come whatever becomes of those before.
func (s *Scenario) Recorded() bool {
	return s.Workload.Trace != nil && len(s.Workload.Streams) == 0 && s.Workload.Mix == nil
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
	return append(files, s.supplyFiles()...)
}

// Account reads the trace that is played to its end, and says what is not played as it stands there; of
// traces that only tell when jobs arrive, what is left out.
func (s *Scenario) Account() (told trace.Account, err error) {
	read := func(f trace.File, first config.Span, most int) (trace.Account, error) {
		return eachJob(f, first, most, func(*trace.Job, int64) error { return nil })
	}
	if t := s.Workload.Trace; t != nil {
		return read(s.played, t.First, 0)
	}
	for i := range s.Workload.Streams {
		st := &s.Workload.Streams[i]
		if st.Arrivals == nil || st.Arrivals.Process != "trace" {
			continue
		}
		format, err := trace.Find(st.Arrivals.Format)
		if err != nil {
			return told, err
		}
		more, err := read(trace.File{Path: s.beside(st.Arrivals.File), Format: format}, st.For, st.Count)
		if err != nil {
			return told, err
		}
		told.LeftOut = append(told.LeftOut, more.LeftOut...)
	}
	return told, nil
}

// Untold says what the trace does not tell of its jobs and the scenario leaves open, and what would
// say it, both empty if there is nothing. Deadlines count if they are wanted.
func (s *Scenario) Untold(deadlines bool) (lacks, give string) {
	t := s.Workload.Trace
	if t == nil {
		return "", ""
	}
	format, err := trace.Find(t.Format)
	if err != nil {
		return "", ""
	}
	times := !format.Times && !s.src.Has("workload.trace.map_time")
	deadlines = deadlines && !format.Deadlines && t.Deadlines.Share == 0
	switch {
	case times && deadlines:
		return "how long tasks take, nor deadlines", "maps take 20 to 40 s and no job has a deadline, unless map_time and deadlines below workload.trace say otherwise"
	case times:
		return "how long tasks take", "maps take 20 to 40 s, unless map_time below workload.trace says otherwise"
	case deadlines:
		return "deadlines", "no job has one, unless deadlines below workload.trace gives some"
	}
	return "", ""
}

// eachJob goes through the jobs of a trace, with their lines: those of its first span and so many
// at most, where these are not 0.
func eachJob(f trace.File, first config.Span, most int, do func(j *trace.Job, line int64) error) (told trace.Account, err error) {
	in, file, err := f.Open()
	if err != nil {
		return told, err
	}
	defer file.Close()
	for n := 0; most == 0 || n < most; n++ {
		j, err := in.Next()
		switch {
		case errors.Is(err, io.EOF), err == nil && first > 0 && j.Submit >= units.Time(first):
			return in.Account(), nil
		case err != nil:
			return told, err
		}
		if err := do(j, in.Line()); err != nil {
			return told, err
		}
	}
	return in.Account(), nil
}

// mapsAlone refuses a trace of jobs with reduces where the cluster has no slot for one.
func (s *Scenario) mapsAlone(rule *trace.Rule) {
	_, err := eachJob(s.played, s.Workload.Trace.First, 0, func(j *trace.Job, line int64) error {
		claims, err := rule.Claims(j)
		if err == nil && claims.Stage(workload.Reduce) != nil {
			err = fmt.Errorf("job %q of the trace (%s:%d) has reduces, and the cluster has no slot for them", j.ID, s.TraceFile(), line)
		}
		return err
	})
	if err != nil {
		at := "cluster.reduce_slots"
		if !s.src.Has(at) {
			at = "cluster"
		}
		s.src.Failf(at, "%v", err)
	}
}

// checkQueue is Check for a job that may name none: it then stands in the default one, described or not.
func (s *Scenario) checkQueue(name string) error {
	err := s.Config.Check(name)
	if name == "" && !errors.As(err, new(queues.Closed)) {
		return nil
	}
	return err
}

// beside is a path as the scenario means it: from its own folder.
func (s *Scenario) beside(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(s.src.File), path)
}

// deadlines is the rule for jobs of a trace that have none, but for the slots.
func (s *Scenario) deadlines() trace.Deadlines {
	d, said := s.src, &s.Workload.Trace.Deadlines
	const at = "workload.trace.deadlines"
	factor := func(f Factors, path string) [2]float64 {
		if said.Share > 0 && f.From < 1 {
			d.Failf(path, "factor is %g, it must be at least 1: no job finishes sooner than it would alone", f.From)
		}
		return [2]float64{f.From, f.To}
	}
	rule := trace.Deadlines{Share: said.Share, Factor: factor(said.Factor, at+".factor")}
	if d.Has(at+".classes") && d.Has(at+".factor") {
		d.Failf(at+".factor", "factor and classes exclude each other; each class has its own factor")
	}
	for i, c := range said.Classes {
		path := fmt.Sprintf("%s.classes[%d]", at, i)
		if slices.ContainsFunc(said.Classes[:i], func(o DeadlineClass) bool { return o.Name == c.Name }) {
			d.Failf(path+".name", "there is another class %q; give each its own name", c.Name)
		}
		rule.Classes = append(rule.Classes, trace.DeadlineClass{Name: c.Name, Weight: c.Weight, Factor: factor(c.Factor, path+".factor")})
	}
	return rule
}

// trace makes the workload from a record. Its jobs are read when they arrive.
func (s *Scenario) trace(cfg *sim.Config) {
	d, t := s.src, s.Workload.Trace
	for _, key := range []string{"jobs", "streams", "mix"} {
		if d.Has("workload." + key) {
			d.Failf("workload."+key, "%s and trace exclude each other; give one of them", key)
		}
	}
	format, err := trace.Find(t.Format)
	if err != nil {
		d.Failf("workload.trace.format", "%v", err)
		return
	}
	path := s.TraceFile()
	if err := files.Check(path); err != nil {
		d.Failf("workload.trace.file", "%v", err)
		return
	}
	if t.Repeat > 1 && t.Every == 0 {
		d.Failf("workload.trace.every", "every is 0s; give the time between the repetitions, such as 24h")
	}
	s.played = trace.File{Path: path, Format: format, Options: trace.Options{Lenient: t.Lenient, Block: units.Bytes(t.Block)}}
	deadlines := s.deadlines()
	maps, reduces := int64(0), int64(0)
	names := make(map[string]cluster.NodeID, len(cfg.Cluster.Nodes))
	for i, n := range cfg.Cluster.Nodes {
		names[n.Name] = cluster.NodeID(i + 1)
		maps += n.Class.Capacity[units.MapSlots]
		reduces += n.Class.Capacity[units.ReduceSlots]
	}
	if maps == 0 && !t.Containers {
		d.Failf("cluster", "jobs of a trace run in map slots, and the cluster has none")
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
		Containers: t.Containers, Nodes: names,
	}
	if maps > 0 && reduces == 0 && !t.Containers {
		s.mapsAlone(&rule)
	}
	s.played.Fits = func(j *trace.Job) (trace.Reason, error) {
		if err := s.checkQueue(j.Queue); errors.As(err, new(queues.Closed)) {
			return trace.QueueClosed, fmt.Errorf("job %q cannot run: %w", j.ID, err)
		} else if err != nil {
			return trace.Reason{}, err
		}
		claims, err := rule.Claims(j)
		if err != nil {
			return trace.NoNode, err
		}
		if why := unfit(claims, cfg.Cluster); why != "" {
			return trace.NoNode, fmt.Errorf("job %q cannot run: %s", j.ID, why)
		}
		return trace.Reason{}, nil
	}
	file := s.played
	part := trace.Part{First: t.First.Duration(), Repeat: t.Repeat, Every: t.Every.Duration()}
	s.arrivals = func(seed uint64) workload.Source { return trace.Source(file, part, rule, seed) }
}
