package trace

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// An ID that stands a second time is found however far apart the two are, and a job that comes to
// too many maps where it stands.
func TestAdmitRemembers(t *testing.T) {
	var text strings.Builder
	text.WriteString("{\"slackline_trace\":1}\n")
	const jobs = Remembered + 10
	for i := range jobs {
		fmt.Fprintf(&text, "{\"id\":\"j%d\",\"submit\":%d,\"input\":1}\n", i, i)
	}
	fmt.Fprintf(&text, "{\"id\":\"j0\",\"submit\":%d,\"input\":1}\n{\"id\":\"large\",\"submit\":%d,\"input\":%d}\n", jobs, jobs, 2*MaxTasks*(128*units.MB))
	want := fmt.Sprintf("t:%d: job \"j0\" was already listed", jobs+2)
	if _, _, err := readAll(t, "slackline", text.String(), false); err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	all, r, err := readAll(t, "slackline", text.String(), true)
	if err != nil || len(all) != jobs {
		t.Errorf("%d jobs, %v", len(all), err)
	}
	leftOut(t, r, unreadable, 2, want)
	f, err := Find("slackline")
	if err != nil {
		t.Fatal(err)
	}
	large := "{\"slackline_trace\":1}\n" + fmt.Sprintf("{\"id\":\"large\",\"submit\":0,\"input\":%d}\n", 2*MaxTasks*(128*units.MB))
	for block, fits := range map[units.Bytes]bool{0: false, 128 * units.MB: false, 256 * units.MB: true} {
		if _, err := f.Open(strings.NewReader(large), Options{File: "t", Block: block}).Next(); (err == nil) != fits || err != nil && !strings.HasPrefix(err.Error(), "t:2: job \"large\"") {
			t.Errorf("blocks of %v: %v", block, err)
		}
	}
}

