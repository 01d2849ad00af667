package engine_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// molder has each job cut into so many maps when it comes, twice, and given so many reduces, and starts nothing before.
type molder struct {
	conform.Friendly
	maps, reduces int32
	cause         sched.Cause
}

func (m *molder) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	for i := range batch {
		if e := &batch[i]; e.Kind == sched.JobArrived {
			for _, n := range []int32{1, m.maps} { // the second counts
				p.Add(sched.Item{Verb: sched.SetTasks, Job: e.Job, Stage: sched.Map, Count: n, Reason: sched.Because(&m.cause)})
			}
			if m.reduces > 0 {
				p.Add(sched.Item{Verb: sched.SetTasks, Job: e.Job, Stage: sched.Reduce, Count: m.reduces, Reason: sched.Because(&m.cause)})
			}
		}
	}
	m.Friendly.Decide(v, batch, p)
}

// sizes keeps how many maps and reduces jobs were told to have.
type sizes struct{ maps, reduces []int }

func (s *sizes) Batch(_ int64, _ units.Time, events []sched.Event) error {
	for i := range events {
		if e := &events[i]; e.Kind == sched.JobArrived || e.Kind == sched.JobAmended {
			s.maps = append(s.maps, e.Detail.Job.Tasks(sched.Map))
			s.reduces = append(s.reduces, e.Detail.Job.Tasks(sched.Reduce))
		}
	}
	return nil
}

func (s *sizes) Plan(int64, units.Time, *sched.Plan) error { return nil }

func molds(t *testing.T, cfg engine.Config, maps, reduces int32) *sizes {
	t.Helper()
	cfg.Clock = stopwatch()
	w, err := engine.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s, watch := &sizes{}, conform.NewWatch(true)
	if err := drive.New(w, &molder{maps: maps, reduces: reduces}, watch, s).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, b := range watch.Close(len(cfg.Jobs)) {
		t.Error(b)
	}
	if bad := w.Miscounted(); bad != "" {
		t.Error(bad)
	}
	return s
}

// A job that is cut otherwise before it begins has as many maps as were asked for last, and the output that it has
// anyhow. One that may not be cut, or into so many, stays as it is.
func TestMold(t *testing.T) {
	in, want := text(t, 1000)
	for _, c := range []struct{ least, most, ask, maps int }{{1, 40, 3, 3}, {1, 40, 1, 1}, {2, 0, 9, 9}, {1, 40, 40, 40}, {0, 0, 3, 10}, {1, 8, 20, 1}} {
		out := filepath.Join(t.TempDir(), "out")
		cfg := config(t, in, out)
		cfg.Jobs[0].MinMaps, cfg.Jobs[0].MaxMaps = c.least, c.most
		s := molds(t, cfg, int32(c.ask), 0)
		if got := s.maps[len(s.maps)-1]; got != c.maps || len(s.maps) > 2 { // one answer
			t.Errorf("%+v: %d maps of %v", c, got, s.maps)
		}
		same(t, counted(t, out), want)
	}
}

// A job has as many reduces as were asked for, if so many are allowed, whether it is cut into other maps or not, and
// as many files of output, which hold what they should.
func TestMoldReduces(t *testing.T) {
	in, want := text(t, 1000)
	for _, c := range []struct{ least, most, ask, reduces int }{{1, 8, 5, 5}, {0, 8, 8, 8}, {0, 8, 1, 1}, {1, 8, 9, 3}, {0, 0, 5, 3}} {
		out := filepath.Join(t.TempDir(), "out")
		cfg := config(t, in, out)
		cfg.Jobs[0].MinMaps, cfg.Jobs[0].MaxMaps, cfg.Jobs[0].MaxReduces = c.least, 40*c.least, c.most
		s := molds(t, cfg, 4, int32(c.ask))
		parts, _ := filepath.Glob(filepath.Join(out, "part-r-*"))
		if got := s.reduces[len(s.reduces)-1]; got != c.reduces || len(parts) != c.reduces || c.least > 0 && s.maps[len(s.maps)-1] != 4 {
			t.Errorf("%+v: %v reduces, %v maps, %d files", c, s.reduces, s.maps, len(parts))
		}
		same(t, counted(t, out), want)
	}
}

// A job that was cut otherwise and whose process died goes on as it was cut, whatever is asked for then.
func TestMoldedGoesOn(t *testing.T) {
	in, want := text(t, 1000)
	for _, left := range []int{2, 7} { // it dies among its maps, or its reduces
		out := filepath.Join(t.TempDir(), "out")
		cfg := config(t, in, out)
		cfg.Jobs[0].MinMaps, cfg.Jobs[0].MaxMaps, cfg.Jobs[0].MaxReduces = 1, 40, 8
		dies(t, cfg, &molder{maps: 5, reduces: 6}, &killer{left: left})
		s := molds(t, cfg, 7, 2)
		if len(s.maps) != 1 || s.maps[0] != 5 || s.reduces[0] != 6 {
			t.Errorf("it has %v maps and %v reduces", s.maps, s.reduces)
		}
		same(t, counted(t, out), want)
	}
}
