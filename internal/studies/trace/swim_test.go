package trace

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/units"
)

func readAll(t testing.TB, format, text string, lenient bool) ([]Job, Reader, error) {
	t.Helper()
	f, err := Find(format)
	if err != nil {
		t.Fatal(err)
	}
	r := f.Open(strings.NewReader(text), Options{File: "t", Lenient: lenient})
	var all []Job
	for {
		j, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, r, nil
		}
		if err != nil {
			return all, r, err
		}
		all = append(all, *j)
	}
}

func TestSWIM(t *testing.T) {
	all, _, err := readAll(t, "swim", "a\t9\t9\t1762\t0\t14347\r\n\nb\t18.5\t9\t970\t609\t697\tin/1\t\t\n", false)
	if err != nil {
		t.Fatal(err)
	}
	want := []Job{
		{ID: "a", Submit: units.Time(9 * units.Second), Input: 1762, Output: 14347},
		{ID: "b", Submit: units.Time(18500 * units.Millisecond), Input: 970, Shuffle: 609, Output: 697, Path: "in/1"},
	}
	if d := cmp.Diff(want, all); d != "" {
		t.Fatal(d)
	}
}

func TestSWIMBad(t *testing.T) {
	for line, want := range map[string]string{
		"a\t9\t9\t1762\t0":                    "t:2: it has 5 fields separated by tabs, a job has 6 or more: name, submit time, gap, input, shuffle and output bytes",
		"a 9 9 1762 0 5":                      "t:2: it has 1 fields separated by tabs, a job has 6 or more: name, submit time, gap, input, shuffle and output bytes",
		"\t9\t9\t1762\t0\t1":                  "t:2: job: it is empty",
		"a\xff\t9\t9\t1762\t0\t1":             "t:2: job: \"a\\xff\" is not UTF-8",
		"a\tx\t9\t1762\t0\t1":                 "t:2: submit time: \"x\" is not a time in seconds",
		"a\tNaN\t9\t1762\t0\t1":               "t:2: submit time: \"NaN\" is not a time in seconds",
		"a\t-9\t9\t1762\t0\t1":                "t:2: submit time: \"-9\" is negative",
		"a\t1e300\t9\t1762\t0\t1":             "t:2: submit time: \"1e300\" seconds are more than 30 years",
		"a\t4\t9\t1762\t0\t1":                 "t:2: submit time: 4s is before the 5s of the job before; slackline workload import --sort puts a trace in order",
		"a\t9\t9\t9000000000000000000\t0\t1":  `t:2: job "a": ~8185452.32TB of input are 67055225373 maps of 128MB, at most 10000000 are possible`,
		"z\t9\t9\t1\t0\t1":                    `t:2: job "z" was already listed`,
		"a\t9\t9\t-2\t0\t1":                   "t:2: map input bytes: -2 is negative",
		"a\t9\t9\t1\t99999999999999999999\t1": "t:2: shuffle bytes: \"99999999999999999999\" is too large",
		"a\t9\t9\t1\t1\tmany":                 "t:2: reduce output bytes: \"many\" is not a number",
	} {
		text := "z\t5\t5\t1\t1\t1\n" + line + "\ny\t50\t5\t1\t1\t1\n"
		_, _, err := readAll(t, "swim", text, false)
		if err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", line, err, want)
		}
		all, r, err := readAll(t, "swim", text, true)
		if err != nil || len(all) != 2 || all[1].ID != "y" {
			t.Errorf("%q, lenient: %v, %v", line, all, err)
		}
		leftOut(t, r, unreadable, 1, want)
	}
}

// endless repeats a byte without end.
type endless struct {
	head string
	with byte
	read int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.with
		if e.read+i < len(e.head) {
			p[i] = e.head[e.read+i]
		}
	}
	e.read += len(p)
	return len(p), nil
}

// A record without an end is refused in every form after MaxRecord, lenient or not, before it is read into memory.
func TestNoRecordWithoutBound(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads a GB")
	}
	heads := map[string]string{"slackline": "{\"slackline_trace\":1}\n", "jhist": jhistHead}
	for _, f := range Formats() {
		for _, lenient := range []bool{false, true} {
			in := &endless{head: heads[f.Name] + "{\"a\":", with: '['}
			_, err := f.Open(in, Options{File: "t", Lenient: lenient}).Next()
			if err == nil || !strings.HasSuffix(err.Error(), "is longer than 64MB") {
				t.Fatalf("%s: %v", f.Name, err)
			}
			if in.read > MaxRecord+MaxRecord/8 {
				t.Fatalf("%s: it read %d bytes of one record", f.Name, in.read)
			}
		}
	}
}

func FuzzSWIM(f *testing.F) {
	f.Add("a\t9\t9\t1762\t0\t14347\nb\t18.5\t9\t970\t609\t697\tin/1\t\t\n", false)
	f.Add("a\t9\t9\t\t0\t14347\n", true)
	f.Fuzz(func(t *testing.T, text string, lenient bool) { checkReader(t, "swim", text, lenient) })
}

// checkReader reads whatever it is and checks what holds for every format: errors name their place,
// times do not run backwards, nothing is negative that is not unknown.
func checkReader(t *testing.T, format, text string, lenient bool) {
	f, err := Find(format)
	if err != nil {
		t.Fatal(err)
	}
	r := f.Open(strings.NewReader(text), Options{File: "t", Lenient: lenient})
	at := units.Time(0)
	for range 1000 { // a record may stand for many jobs
		j, err := r.Next()
		if e := (*Error)(nil); err != nil && !errors.Is(err, io.EOF) && (!errors.As(err, &e) || e.Line < 1 || e.Text == "") {
			t.Fatalf("an error without its place: %v", err)
		}
		if err != nil {
			return
		}
		if j.ID == "" || j.Submit < at || min(j.Input, j.Shuffle, j.Output) < Unknown || j.Deadline < 0 {
			t.Fatalf("job %+v", j)
		}
		at = j.Submit
		for i := range j.Stages {
			for _, u := range j.Stages[i].Tasks {
				if u.Count < 1 || u.Input < Unknown || u.Time < UnknownTime || u.Shuf < 0 || i > 0 && j.Stages[i].Kind <= j.Stages[i-1].Kind {
					t.Fatalf("stage %+v", j.Stages[i])
				}
			}
		}
		n := 0
		for i := range j.Stages {
			n += j.Stages[i].Count()
		}
		if n > 10_000 || j.Input > 10_000*128*units.MB {
			continue // it is possible, and takes a while
		}
		rule := DefaultRule(5)
		if w, err := rule.Unfold(j, 1); err != nil || w.Validate() != nil {
			t.Fatalf("job %+v: %v, %v", j, err, w)
		}
	}
}
