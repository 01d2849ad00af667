//go:build !windows

package main

import (
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/units"
)

// A job that waits has its deadline and a reason at once, in show and in jobs, for people and programs. Who asks
// beside an open run is answered by that run.
func TestWaitingJobs(t *testing.T) {
	t.Parallel()
	const job = "name: NAME\nclass: s\nmap: sh -c 'HOLD; cat'\ninput: in.txt\noutput: out/NAME\nreduces: 0\ndeadline: 1h\n"
	s := newShell(t, map[string]string{"in.txt": "x\n", "q.yaml": strings.NewReplacer("NAME", "q", "HOLD", "true").Replace(job),
		"long.yaml": strings.NewReplacer("NAME", "long", "HOLD", "until test -e go; do sleep 0.1; done").Replace(job)})
	s.write("long.yaml", strings.Replace(s.read("long.yaml"), "-e go", "-e "+s.path("go"), 1))
	s.must(0, "run", "q.yaml", "-q")
	open := s.elsewhere("takes jobs", "run", "--open", "long.yaml", "--nodes", "1", "--slots", "1", "--policy", "fifo")
	s.awaits("a start", func() bool { return strings.Contains(s.run("show", "long").stdout, "running") })
	s.write("q.yaml", strings.Replace(s.read("q.yaml"), "out/q", "out/q2", 1))
	// The answer is that of the run, with all that it has to do; if another policy is asked for, of a run by that.
	if r := s.run("ask", "q.yaml"); !strings.Contains(r.stdout, "this is the answer of run 2, with all that it has to do, by fifo") {
		t.Error(r)
	}
	if r := s.run("ask", "q.yaml", "--policy", "fifo"); !strings.Contains(r.stdout, "takes jobs, and its own have 1 map to go: a job that is submitted to it may wait for these") {
		t.Error(r)
	}
	s.must(0, "submit", "q.yaml")
	// Its run says what it waits for, who frees that and when, and its place: the same in why, in show and in jobs.
	w := whyJSON(t, s, "q")
	if w.Wait == nil || w.Wait.Cause != account.Slots || w.Wait.Place != 1 || len(w.Wait.Jobs) != 1 || w.Wait.Jobs[0].Job != "long" || w.Wait.Next == nil || len(w.Told) != 1 {
		t.Errorf("%+v", w)
	}
	why := "it waits for slots: long holds 1 slot; "
	if i := strings.Index(w.Waits, "; 1 map to start, next of 1 job in line"); !strings.HasPrefix(w.Waits, why) || i < 0 {
		t.Error(w.Waits)
	}
	for args, want := range map[string]string{"why q": why, "show q": "why        " + why, "jobs -o wide": " slots of long, ", "show q -o json": `"reason": "` + why,
		"jobs -o json": `"reason": "` + why, "jobs -o json ": `"cause": "slots"`, "show q -o json ": `"place": 1`, "show q ": "deadline   1:00:00 h after submission: due in "} {
		if got := s.must(0, strings.Fields(args)...); !strings.Contains(strings.Join(strings.Fields(got), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("%s: %s\nwant %s", args, got, want)
		}
	}
	if got := s.must(0, "jobs", "--name", "long"); strings.Contains(got, "slots of") {
		t.Errorf("it waits for nothing: %s", got)
	}
	// A job that has ended has its account at once, and its run goes on.
	s.write("go", "")
	s.awaits("an end", func() bool { return s.jobs("--name", "q").Jobs[0].State == store.Finished })
	w = whyJSON(t, s, "q")
	sum := units.Duration(0)
	for i := range w.Account.Parts {
		sum += w.Account.Parts[i].Took
	}
	if sum != w.Account.Response() || !strings.Contains(s.must(0, "why", "q"), "waited for slots") {
		t.Errorf("%+v", w.Account)
	}
	s.must(0, "close")
	<-open.ended
	if j := s.jobs("--name", "q").Jobs[0]; j.State != store.Finished || j.Reason != "" {
		t.Errorf("%+v", j)
	}
}

// A job that waits for one that is refused is told so, and is not in time.
func TestAskBehindRefused(t *testing.T) {
	t.Parallel()
	const job = "name: NAME\nclass: m\nmap: cat\ninput: in.txt\noutput: out/NAME\nreduces: 0\n"
	s := newShell(t, map[string]string{"in.txt": "x\n", "m.yaml": strings.ReplaceAll(job, "NAME", "m"),
		"two.yaml": strings.ReplaceAll(job, "NAME", "a1") + "deadline: 1us\n---\n" + strings.ReplaceAll(job, "NAME", "a2") + "after: a1\n---\n" + strings.ReplaceAll(job, "NAME", "a3") + "after: a2\n"})
	s.must(0, "run", "m.yaml", "-q")
	r := s.run("ask", "two.yaml", "--policy", "rtmr")
	if r.code != exitNo || !strings.Contains(r.stdout, `job "a2": refused: it waits for a1, which is refused`) || !strings.Contains(r.stdout, `job "a3": refused: it waits for a2, which would not finish`) {
		t.Errorf("%d: %s%s", r.code, r.stdout, r.stderr)
	}
}
