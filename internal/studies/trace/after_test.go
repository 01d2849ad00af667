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

// Records of other systems may name jobs that they do not have, or that are left out; these are not waited for, and
// counted. So is one that came so long ago that it is taken as ended.
func TestAfterOfRecords(t *testing.T) {
	swf := func(id int, run, status string, after int) string {
		return fmt.Sprintf("%d %d 0 %s 1 -1 -1 1 -1 -1 %s 1 1 1 1 1 %d -1\n", id, id, run, status, after)
	}
	jobs, r, err := readAll(t, "swf", swf(1, "5", "1", -1)+swf(2, "-1", "5", 1)+swf(3, "5", "1", 2)+swf(4, "5", "1", 5)+swf(5, "5", "1", 77)+swf(6, "5", "1", 3), false)
	if err != nil || len(jobs) != 5 || len(jobs[4].After) != 1 || jobs[1].After != nil || jobs[2].After != nil {
		t.Errorf("%+v, %v", jobs, err)
	}
	accounted(t, r, "never-ran 1; input-unknown 5, after-left-out 1, after-unknown 2")
	var text strings.Builder
	for i := range Remembered + 5 {
		text.WriteString(swf(i+1, "5", "1", max(1, i-Remembered)))
	}
	_, r, err = readAll(t, "swf", text.String(), false)
	if a := r.Account(); err != nil || len(a.FilledIn) != 3 || a.FilledIn[0].Reason != afterUnknown.word || a.FilledIn[2].Reason != afterLong.word || a.FilledIn[2].Count != 4 {
		t.Errorf("%+v, %v", a, err)
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
