package journal

import (
	"bytes"
	"errors"
	"flag"
	"github.com/slackline/slackline/internal/policies/preempt"
	"io"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write what the golden files was expected")

// small writes a journal by hand in which every word and field stands once.
func small(w io.Writer) error {
	j, err := NewWriter(w, Header{Scenario: "small", World: sched.Capabilities{World: "hand", Bind: true, Kill: true, Heartbeat: 3 * units.Second},
		Policy: "edf+greedy(nonlocal=1)", Settings: []byte(`{"queues":null}`), Seed: 42})
	if err != nil {
		return err
	}
	class := &cluster.Class{Name: "c", Speed: 0.5, Capacity: units.Slots(2, 1)}
	job := &workload.Job{ID: "words", Class: "wordcount", Queue: "default", Weight: 1, Soft: units.Never, Deadline: units.Time(0).Add(units.Minute),
		Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: []workload.Task{{Input: 64 * units.MB, Work: units.Second}}, Hosts: workload.HostsOf([]cluster.NodeID{1})}}}
	at := units.Time(0).Add(3 * units.Second)
	plan := &sched.Plan{
		Items: []sched.Item{
			{Verb: sched.Admit, ID: 1, Job: 1, Reason: sched.Because(sched.AdmitAll)},
			{Verb: sched.Start, ID: 2, Job: 1, Stage: sched.Map, Container: 1, Node: 1, Count: 2, Locality: sched.Remote,
				Group: 3, At: at, Reason: sched.Because(sched.FirstInOrder, 1), Tasks: sched.Span{To: 2}},
			{Verb: sched.Kill, ID: 3, Job: 2, Stage: sched.Reduce, Count: 2, Outcome: sched.Preempted, Attempts: sched.Span{To: 2},
				Reason: sched.Reason{Cause: preempt.MinShare, Job: 1, A: 0, B: 4, C: 9, Evidence: sched.Span{To: 1}}},
			{Verb: sched.Speculate, ID: 4, Job: 1, Stage: sched.Map, Task: 1, Node: 2, Refused: sched.NoTask},
			{Verb: sched.Kill, ID: 5, Attempt: 7, Refused: sched.UnknownAttempt},
			{Verb: sched.Start, ID: 6, Job: 1, Stage: sched.Map, Node: 2, Count: 1, Held: true},
			{Verb: sched.Hold, ID: 7, Outlook: sched.Outlook{Word: sched.Promised, Measured: 3, Confidence: 250_000, By: 30, Half: 10, Ninety: 20}, Reason: sched.Because(&sched.Cause{Name: "custom"})},
			{Verb: 99, Stage: 99, ID: 8, Refused: sched.BadItem},
		},
		Bound:    []sched.Bound{{Task: 1, Locality: sched.NodeLocal}, {Task: 2, Locality: sched.Remote}},
		Victims:  []sched.AttemptID{5, 6},
		Evidence: []sched.Evidence{{Job: 2, At: at, Amount: -1}},
	}
	return errors.Join(
		j.Batch(1, 0, []sched.Event{
			{Kind: sched.Control, Control: sched.Watch},
			{Kind: sched.NodeUp, Node: 1, State: sched.Asleep, Detail: &sched.Detail{Node: &cluster.Node{Name: "n1", Rack: 1, Class: class}}},
			{Kind: sched.NodeChanged, Node: 1, X: 0.5},
			{Kind: sched.SupplyChanged, Of: sched.GreenPower, X: 1e6},
			{Kind: sched.ForecastIssued, Of: sched.Price, Detail: &sched.Detail{Forecast: &sched.Forecast{Start: at, Interval: units.Minute, Mid: []float64{1, 2.5}}}},
			{Kind: sched.JobCancelled, Job: 1, Text: "two\nlines \"quoted\" \xff"},
			{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: job}},
			{Kind: sched.StageReady, Derived: true, Job: 1, Stage: sched.Map},
			{Kind: sched.Demand, Job: 1, Stage: sched.Map, Count: 1, Detail: &sched.Detail{Demand: []sched.LocationDemand{{Node: 1, Count: 1}}}},
			{Kind: sched.Heartbeat, Node: 1}}),
		j.Plan(1, 0, plan),
		j.Batch(2, at, []sched.Event{
			{Kind: sched.Granted, Item: 2, Count: 2},
			{Kind: sched.Started, Job: 1, Stage: sched.Map, Task: 1, Node: 1, Attempt: 1, Container: 1, Locality: sched.NodeLocal, Item: 2},
			{Kind: sched.Progress, Attempt: 1, X: 0.5}}),
		j.Batch(3, at+units.Time(units.Second), []sched.Event{
			{Kind: sched.Ended, Attempt: 1, Outcome: sched.Committed, Bytes: 64 * units.MB, OutBytes: 1, X: 1800.5, Spans: [3]units.Duration{1, 2, 3}},
			{Kind: sched.JobEnded, Job: 1, Outcome: sched.Failed, Text: "exit status 1"},
			{Kind: sched.Refused, Derived: true, Item: 4, Job: 1, Stage: sched.Map, Node: 2, Why: sched.NoTask}}),
		j.Plan(3, at, &sched.Plan{}),
		j.Close())
}

