package trace

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// In Slackline's own form a job that is not there, that comes later, or that waits itself, is a mistake, which is
// named with its cure. A lenient reader does without, and counts.
func TestAfterBad(t *testing.T) {
	job := func(id string, at int, after ...string) string {
		return fmt.Sprintf("{\"id\":%q,\"submit\":%d,\"after\":[%s]}\n", id, at, strings.Join(after, ","))
	}
	for text, want := range map[string]string{
		job("sort", 0) + job("b", 1, `"sort"`, `"sorts"`):                                        `t:3: after[1]: job "b" waits for job "sorts", which does not exist; did you mean "sort"?`,
		job("b", 1, `"sorts"`) + job("c", 2) + job("sort", 3):                                    `t:2: after[0]: job "b" waits for job "sorts", which does not exist; did you mean "sort"?`,
		job("a", 0, `"b"`) + job("b", 100):                                                       `t:2: after[0]: job "a" waits for job "b", which comes later (line 3); a job of a trace can only wait for jobs before it, so put it behind that one and let it be submitted no earlier`,
		job("a", 0, `"a"`):                                                                       `t:2: after[0]: job "a" waits for itself`,
		job("z", 0) + job("a", 1, `"z"`, `"b"`) + job("c", 1, `"a"`) + job("b", 2, `"z"`, `"c"`): `t:3: after[1]: job "a" waits for itself: a after b after c after a`,
	} {
		text = "{\"slackline_trace\":1}\n" + text
		if _, _, err := readAll(t, "slackline", text, false); err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", text, err, want)
		}
		jobs, r, err := readAll(t, "slackline", text, true)
		dropped := func(c Count) bool { return c.Reason == afterUnknown.word && c.Count == 1 }
		if a := r.Account(); err != nil || len(jobs) != strings.Count(text, "\n")-1 || !slices.ContainsFunc(a.FilledIn, dropped) {
			t.Errorf("lenient: %d jobs, %+v, %v", len(jobs), a, err)
		}
	}
}

// A lenient reader does without jobs that the trace does not have, or that are left out, and counts. So is one that
// came so long ago that it is taken as ended.
func TestAfterOfRecords(t *testing.T) {
	f, _ := Find("slackline")
	job := func(id, after int, more string) string {
		return fmt.Sprintf(`{"id":"j%d","submit":%d,"after":["j%d"]%s}`+"\n", id, id, after, more)
	}
	const head = "{\"slackline_trace\":1}\n{\"id\":\"j1\",\"submit\":1}\n"
	counts := func(text string) (jobs []*Job, filled map[string]int) {
		t.Helper()
		filled = map[string]int{}
		r := f.Open(strings.NewReader(head+text), Options{File: "t", Lenient: true, Fits: func(j *Job) (Reason, error) {
			if j.Class == "none" {
				return QueueClosed, errors.New("its queue is closed")
			}
			return Reason{}, nil
		}})
		for {
			j, err := r.Next()
			if errors.Is(err, io.EOF) {
				for _, c := range r.Account().FilledIn {
					filled[c.Reason] = c.Count
				}
				return jobs, filled
			} else if err != nil {
				t.Fatal(err)
			}
			jobs = append(jobs, j)
		}
	}
	jobs, filled := counts(job(2, 1, `,"class":"none"`) + job(3, 2, "") + job(4, 5, "") + job(5, 77, "") + job(6, 3, ""))
	if len(jobs) != 5 || len(jobs[4].After) != 1 || jobs[1].After != nil || filled[afterLeftOut.word] != 1 || filled[afterUnknown.word] != 2 {
		t.Errorf("%d jobs, %v", len(jobs), filled)
	}
	var text strings.Builder
	for i := range Remembered + 4 {
		text.WriteString(job(i+2, max(1, i+1-Remembered), ""))
	}
	if _, filled = counts(text.String()); filled[afterLong.word] != 4 {
		t.Errorf("%v", filled)
	}
}

// Sorted, a job may wait for one that stands behind it in the file, if it comes before it in time.
func TestAfterSorted(t *testing.T) {
	f, _ := Find("slackline")
	const head = "{\"slackline_trace\":1}\n"
	const a, b = `{"id":"a","submit":9,"after":["b"]}` + "\n", `{"id":"b","submit":3}` + "\n"
	r := f.Open(strings.NewReader(head+a+b), Options{File: "t", Sort: true})
	first, err := r.Next()
	if err != nil || first.ID != "b" || r.Line() != 3 {
		t.Fatal(first, err)
	}
	second, err := r.Next()
	if err != nil || len(second.After) != 1 || r.Line() != 2 {
		t.Fatal(second, err)
	}
	r = f.Open(strings.NewReader(head+strings.Replace(a, "9", "1", 1)+b), Options{File: "t", Sort: true})
	if _, err := r.Next(); err == nil || !strings.Contains(err.Error(), `t:2: after[0]: job "a" waits for job "b", which comes later (line 3)`) {
		t.Error(err)
	}
}

// Whatever jobs name: all are played, or reading ends with an error; none waits for one that is not before it, and
// what is not waited for is counted.
func TestAfterAny(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(rt, "jobs")
		var text strings.Builder
		text.WriteString("{\"slackline_trace\":1}\n")
		named := 0
		for i := range n {
			var after []string
			for range rapid.IntRange(0, 2).Draw(rt, "names") {
				after = append(after, fmt.Sprintf("%q", fmt.Sprint("j", rapid.IntRange(0, n).Draw(rt, "of"))))
			}
			named += len(after)
			fmt.Fprintf(&text, "{\"id\":\"j%d\",\"submit\":%d,\"after\":[%s]}\n", i, rapid.IntRange(0, 3).Draw(rt, "at"), strings.Join(after, ","))
		}
		f, _ := Find("slackline")
		for _, lenient := range []bool{false, true} {
			r := f.Open(strings.NewReader(text.String()), Options{File: "t", Sort: true, Lenient: lenient})
			before := map[string]bool{}
			waits := 0
			for {
				j, err := r.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					if lenient || !strings.Contains(err.Error(), "waits for") {
						rt.Fatal(err)
					}
					return
				}
				for _, id := range j.After {
					if waits++; !before[id] {
						rt.Fatalf("%s waits for %s, which is not before it:\n%s", j.ID, id, text.String())
					}
				}
				before[j.ID] = true
			}
			dropped := 0
			for _, c := range r.Account().FilledIn {
				if c.Reason == afterUnknown.word {
					dropped = c.Count
				}
			}
			if len(before) != n || waits+dropped != named || !lenient && dropped > 0 {
				rt.Fatalf("%d jobs of %d, %d names waited for and %d not, of %d", len(before), n, waits, dropped, named)
			}
		}
	})
}
