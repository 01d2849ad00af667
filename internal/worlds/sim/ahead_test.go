package sim

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// A run whose jobs are made ahead gets those that it would have made, when it would have, and then their error
// with its place; no more is read than some jobs behind those that it took, and wherever it stops nothing
// waits for it. So it is where runs share them.
func TestJobsMadeAhead(t *testing.T) {
	const jobs = 2000 // more than are made at a time
	for _, stop := range []int{0, 1, 900, jobs, jobs + 1} {
		for _, shared := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) { // which fails if something waits at its end
				var of *numbered
				cfg := Config{Cluster: uniform(9, 3, 2, 1), Seed: 3, Replicas: 3, Heartbeat: 3 * units.Second,
					Source: func() workload.Source { of = &numbered{jobs: jobs, spoilt: stop == jobs}; return of }}
				plain, err := New(cfg)
				if err != nil {
					t.Fatal(err)
				}
				if cfg = Ahead(cfg); shared {
					if cfg, err = Share(cfg); err != nil {
						t.Fatal(err)
					}
				}
				w, err := New(cfg)
				if err != nil {
					t.Fatal(err)
				}
				read := of
				for n := range stop {
					if due := w.source.Due(); due != plain.source.Due() {
						t.Fatalf("job %d is due at %v, want %v", n, due, plain.source.Due())
					}
					_, want, wantErr := plain.make()
					given, j, err := w.make()
					if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
						t.Fatalf("job %d: %v, want %v", n, err, wantErr)
					}
					if err != nil {
						break
					}
					got, exp := &j.Stages[0], &want.Stages[0]
					if j.ID != want.ID || given != j || !slices.Equal(got.Tasks, exp.Tasks) || !slices.Equal(got.Hosts.Nodes, exp.Hosts.Nodes) {
						t.Fatalf("job %d is %+v, want %+v", n, j, want)
					}
					// Where runs share jobs it is looked for.
					if (!shared || n == 900) && w.position() != plain.position() {
						t.Fatalf("job %d is at %q, want %q", n, w.position(), plain.position())
					}
				}
				synctest.Wait()
				if most := stop + 2*aheadTasks/12; read.brought < min(stop, jobs) || read.brought > most {
					t.Errorf("%d jobs were read, at most %d are needed", read.brought, most)
				}
			})
		}
	}
}

// What cannot be configured is the error of the first job.
func TestAheadOfNothing(t *testing.T) {
	s := Ahead(Config{}).Source()
	if s.Due() != 0 {
		t.Errorf("it is due at %v", s.Due())
	}
	if _, err := s.Next(); err == nil {
		t.Error("there is a job")
	}
	if s.Due() != units.Never {
		t.Errorf("there is more, at %v", s.Due())
	}
}
