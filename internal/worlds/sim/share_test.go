package sim

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// numbered is a source of jobs with as many maps as their number says, up to 12, and then an error.
type numbered struct {
	brought, jobs int
	fresh         bool
	spoilt        bool // the last one is
}

func (s *numbered) Fresh() bool { return s.fresh }

var errOver = errors.New("there are no more")

func (s *numbered) Due() units.Time { return units.Time(s.brought * s.brought) }

func (s *numbered) Next() (*workload.Job, error) {
	if s.brought == s.jobs {
		return nil, errOver
	}
	s.brought++
	maps := workload.StageSpec{Kind: workload.Map, Tasks: make([]workload.Task, min(s.brought, 12))}
	if s.spoilt && s.brought == s.jobs {
		maps.Tasks[0].Work = -1
	}
	return &workload.Job{ID: fmt.Sprint(s.brought), Arrive: units.Time(s.brought), Soft: units.Never, Deadline: units.Never, Weight: 1,
		Stages: []workload.StageSpec{maps}}, nil
}

func (s *numbered) Ended(*workload.Job, units.Time) {}

func (s *numbered) Position() string { return fmt.Sprint("line ", s.brought) }

// Runs that share jobs get those that each would have made for itself, whoever comes to a job first, and
// where they share no more of them; and shared jobs are made once.
func TestSharedJobs(t *testing.T) {
	cfg := Config{Cluster: uniform(9, 3, 2, 1), Seed: 3, Replicas: 3, Heartbeat: 3 * units.Second,
		Source: func() workload.Source { return &numbered{jobs: 12} }}
	for _, most := range []int{0, 1, 20, 1000} {
		plain, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		d := &deck{world: plain, again: cfg.Source, most: most, due: []units.Time{0}}
		a, b, alone := &dealt{deck: d}, &dealt{deck: d}, &numbered{jobs: 12}
		made, tasks := 0, 0
		for n := 1; n <= 13; n++ {
			wantDue := alone.Due()
			want, wantErr := alone.Next()
			first, second := a, b
			if n%3 == 0 {
				first, second = b, a
			}
			var jobs [2]*workload.Job
			for i, s := range []*dealt{first, second} {
				if got := s.Due(); got != wantDue {
					t.Fatalf("most %d: job %d is due at %v, want %v", most, n, got, wantDue)
				}
				j, err := s.Next()
				if err != wantErr {
					t.Fatalf("most %d: job %d: %v, want %v", most, n, err, wantErr)
				}
				if at := s.Position(); at != alone.Position() {
					t.Fatalf("most %d: job %d is at %s, want %s", most, n, at, alone.Position())
				}
				jobs[i] = j
			}
			if want == nil {
				continue
			}
			if tasks < most {
				made++
				tasks += n
				if jobs[0] != jobs[1] {
					t.Fatalf("most %d: job %d was made twice", most, n)
				}
				want = plain.withInput(want, plain.fileKey(want, jobKey(want.ID)))
			}
			if !reflect.DeepEqual(jobs[0], want) || !reflect.DeepEqual(jobs[1], want) {
				t.Fatalf("most %d: job %d is %+v and %+v, want %+v", most, n, jobs[0], jobs[1], want)
			}
		}
		if len(d.jobs) != made {
			t.Errorf("most %d: %d jobs are kept, want %d", most, len(d.jobs), made)
		}
	}
}

// Where input lies is written into jobs that nobody else has, and into copies of all others.
func TestFreshJobs(t *testing.T) {
	for _, fresh := range []bool{false, true} {
		w, err := New(Config{Cluster: uniform(9, 3, 2, 1), Seed: 3, Replicas: 3, Heartbeat: 3 * units.Second,
			Source: func() workload.Source { return &numbered{jobs: 12, fresh: fresh} }})
		if err != nil {
			t.Fatal(err)
		}
		for range 12 {
			j, _ := w.source.Next()
			placed := w.withInput(j, jobKey(j.ID))
			for i := range placed.Stages[0].Tasks {
				if hosts := placed.Stages[0].Hosts.Of(i); len(hosts) != 3 {
					t.Fatalf("fresh %v: map %d of %q lies on %v", fresh, i, j.ID, hosts)
				}
			}
			if (placed == j) != fresh || (len(j.Stages[0].Hosts.Of(0)) > 0) != fresh {
				t.Errorf("fresh %v: job %q was written to: %v", fresh, j.ID, !fresh)
			}
		}
	}
}
