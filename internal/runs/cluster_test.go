package runs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/workload"
)

// What one process promised the next one knows, until the job has ended or is gone.
func TestPromisesOfACluster(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	open := func() *runs.Cluster {
		t.Helper()
		c, err := runs.OpenCluster(dir, func(s string) { t.Error(s) })
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	job := func(id string) *follow.Job { return &follow.Job{Spec: &workload.Job{ID: id}} }
	admit := func(id string, why *sched.Cause, refused sched.Code) follow.Decision {
		told := sched.Outlook{Word: sched.Promised}
		if why == estimate.NoDeadline {
			told.Word = sched.Unpromised
		}
		return follow.Decision{Job: job(id), Item: &sched.Item{Verb: sched.Admit, Refused: refused, Outlook: told, Reason: sched.Because(why, 2)}}
	}
	arrives := func(id string) follow.Record {
		return follow.Record{Event: &sched.Event{Kind: sched.JobArrived}, Job: job(id)}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}

	c := open()
	origin := c.Origin()
	if ago := time.Since(origin); ago < 29*24*time.Hour || ago > 31*24*time.Hour || origin.Nanosecond() != 0 {
		t.Errorf("times count from %v", origin)
	}
	if _, err := runs.OpenCluster(dir, nil); err == nil || !strings.Contains(err.Error(), "one at a time") {
		t.Errorf("a second process may have it: %v", err)
	}
	must(c.Plan(0, []follow.Decision{admit("a", estimate.Promised, sched.OK), admit("b", estimate.Promised, sched.OK),
		admit("c", estimate.Promised, sched.OK), admit("best effort", estimate.NoDeadline, sched.OK), admit("refused", estimate.Promised, sched.Stale)}))
	must(c.Batch(0, []follow.Record{{Event: &sched.Event{Kind: sched.JobEnded}, Job: job("b")}}))
	must(c.Close())

	c = open()
	if !c.Origin().Equal(origin) {
		t.Errorf("times count from %v, and then from %v", origin, c.Origin())
	}
	for id, want := range map[string]bool{"a": true, "b": false, "c": true, "best effort": false, "refused": false} {
		if c.Promised(id) != want {
			t.Errorf("%s: promised is %v", id, !want)
		}
	}
	// c has ended meanwhile
	must(c.Batch(0, []follow.Record{{Event: &sched.Event{Kind: sched.Resync}}, arrives("a"), arrives("new")}))
	must(c.Close())
	c = open()
	defer c.Close()
	if !c.Promised("a") || c.Promised("c") || c.Promises() != 1 {
		t.Error("the promises of jobs that are gone stay, or those of others go")
	}

	path, secret, err := runs.Secret(dir, "")
	must(err)
	_, again, err := runs.Secret(dir, "")
	must(err)
	if info, err := os.Stat(path); err != nil || len(secret) < 32 || string(secret) != string(again) {
		t.Errorf("the secret is %q, and then %q", secret, again)
	} else if info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("others may read the secret: %v", info.Mode())
	}
	for mode, fine := range map[os.FileMode]bool{0o600: true, 0o640: true, 0o644: false, 0o602: false} {
		must(os.Chmod(path, mode))
		if _, _, err := runs.Secret("", path); os.PathSeparator == '/' && (err == nil) != fine {
			t.Errorf("a secret with %#o: %v", mode, err)
		}
	}
}
