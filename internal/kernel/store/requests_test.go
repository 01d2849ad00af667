package store

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Another process asks, the process of the run answers in the order of the questions, and nobody
// answers for one that is gone.
func TestRequests(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	here, there := open(t, path), open(t, path)
	began := time.Unix(1_800_000_000, 0)
	shut, err := here.Begin(Run{Name: "shut", Began: began}, nil)
	if err != nil {
		t.Fatal(err)
	}
	live, err := here.Begin(Run{Name: "open", Began: began, Door: "/home"}, []*Job{{Name: "a", State: Waiting, Submitted: began}})
	if err != nil {
		t.Fatal(err)
	}
	runs, err := there.Alive()
	if err != nil || len(runs) != 2 || runs[0].Door != "" || runs[1].ID != live.Run.ID || runs[1].Door != "/home" {
		t.Errorf("alive are %+v, %v", runs, err)
	}
	ask := func(verb, what string) int64 {
		t.Helper()
		id, err := there.Ask(live.Run.ID, verb, what)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	first, second, third := ask("cancel", "a"), ask("submit", "b"), ask("cancel", "c")
	if ok, err := there.Withdraw(third); !ok || err != nil {
		t.Fatal(ok, err)
	}
	asked, err := live.Asked()
	if d := cmp.Diff([]Request{{first, "cancel", "a"}, {second, "submit", "b"}}, asked); d != "" || err != nil {
		t.Errorf("%s, %v", d, err)
	}
	if asked, err := shut.Asked(); len(asked) > 0 || err != nil {
		t.Errorf("the other run is asked %v, %v", asked, err)
	}
	if _, ok, err := there.Answer(first); ok || err != nil {
		t.Errorf("there is an answer before one was given, %v", err)
	}
	if err := live.Answer(first, "yes"); err != nil {
		t.Fatal(err)
	}
	if text, ok, err := there.Answer(first); text != "yes" || !ok || err != nil {
		t.Errorf("answer %q, %v, %v", text, ok, err)
	}
	if asked, err := live.Asked(); len(asked) != 1 || err != nil {
		t.Errorf("answered requests are told again: %v, %v", asked, err)
	}

	late := &Job{Name: "late", State: Waiting, Submitted: began}
	if err := live.Take(third, []*Job{late}); !errors.Is(err, ErrWithdrawn) {
		t.Errorf("a request that was withdrawn is taken up: %v", err)
	}
	job := &Job{Name: "b", State: Waiting, Submitted: began}
	gone := &Job{Name: "c", State: Waiting, Submitted: began}
	if err := errors.Join(live.Take(second, []*Job{job, gone}), live.Drop([]*Job{gone}), live.Shut()); err != nil {
		t.Fatal(err)
	}
	if jobs, err := there.Jobs(JobFilter{Run: live.Run.ID}); err != nil || len(jobs) != 2 || jobs[0].Name != "b" || jobs[0].ID != job.ID || job.ID == 0 {
		t.Errorf("jobs %+v, %v", jobs, err)
	}
	if ok, err := there.Withdraw(second); ok || err != nil {
		t.Errorf("a request that the run is at is withdrawn: %v, %v", ok, err)
	}
	if text, ok, err := there.Answer(second); ok || err != nil {
		t.Errorf("it has the answer %q, %v", text, err)
	}
	if asked, err := live.Asked(); len(asked) > 0 || err != nil {
		t.Errorf("requests in hand are told again: %v, %v", asked, err)
	}
	if runs, err := there.Alive(); len(runs) != 2 || runs[1].Door != "" || err != nil {
		t.Errorf("a run that is shut takes jobs: %v, %v", runs, err)
	}

	if err := errors.Join(shut.Close(), live.Close()); err != nil {
		t.Fatal(err)
	}
	if runs, err := there.Alive(); len(runs) > 0 || err != nil {
		t.Errorf("still alive are %v, %v", runs, err)
	}
	if text, ok, err := there.Answer(first); text != "yes" || !ok || err != nil {
		t.Errorf("an answer does not outlive its run: %q, %v, %v", text, ok, err)
	}
	if _, _, err := there.Answer(second); !errors.Is(err, ErrGone) {
		t.Errorf("no answer will come, and it says %v", err)
	}
	if _, err := there.Ask(live.Run.ID, "cancel", "a"); !errors.Is(err, ErrGone) {
		t.Errorf("a run that is gone is asked: %v", err)
	}
}