func TestGolden(t *testing.T) {
	const file = "testdata/small.golden"
	var got bytes.Buffer
	if err := small(&got); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(file, got.Bytes(), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); d != "" {
		t.Errorf("the format is another one (- golden, + now); if that is meant, raise Version and go test -update\n%s", d)
	}
	r, err := NewReader(&got)
	for err == nil {
		var l Line
		if l, err = r.Next(); err != nil {
			break
		}
		var again []byte
		switch l.Word {
		case "event":
			e, bad := ParseEvent(l.Rest)
			again, err = AppendEvent(nil, &e), bad
		case "item":
			var p sched.Plan
			it, bad := parseItem(l.Rest, &p)
			again, err = AppendItem(nil, &p, &it), bad
		default:
			continue
		}
		if string(again) != l.Rest {
			t.Errorf("line %d: %s is read as %s", l.Number, l.Rest, again)
		}
	}
	if err != io.EOF {
		t.Error(err)
	}
}

// A world need not say at which instant the run began.
func TestNoOrigin(t *testing.T) {
	text := seal([]string{`journal {"version":3,"scenario":"s","world":{"world":"hand","bind":true},"policy":"fifo","seed":1}`, "end rounds=0"})
	r, err := NewReader(bytes.NewReader(text))
	if err != nil || r.Header.World.Origin != "" || !r.Header.World.Bind {
		t.Errorf("%v: %+v", err, r)
	}
}

// fill sets every exported field of a value at random, lists and pointers included, so that a field
// which a later change adds is tried too.
func fill(t *rapid.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		// a type may point at itself
		if v.Type() == reflect.TypeFor[*sched.Account]() || !rapid.Bool().Draw(t, "there") {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" && v.Field(i).Type() != reflect.TypeFor[workload.Hosts]() {
				fill(t, v.Field(i))
			}
		}
		if s, is := v.Addr().Interface().(*workload.StageSpec); is { // its hosts are a table, which suits its tasks
			lists := make([][]cluster.NodeID, len(s.Tasks))
			for i := range lists {
				lists[i] = []cluster.NodeID{1, 2, 3}[:rapid.IntRange(0, 3).Draw(t, "hosts")]
			}
			s.Hosts = workload.HostsOf(lists...)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i))
		}
	case reflect.Slice:
		if n := rapid.IntRange(0, 2).Draw(t, "length"); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		for i := range v.Len() {
			fill(t, v.Index(i))
		}
	case reflect.String:
		v.SetString(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"a b", " #00000000", "\n", `\ufffd`, "\u2028", "<&>", "x=1", `"`})).Draw(t, "string"))
	case reflect.Float64:
		v.SetFloat(rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64).Draw(t, "float"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Uint8:
		v.SetUint(uint64(rapid.IntRange(0, int(workload.Stages)-1).Draw(t, "stage")))
	default:
		v.SetInt(rapid.OneOf(rapid.Int64Range(math.MinInt32, math.MaxInt32), rapid.Just(int64(math.MaxInt32))).Draw(t, "int"))
	}
}