// write writes jobs in a form.
func write(t testing.TB, jobs []Job) string {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out)
	for i := range jobs {
		if err := w.Write(&jobs[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// leftOut checks that a reader has left out so many records for one reason, and for no other.
func leftOut(t *testing.T, r Reader, why Reason, count int, first string) {
	t.Helper()
	left := r.Account().LeftOut
	if len(left) != 1 || left[0].Why != why.why || left[0].Count != count || left[0].First != first {
		t.Errorf("left out: %+v, want %d %s, the first %s", left, count, why.why, first)
	}
}

// accounted checks what a reader has counted: what is left out, then what is filled in.
func accounted(t *testing.T, r Reader, want string) {
	t.Helper()
	say := func(list []Count) string {
		var all []string
		for _, c := range list {
			if all = append(all, fmt.Sprintf("%s %d", c.Reason, c.Count)); c.First == "" || c.Why == "" {
				t.Errorf("a count without its first: %+v", c)
			}
		}
		return strings.Join(all, ", ")
	}
	if a := r.Account(); say(a.LeftOut)+"; "+say(a.FilledIn) != want {
		t.Errorf("accounted: %s; %s\nwant       %s", say(a.LeftOut), say(a.FilledIn), want)
	}
}

// badInputs reads each text, strictly: it must end with that error; and leniently: the jobs left
// must be those named, with one record left out for that same reason.
func badInputs(t *testing.T, format, before, after, left string, table map[string]string) {
	t.Helper()
	for record, want := range table {
		text := before + record + after
		_, _, err := readAll(t, format, text, false)
		if err == nil || err.Error() != want {
			t.Errorf("%.200q:\n got %v\nwant %s", record, err, want)
		}
		all, r, err := readAll(t, format, text, true)
		var ids []string
		for _, j := range all {
			ids = append(ids, j.ID)
		}
		if got := strings.Join(ids, " "); err != nil || got != left {
			t.Errorf("%.200q, lenient: %s, want %s (%v)", record, got, left, err)
		}
		leftOut(t, r, unreadable, 1, want)
	}
}

// fatalInputs are refused, lenient or not.
func fatalInputs(t *testing.T, format string, table map[string]string) {
	t.Helper()
	for text, want := range table {
		for _, lenient := range []bool{false, true} {
			if _, _, err := readAll(t, format, text, lenient); err == nil || err.Error() != want {
				t.Errorf("%.200q, lenient %v:\n got %v\nwant %s", text, lenient, err, want)
			}
		}
	}
}

const neutralSample = `{"slackline_trace":1}
{"id":"j1","class":"sort","queue":"prod","user":"ann","submit":12.5,"deadline":600,"priority":-1,"input":1048576,"shuffle":1048576,"output":1024,"path":"in/a","stages":[{"kind":"map","needs":{"memory":1073741824,"vcores":1},"tasks":[{"count":4,"input":262144,"time":20.000000001,"hosts":["n1","n2"]}]},{"kind":"reduce","tasks":[{"count":1,"time":30,"shuffle":5}]}]}
{"id":"j2","submit":13,"after":["j1"]}
`

func TestNeutral(t *testing.T) {
	all, _, err := readAll(t, "slackline", neutralSample, false)
	if err != nil {
		t.Fatal(err)
	}
	want := []Job{
		{ID: "j1", Class: "sort", Queue: "prod", User: "ann", Submit: units.Time(12500 * units.Millisecond), Deadline: 10 * units.Minute, Priority: -1,
			Input: units.MB, Shuffle: units.MB, Output: units.KB, Path: "in/a", Stages: []Stage{
				{Kind: workload.Map, Needs: units.Vector{units.VCores: 1, units.Memory: int64(units.GB)},
					Tasks: []Task{{Count: 4, Input: 256 * units.KB, Time: 20*units.Second + 1, Hosts: []string{"n1", "n2"}}}},
				{Kind: workload.Reduce, Tasks: []Task{{Count: 1, Input: Unknown, Time: 30 * units.Second, Shuf: 5 * units.Second}}},
			}},
		{ID: "j2", Submit: units.Time(13 * units.Second), After: []string{"j1"}, Input: Unknown, Shuffle: Unknown, Output: Unknown},
	}
	if d := cmp.Diff(want, all); d != "" {
		t.Fatal(d)
	}
	if d := cmp.Diff(neutralSample, write(t, all)); d != "" {
		t.Fatal(d)
	}
	if got := write(t, nil); got != "{\"slackline_trace\":1}\n" {
		t.Fatalf("a trace without jobs: %q", got)
	}
}

func TestNeutralBad(t *testing.T) {
	table := map[string]string{
		`{"id":"a","submit":6`:             `t:3: it is not JSON: unexpected end of JSON input`,
		`["a"]`:                            `t:3: a JSON array is not allowed there`,
		`{"id":"","submit":6}`:             `t:3: id: it is empty`,
		`{"submit":6}`:                     `t:3: id: it is empty`,
		`{"id":"a","submit":6,"queue":""}`: `t:3: queue: it is empty; leave it out`,
		`{"id":"a","submit":6,"class":"","user":""}`: `t:3: class: it is empty; leave it out`,
		`{"id":"z","submit":6}`:                      `t:3: job "z" was already listed`,
		"{\"id\":\"a\xff\",\"submit\":6}":            `t:3: "{\"id\":\"a\xff\",\"submit" is not UTF-8`,
		`{"id":"a"}`:                                 `t:3: submit: it is missing; a job needs a time of submission`,
		`{"id":"a","submit":-6}`:                     `t:3: submit: "-6" is negative`,
		`{"id":"a","submit":"six"}`:                  `t:3: submit: "six" is not a time in seconds`,
		`{"id":"a","submit":1e300}`:                  `t:3: submit: "1e300" seconds are more than 30 years`,
		`{"id":"a","submit":4}`:                      `t:3: submit: 4s is before the 5s of the job before; slackline workload import --sort puts a trace in order`,
		`{"id":"a","submit":6,"input":-2}`:           `t:3: input: -2 is negative`,
		`{"id":"a","submit":6,"shuffle":1e30}`:       `t:3: shuffle: "1e30" is too large`,
		`{"id":"a","submit":6,"priority":"x"}`:       `t:3: priority: "x" is not a whole number from -1000000 to 1000000`,
		`{"id":"a","submit":1700000000}`:             `t:3: submit: "1700000000" seconds are more than 30 years; is that a time of UNIX? Times count from the start of the trace`,
		`{"id":"a","submit":6,"shufle":5}`:           `t:3: unknown key "shufle"; did you mean "shuffle"?`,
		`{"id":"a","submit":6,"input":5,"input":6}`:  `t:3: the key "input" is given twice`,
		`{"id":"a","submit":6,"sub\u006dit":7}`:      `t:3: the key "submit" is given twice`,
		`{"id":"a","submit":6,"stages":[{"kind":"map","needs":{"vcores":1,"vcores":2},"tasks":[{}]}]}`:              `t:3: stages[0].needs: the key "vcores" is given twice`,
		`{"id":"a","submit":6,"stages":[{"kind":"map","tasks":[{"time":1,"time":2}]}]}`:                             `t:3: stages[0].tasks[0]: the key "time" is given twice`,
		`{"id":"a","sub\u006dit":7,"colour":[{"id":1}],"x":1}`:                                                      `t:3: unknown key "colour"; there are: after, class, deadline, id, input, labels, output, path, priority, queue, shuffle, stages, submit, user`,
		`{"id":"a","submit":6,"Input":5}`:                                                                           `t:3: unknown key "Input"; did you mean "input"?`,
		`{"id":"a","submit":6,"stages":[{"kind":"map","task":[{}]}]}`:                                               `t:3: stages[0]: unknown key "task"; did you mean "tasks"?`,
		`{"id":"a","submit":6,"stages":[{"kind":"map","tasks":[{"time":1},{"tme":2}]}]}`:                            `t:3: stages[0].tasks[1]: unknown key "tme"; did you mean "time"?`,
		`{"id":"a","submit":6,"user":[]}`:                                                                           `t:3: user: "[]" is not a text`,
		`{"id":"a","submit":6,"stages":5}`:                                                                          `t:3: stages: "5" is not a list`,
		`{"id":"a","submit":6,"stages":[7]}`:                                                                        `t:3: stages[0]: a JSON number is not allowed there`,
		`{"id":"a","submit":6,"stages":[{"kind":"mop"}]}`:                                                           `t:3: stages[0].kind: there is no stage "mop" (master, map, reduce, other0, other1, other2)`,
		`{"id":"a","submit":6,"stages":[{"kind":"map"}]}`:                                                           `t:3: job "a": stage map has no task`,
		`{"id":"a","submit":6,"stages":[{"kind":"map","needs":{"cpus":1}}]}`:                                        `t:3: stages[0].needs: there is no resource "cpus"`,
		`{"id":"a","submit":6,"stages":[{"kind":"map","needs":{"vcores":-1}}]}`:                                     `t:3: stages[0].needs.vcores: -1 is negative`,
		`{"id":"a","submit":6,"stages":[{"kind":"map","tasks":[{"count":0}]}]}`:                                     `t:3: stages[0].tasks[0].count: 0 is not from 1 to 10000000`,
		`{"id":"a","submit":6,"stages":[{"kind":"map","tasks":[{"time":1},{"time":-2}]}]}`:                          `t:3: stages[0].tasks[1].time: "-2" is negative`,
		`{"id":"a","submit":6,"stages":[{"kind":"map","tasks":[{"count":9000000},{"count":9000000,"time":1}]}]}`:    `t:3: job "a" has more than 10000000 tasks`,
		`{"id":"a","submit":6,"stages":[{"kind":"reduce","tasks":[{}]},{"kind":"map","tasks":[{}]}]}`:               `t:3: job "a": stage map comes after stage reduce`,
		`{"id":"a","submit":6,"stages":[{"kind":"map","tasks":[{"hosts":[` + strings.Repeat(`"",`, 64) + `""]}]}]}`: `t:3: stages[0].tasks[0].hosts: there are more than 64, which no job has`,
	}
	badInputs(t, "slackline", "{\"slackline_trace\":1}\n{\"id\":\"z\",\"submit\":5}\n", "\n{\"id\":\"y\",\"submit\":50}\n", "z y", table)
	fatalInputs(t, "slackline", map[string]string{
		"\n\n":                              `t:1: there is no job in it`,
		"{\"id\":\"a\",\"submit\":6}\n":     `t:1: the file does not begin with {"slackline_trace":1}, as slackline's own traces do; name another format`,
		"{\"slackline_trace\":1,\"x\":2}\n": `t:1: unknown key "x"; there are: slackline_trace`,
		"{\"slackline_trace\":2}\n":         `t:1: version "2" of the format is not known, only 1`,
	})
}

func TestNeutralListsTooMany(t *testing.T) {
	if testing.Short() {
		t.Skip("a record of 20 MB")
	}
	text := "{\"slackline_trace\":1}\n" + `{"id":"a","submit":6,"stages":[{"kind":"map","tasks":[` + strings.Repeat(`{"time":1},{"time":2},`, 1<<19) + `{}]}]}`
	_, _, err := readAll(t, "slackline", text, false)
	if err == nil || err.Error() != "t:2: stages[0].tasks: there are more than 1048576, which no job has" {
		t.Fatal(err)
	}
}

func TestNothing(t *testing.T) {
	for _, f := range Formats() {
		_, _, err := readAll(t, f.Name, "", false)
		if err == nil || err.Error() != "t:1: there is no job in it" {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

// anyJobs draws what a trace may say. span is the step of times.
func anyJobs(span units.Duration) *rapid.Generator[[]Job] {
	return rapid.Custom(func(t *rapid.T) []Job {
		size := rapid.Custom(func(t *rapid.T) units.Bytes { return units.Bytes(rapid.Int64Range(-1, 1<<50).Draw(t, "bytes")) })
		time := rapid.Custom(func(t *rapid.T) units.Duration {
			return span * units.Duration(rapid.Int64Range(0, int64(9e16/span)).Draw(t, "time"))
		})
		text := rapid.StringN(0, 5, 20)
		var jobs []Job
		at := units.Time(0)
		for i := range rapid.IntRange(1, 4).Draw(t, "jobs") {
			at = at.Add(time.Draw(t, "gap"))
			j := Job{ID: fmt.Sprint(text.Draw(t, "id"), i), Class: text.Draw(t, "class"), Queue: text.Draw(t, "queue"), User: text.Draw(t, "user"),
				Submit: at, Deadline: time.Draw(t, "deadline"), Priority: rapid.IntRange(-9, 9).Draw(t, "priority"),
				Input: size.Draw(t, "input"), Shuffle: size.Draw(t, "shuffle"), Output: size.Draw(t, "output"), Path: text.Draw(t, "path")}
			if rapid.Bool().Draw(t, "asks") {
				j.Labels = []string{"gpu", "l" + text.Draw(t, "label")}
			}
			if i > 0 && rapid.Bool().Draw(t, "waits") {
				j.After = []string{jobs[i-1].ID}
			}
			for kind := range workload.Stages {
				if !rapid.Bool().Draw(t, "stage") {
					continue
				}
				s := Stage{Kind: kind}
				if rapid.Bool().Draw(t, "needs") {
					s.Needs = units.Vector{units.VCores: rapid.Int64Range(0, 9).Draw(t, "vcores"), units.Memory: rapid.Int64Range(0, 1<<40).Draw(t, "memory")}
				}
				for range rapid.IntRange(1, 3).Draw(t, "tasks") {
					u := Task{Count: rapid.IntRange(1, 100).Draw(t, "count"), Input: size.Draw(t, "read"), Time: time.Draw(t, "time")}
					if rapid.Bool().Draw(t, "unknown") {
						u.Time = UnknownTime
					}
					if kind == workload.Reduce {
						u.Shuf = time.Draw(t, "shuffle")
					}
					if rapid.Bool().Draw(t, "at home") {
						u.Hosts = []string{text.Draw(t, "host"), "n2"}
					}
					s.Add(u)
				}
				j.Stages = append(j.Stages, s)
			}
			jobs = append(jobs, j)
		}
		return jobs
	})
}

// What is written comes back, to the nanosecond, as far as times are those of a trace of 30 years.
func TestNeutralRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		jobs := anyJobs(1).Draw(rt, "jobs")
		back, _, err := readAll(t, "slackline", write(t, jobs), false)
		if err != nil {
			rt.Fatal(err)
		}
		if d := cmp.Diff(jobs, back); d != "" {
			rt.Fatal(d)
		}
	})
}

func FuzzNeutral(f *testing.F) {
	f.Add(neutralSample, false)
	f.Add("{\"slackline_trace\":1}\n{\"id\":\"a\",\"submit\":1e3,\"stages\":[{\"kind\":\"map\",\"tasks\":[{\"count\":2}]}]}\n{", true)
	f.Fuzz(func(t *testing.T, text string, lenient bool) { checkReader(t, "slackline", text, lenient) })
}
