package store

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/workload"
)

// asProcess makes the test binary a process that runs a job in the store, learns, and waits to be
// told to end, or killed.
const asProcess = "SLACKLINE_TEST_STORE"

func TestMain(m *testing.M) {
	if path := os.Getenv(asProcess); path != "" {
		if err := process(path); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func process(path string) error {
	s, err := Open(path)
	if err != nil {
		return err
	}
	jobs := []*Job{{Name: "other", Class: "words", State: Running, Submitted: day}}
	l, err := s.Begin(Run{Name: "other", Policy: "fifo", PID: os.Getpid(), Began: day}, jobs)
	if err != nil {
		return err
	}
	fmt.Println("began", l.Run.ID)
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return nil
	}
	for range 50 {
		if err := l.Save(Change{Taught: []*profile.Class{taught("words", 1)}}); err != nil {
			return err
		}
	}
	jobs[0].State = Finished
	if err := l.Save(Change{Jobs: jobs, Report: json.RawMessage("{}"), Ended: day}); err != nil {
		return err
	}
	return errors.Join(l.Close(), s.Close())
}

// other is such a process.
type other struct {
	cmd *exec.Cmd
	in  interface{ Write([]byte) (int, error) }
	out *bufio.Reader
}

func startOther(t *testing.T, path string) *other {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asProcess+"="+path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return &other{cmd, in, bufio.NewReader(out)}
}

func (o *other) line(t *testing.T) string {
	t.Helper()
	line, err := o.out.ReadString('\n')
	if err != nil {
		t.Fatal(err, line)
	}
	return strings.TrimSpace(line)
}

var day = time.Unix(0, 1_800_000_000_000_000_000)

func names(jobs []*Job) (list []string) {
	for _, j := range jobs {
		list = append(list, j.Name+" "+j.State)
	}
	return list
}

func chosen(t *testing.T, s *Store, f JobFilter) []string {
	t.Helper()
	jobs, err := s.Jobs(f)
	if err != nil {
		t.Fatal(err)
	}
	return names(jobs)
}

func TestHistory(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s.db"))
	if jobs := chosen(t, s, JobFilter{}); jobs != nil {
		t.Error(jobs)
	}
	late := day.Add(time.Hour)
	jobs := []*Job{
		{Name: "words", Class: "wordcount", State: Waiting, Submitted: day, Deadline: &late},
		{Name: "find", Class: "grep", State: Waiting, Submitted: late},
	}
	l, err := s.Begin(Run{Name: "words+find", Policy: "edf-p", Seed: 1<<64 - 1, PID: 7, Began: day}, jobs)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Beside) != 0 || jobs[0].ID != 1 || jobs[1].ID != 2 || l.Run.ID != 1 {
		t.Errorf("%+v %+v", l, jobs)
	}
	jobs[0].State, jobs[0].Counters = Finished, map[string]int64{"MAP_INPUT_RECORDS": 3}
	jobs[1].State, jobs[1].Reason = Failed, "map task 1 failed"
	attempts := []*Attempt{
		{Job: 1, Stage: "map", Task: 1, Try: 1, Node: "n1", Outcome: "failed", Reason: "it broke", Began: day, Output: "goroutine 1\n"},
		{Job: 1, Stage: "map", Task: 1, Try: 2, Node: "n2", Outcome: "committed", Began: day.Add(1), Counters: map[string]int64{"X": 1}},
		{Job: 1, Stage: "reduce", Task: 1, Try: 1, Node: "n1", Outcome: "committed", Began: day.Add(2)},
		{Job: 2, Stage: "map", Task: 1, Try: 1, Node: "n1", Outcome: "committed", Began: day},
	}
	if err := l.Save(Change{Jobs: jobs, Attempts: attempts}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Jobs(JobFilter{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]*Job{jobs[1], jobs[0]}, got); d != "" {
		t.Error(d)
	}
	for _, c := range []struct {
		filter JobFilter
		want   string
	}{
		{JobFilter{ID: 2}, "find failed"}, {JobFilter{ID: 3}, ""}, {JobFilter{Name: "words"}, "words finished"}, {JobFilter{Class: "grep"}, "find failed"},
		{JobFilter{Policy: "fifo"}, ""}, {JobFilter{States: []string{Failed, Killed}}, "find failed"}, {JobFilter{Since: late}, "find failed"},
		{JobFilter{Limit: 1}, "find failed"}, {JobFilter{Run: 1, States: []string{Finished}}, "words finished"}, {JobFilter{Name: "wor%"}, ""},
	} {
		if got := strings.Join(chosen(t, s, c.filter), ", "); got != c.want {
			t.Errorf("%+v: %q, want %q", c.filter, got, c.want)
		}
	}
	for _, c := range []struct {
		filter AttemptFilter
		want   []*Attempt
	}{
		{AttemptFilter{}, attempts[:3]}, {AttemptFilter{Stage: "map"}, attempts[:2]}, {AttemptFilter{Stage: "map", Task: 2}, nil},
		{AttemptFilter{Outcomes: []string{"failed"}}, attempts[:1]}, {AttemptFilter{Node: "n1", Limit: 1}, attempts[:1]},
	} {
		got, err := s.Attempts(1, c.filter)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%+v: %s", c.filter, d)
		}
	}
	if r, err := s.Run(1); err != nil || r.Seed != 1<<64-1 || r.Ended != nil || r.Report != nil || !r.Began.Equal(day) {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := s.Last("words+find", "edf-p"); err != nil || r != nil {
		t.Errorf("%s, %v", r, err)
	}
	if err := l.Save(Change{Report: json.RawMessage(`{"a": 1}`), Ended: late}); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Last("words+find", "edf-p"); err != nil || string(r) != `{"a": 1}` {
		t.Errorf("%s, %v", r, err)
	}
	if r, err := s.Run(1); err != nil || !r.Ended.Equal(late) {
		t.Errorf("%+v, %v", r, err)
	}
	if list, err := s.JobNames(); err != nil || fmt.Sprint(list) != "[find words]" {
		t.Error(list, err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// What is old goes, with its attempts, and numbers are not given again.
func TestOldJobsGo(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s.db"))
	s.most = 50
	begin := func(n int) *Live {
		t.Helper()
		jobs := make([]*Job, n)
		for i := range jobs {
			jobs[i] = &Job{Name: fmt.Sprint(i), State: Finished, Submitted: day}
		}
		l, err := s.Begin(Run{Name: "many", Began: day}, jobs)
		if err == nil {
			err = l.Save(Change{Attempts: []*Attempt{{Job: jobs[0].ID, Stage: "map", Task: 1, Try: 1}}, Report: json.RawMessage("{}"), Ended: day})
		}
		if err = errors.Join(err, l.Close()); err != nil {
			t.Fatal(err)
		}
		return l
	}
	begin(2)
	begin(49)
	if n := len(chosen(t, s, JobFilter{})); n != 50 {
		t.Errorf("%d jobs", n)
	}
	if a, err := s.Attempts(1, AttemptFilter{}); err != nil || len(a) != 0 {
		t.Error(a, err)
	}
	if _, err := s.Run(1); err != nil {
		t.Error("a run went of which a job is there:", err)
	}
	if l := begin(1); l.Run.ID != 3 {
		t.Error(l.Run.ID)
	}
	if _, err := s.Run(1); err == nil {
		t.Error("a run without jobs stays")
	}
}

// Processes run beside each other, learn at once, and end or are killed.
func TestProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "s.db")
	var others []*other
	for range 3 { // at once, on a file that is not there yet
		others = append(others, startOther(t, path))
	}
	for _, o := range others {
		if line := o.line(t); !strings.HasPrefix(line, "began ") {
			t.Fatal(line)
		}
	}
	s := open(t, path)
	mine := []*Job{{Name: "mine", State: Running, Submitted: day}}
	l, err := s.Begin(Run{Name: "mine", Began: day}, mine)
	if err != nil || len(l.Beside) != 3 {
		t.Fatalf("%+v, %v", l, err)
	}
	want := []string{"mine running", "other running", "other running", "other running"}
	if d := cmp.Diff(want, chosen(t, s, JobFilter{})); d != "" {
		t.Error(d)
	}
	// One is killed: what it ran is interrupted, before anybody has written that down and after.
	_ = others[2].cmd.Process.Kill()
	_ = others[2].cmd.Wait()
	if got := chosen(t, s, JobFilter{States: []string{Interrupted}}); len(got) != 1 {
		t.Error(got)
	}
	if got := chosen(t, s, JobFilter{States: []string{Running}}); len(got) != 3 {
		t.Error(got)
	}
	again, err := s.Begin(Run{Name: "again", Began: day}, nil)
	if err != nil || len(again.Beside) != 3 {
		t.Fatalf("%+v, %v", again, err)
	}
	if got := chosen(t, s, JobFilter{States: []string{Interrupted}}); len(got) != 1 {
		t.Error(got)
	}
	// The others learn at once with this one.
	var all sync.WaitGroup
	for _, o := range others[:2] {
		all.Go(func() {
			if _, err := o.in.Write([]byte("go\n")); err != nil {
				t.Error(err)
			}
			if line, err := o.out.ReadString('\n'); err == nil {
				t.Error(line)
			}
			if err := o.cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	for range 50 {
		if err := l.Save(Change{Taught: []*profile.Class{taught("words", 1)}}); err != nil {
			t.Fatal(err)
		}
	}
	all.Wait()
	if known, err := s.Profiles(); err != nil || len(known) != 1 || known[0].Runs != 150 || known[0].Any(workload.Map).Task.N != 150 {
		t.Errorf("%+v, %v", known, err)
	}
	if err := errors.Join(l.Close(), again.Close()); err != nil {
		t.Error(err)
	}
	want = []string{"mine interrupted", "other finished", "other finished", "other interrupted"}
	got := chosen(t, s, JobFilter{})
	last := got[1:]
	if strings.Join(got[:1], "") != want[0] || len(last) != 3 || strings.Count(strings.Join(last, ","), "finished") != 2 {
		t.Error(got)
	}
	if left, err := os.ReadDir(filepath.Join(filepath.Dir(path), "running")); err != nil || len(left) != 0 {
		t.Error(left, err)
	}
}

// Jobs that a build before this wrote down as rejected are refused, also where nothing can be written.
func TestRejectedIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Begin(Run{Name: "r", Policy: "rtmr", Began: time.Unix(1, 0)}, []*Job{{Name: "old", State: "rejected"}, {Name: "new", State: Refused}, {Name: "other", State: Finished}})
	if err != nil {
		t.Fatal(err)
	}
	check := func(s *Store) {
		t.Helper()
		jobs, err := s.Jobs(JobFilter{States: []string{Refused}})
		if err != nil || len(jobs) != 2 || jobs[0].Name != "new" || jobs[1].Name != "old" || jobs[1].State != Refused {
			t.Errorf("%+v, %v", jobs, err)
		}
	}
	check(s)
	if err := errors.Join(l.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	old, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	check(old)
	if err := old.Close(); err != nil {
		t.Error(err)
	}
}

// A store that the version before wrote keeps what it knows, and can be read where nothing can be written.
func TestVersion1(t *testing.T) {
	text, err := os.ReadFile("testdata/_version1.db")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "s.db")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	check := func(s *Store) {
		t.Helper()
		known, err := s.Profiles()
		if err != nil || len(known) != 1 || known[0].Name != "wordcount" || known[0].Runs != 1 || known[0].Any(workload.Map).Task.N != 1 {
			t.Errorf("%+v, %v", known, err)
		}
		if jobs := chosen(t, s, JobFilter{}); jobs != nil {
			t.Error(jobs)
		}
		if r, err := s.Last("w", "edf-p"); r != nil || err != nil {
			t.Error(r, err)
		}
	}
	old, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	check(old)
	if err := old.Learn(taught("words", 1)); err == nil || !strings.HasSuffix(err.Error(), ": it cannot be written to") {
		t.Error(err)
	}
	if err := old.Close(); err != nil {
		t.Error(err)
	}
	s := open(t, path)
	check(s)
	l, err := s.Begin(Run{Name: "a", Began: day}, []*Job{{Name: "a", State: Waiting, Submitted: day}})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	none, err := OpenReadOnly(filepath.Join(t.TempDir(), "none.db"))
	if err != nil || !none.Absent() {
		t.Fatalf("where there is no file: %v, %v", none, err)
	}
	jobs, err1 := none.Jobs(JobFilter{})
	names, err2 := none.JobNames()
	known, err3 := none.Profiles()
	open, err4 := none.Alive()
	_, err5 := none.Run(1)
	if err := errors.Join(err1, err2, err3, err4, none.Close()); err != nil || jobs != nil || names != nil || known != nil || open != nil {
		t.Errorf("it has %v, %v, %v, %v: %v", jobs, names, known, open, err)
	}
	if !errors.Is(err5, sql.ErrNoRows) {
		t.Errorf("it has a run: %v", err5)
	}
}