// A journal leaves out what real attempts counted and said, which no policy reads.
func TestAccountsStayOut(t *testing.T) {
	e := sched.Event{Kind: sched.Ended, Attempt: 3, Outcome: sched.Failed}
	want := string(AppendEvent(nil, &e))
	e.Detail = &sched.Detail{Account: &sched.Account{Try: 2, Said: "a secret", Counters: map[string]int64{"a.b": 1}}}
	if got := string(AppendEvent(nil, &e)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestDetailsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d sched.Detail
		fill(t, reflect.ValueOf(&d).Elem())
		e := sched.Event{Kind: sched.JobArrived, Detail: &d}
		text := AppendEvent(nil, &e)
		if bytes.ContainsAny(text, "\n\r") {
			t.Fatalf("more than one line: %q", text)
		}
		got, err := ParseEvent(string(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(e, got); diff != "" {
			t.Fatalf("%s:\n%s", text, diff)
		}
	})
}

// Times and sizes lose nothing by way of JSON, however large; bytes that are no text are written as they will be read.
func TestOddDetails(t *testing.T) {
	e := sched.Event{Kind: sched.JobAmended, Detail: &sched.Detail{
		Job:     &workload.Job{ID: "a\xffb\\ufffd", Soft: units.Never, Deadline: units.Never - 1},
		Profile: &profile.Class{Name: "c", Runs: math.MaxInt64}}}
	once := AppendEvent(nil, &e)
	got, err := ParseEvent(string(once))
	if err != nil {
		t.Fatal(err)
	}
	if twice := AppendEvent(nil, &got); !bytes.Equal(once, twice) {
		t.Errorf("%s becomes %s", once, twice)
	}
	if j := got.Detail.Job; j.ID != "a\ufffdb\\ufffd" || j.Soft != units.Never || j.Deadline != units.Never-1 || got.Detail.Profile.Runs != math.MaxInt64 {
		t.Errorf("got %+v", j)
	}
	for _, x := range []float64{math.NaN(), math.Inf(-1), math.Copysign(0, -1), math.SmallestNonzeroFloat64} {
		e := sched.Event{Kind: sched.Progress, X: x}
		got, err := ParseEvent(string(AppendEvent(nil, &e)))
		if err != nil || math.Float64bits(got.X) != math.Float64bits(x) {
			t.Errorf("%v becomes %v, %v", x, got.X, err)
		}
	}
}

// full is a disk with room for so many bytes, which is made room on when it has refused once.
type full struct {
	room    int
	refused bool
	after   int // bytes written then
}

var errFull = errors.New("no space left")

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 && !f.refused {
		f.refused = true
		return 0, errFull
	}
	if f.refused {
		f.after += len(p)
	}
	return len(p), nil
}

// An error of the disk is told by the call in which it comes up and by each one after it, even if
// the disk has recovered: a journal with a hole is none.
func TestWriterErrors(t *testing.T) {
	for _, room := range []int{0, 100 << 10, 200 << 10} {
		disk := &full{room: room}
		j, err := NewWriter(disk, Header{})
		if err != nil {
			t.Fatal(err)
		}
		batch := []sched.Event{{Kind: sched.Heartbeat, Node: 1}}
		failed := false
		for i := range 10000 {
			err := j.Batch(int64(i), 0, batch)
			if failed && err == nil {
				t.Fatal("the error was forgotten")
			}
			failed = failed || err != nil
			if err != nil && !errors.Is(err, errFull) {
				t.Fatal(err)
			}
		}
		if err := j.Plan(0, 0, &sched.Plan{}); !failed || !errors.Is(err, errFull) || !errors.Is(j.Flush(), errFull) || !errors.Is(j.Close(), errFull) {
			t.Errorf("room for %d: %v", room, err)
		}
		if disk.after > 0 {
			t.Errorf("room for %d: %d bytes behind a hole", room, disk.after)
		}
	}
	if _, err := NewWriter(io.Discard, Header{Settings: []byte("{")}); err == nil {
		t.Error("settings that are no JSON were taken")
	}
}

func TestWriterDoesNotAllocate(t *testing.T) {
	j, err := NewWriter(io.Discard, Header{})
	if err != nil {
		t.Fatal(err)
	}
	batch := []sched.Event{{Kind: sched.Ended, Attempt: 1 << 20, Outcome: sched.Failed, Bytes: 1 << 40, X: 0.1, Text: "why"}}
	plan := &sched.Plan{Items: []sched.Item{{Verb: sched.Start, ID: 1, Job: 2, Node: 3, Count: 1, Reason: sched.Because(sched.FirstInOrder, 1)}}}
	if n := testing.AllocsPerRun(10000, func() { _ = errors.Join(j.Batch(1, 2, batch), j.Plan(1, 2, plan)) }); n != 0 {
		t.Errorf("%v allocations per round", n)
	}
}
