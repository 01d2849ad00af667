//go:build !windows

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/studies/account"
)

func TestWhyWaits(t *testing.T) {
	row := func(id int64, name, state string, maps, done, reduces int) *store.Job {
		return &store.Job{ID: id, Run: 1, Name: name, State: state, Maps: store.Tally{Tasks: maps, Done: done}, Reduces: store.Tally{Tasks: reduces}}
	}
	me := row(3, "me", store.Waiting, 1, 0, 0)
	for want, others := range map[string][]*store.Job{
		"it waits: long (1 map to go) holds slots":                               {row(1, "long", store.Running, 1, 0, 0)},
		"it waits: a (2 maps and 1 reduce to go), b (1 reduce to go) hold slots": {row(1, "a", store.Running, 3, 1, 1), row(2, "b", store.Running, 3, 3, 1)},
		"it waits: long (1 map to go) holds slots; before it came early":         {row(1, "long", store.Running, 1, 0, 0), row(2, "early", store.Waiting, 1, 0, 0)},
		"none of its tasks has started yet":                                      {row(4, "late", store.Waiting, 1, 0, 0)},
	} {
		if got := whyWaits(me, append(others, me), time.Now()); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	me.Submitted = time.Now().Add(time.Hour)
	if got := whyWaits(me, []*store.Job{me}, time.Now()); !strings.HasPrefix(got, "it arrives at ") {
		t.Error(got)
	}
}

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
	if r := s.run("ask", "q.yaml"); !strings.Contains(r.stdout, "this is the answer of run 2, which takes jobs here, with all that it has to do, by fifo") {
		t.Error(r)
	}
	if r := s.run("ask", "q.yaml", "--policy", "fifo"); !strings.Contains(r.stdout, "takes jobs, and its own have 1 map to go: a job that is submitted to it may wait for these") {
		t.Error(r)
	}
	s.must(0, "submit", "q.yaml")
	const why = "it waits: long (1 map to go) holds slots"
	for args, want := range map[string]string{"show q": "deadline   60:00 min after submission: due in ", "jobs": "  waiting ", "show q -o json": `"reason": "` + why, "jobs -o json": `"reason": "` + why} {
		got := s.must(0, strings.Fields(args)...)
		if !strings.Contains(got, want) || args == "show q" && !strings.Contains(got, "why        "+why) {
			t.Errorf("%s: %s\nwant %s", args, got, want)
		}
	}
	// Its run says more of it: its place, and who is in the way.
	if w := whyJSON(t, s, "q"); w.Wait == nil || w.Wait.Cause != account.Slots || w.Wait.Place != 1 || len(w.Wait.Jobs) != 1 || w.Wait.Jobs[0].Job != "long" || len(w.Told) != 1 {
		t.Errorf("%+v", w)
	}
	told := strings.Join(strings.Fields(s.must(0, "why", "q")), " ")
	if want := "it waits for slots, with 1 map to start, as number 1 of 1 job in line; long holds 1 slot; the first is expected to be free "; !strings.Contains(told, want) {
		t.Errorf("%s\nwant %s", told, want)
	}
	s.write("go", "")
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
