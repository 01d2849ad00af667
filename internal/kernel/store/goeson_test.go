package store

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// begin writes a run of jobs, and leaves it as a process does that ends before they do.
func begin(t *testing.T, s *Store, jobs ...*Job) {
	t.Helper()
	l, err := s.Begin(Run{Name: "r", Began: day}, jobs)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// The work of a job that was interrupted is listed once: the row of a run that is resumed, or
// whose work was thrown away, says so.
func TestGoesOn(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s.db"))
	begin(t, s, &Job{Name: "a", State: Running, Output: "/a"}, &Job{Name: "b", State: Finished, Output: "/b"}, &Job{Name: "c", State: Waiting, Output: "/c"},
		&Job{Name: "other", State: Running, Output: "/other"})
	begin(t, s, &Job{Name: "a", State: Running, Output: "/a", GoesOn: true}, &Job{Name: "c", State: Running, Output: "/c"})
	begin(t, s, &Job{Name: "a", State: Finished, Output: "/a", GoesOn: true})
	jobs, err := s.Jobs(JobFilter{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a finished", "c interrupted", "a resumed", "other interrupted", "c discarded", "b finished", "a resumed"}
	if d := cmp.Diff(want, names(jobs)); d != "" {
		t.Error(d)
	}
	if jobs[0].First != 1 || jobs[2].First != 1 || jobs[6].First != 0 || jobs[1].First != 0 {
		t.Errorf("%d %d %d %d", jobs[0].First, jobs[2].First, jobs[6].First, jobs[1].First)
	}
	if jobs[6].Reason != "job 5 resumed it" || jobs[2].Reason != "job 7 resumed it" || jobs[4].Reason != "job 6 started again" {
		t.Errorf("%q %q %q", jobs[6].Reason, jobs[2].Reason, jobs[4].Reason)
	}
	if err := s.Discard(day, "/c", "/b", "/none"); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"other interrupted"}, chosen(t, s, JobFilter{States: []string{Interrupted}})); d != "" {
		t.Error(d)
	}
}

// What a live process writes is neither resumed nor thrown away.
func TestDiscardSparesTheLiving(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s.db"))
	l, err := s.Begin(Run{Name: "r", Began: day}, []*Job{{Name: "a", State: Running, Output: "/a"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Discard(day, "/a"); err != nil {
		t.Fatal(err)
	}
	if got := chosen(t, s, JobFilter{}); strings.Join(got, "") != "a running" {
		t.Error(got)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// Builds before this kept a promise in the report of the run alone, where it is found also if nothing can be written.
func TestPromisesOfEarlierBuilds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	due := day
	jobs := []*Job{{Name: "good", State: Finished, Deadline: &due}, {Name: "none", State: Finished, Deadline: &due}, {Name: "new", State: Finished, Deadline: &due},
		{Name: "newer", State: Finished, Deadline: &due, Promised: true}}
	l, err := s.Begin(Run{Name: "r", Began: day}, jobs)
	if err != nil {
		t.Fatal(err)
	}
	text := `{"jobs": [{"id": "none", "promised_s": null}, {"id": "good", "promised_s": 3.5}, {"id": "new", "promised_s": 1}]}`
	err = l.Save(Change{Report: json.RawMessage(text), Ended: day})
	if err == nil {
		_, err = s.db.Exec(`UPDATE jobs SET detail = json_remove(detail, '$.promised') WHERE name IN ('good', 'none')`)
	}
	if err := errors.Join(err, l.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	old, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	list, err := old.Jobs(JobFilter{})
	if err != nil || len(list) != 4 {
		t.Fatal(list, err)
	}
	for _, j := range list {
		if j.Promised != (j.Name == "good" || j.Name == "newer") {
			t.Errorf("%s: promised %v", j.Name, j.Promised)
		}
	}
}

// A job that begins finds the interrupted jobs with its output by an index, not by reading all jobs
// that there ever were.
func TestInterruptedAreIndexed(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s.db"))
	rows, err := s.db.Query("EXPLAIN QUERY PLAN SELECT id FROM jobs WHERE "+interruptedWith, "out")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var id, parent, unused int
	var plan string
	if !rows.Next() {
		t.Fatal("there is no plan")
	}
	if err := rows.Scan(&id, &parent, &unused, &plan); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(plan, "jobs_interrupted") {
		t.Errorf("it is planned as %s", plan)
	}
}
