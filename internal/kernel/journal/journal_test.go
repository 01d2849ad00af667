package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
	"pgregory.net/rapid"
)

// plain admits every job and fills each node that beats.
type plain struct{ lazy bool }

func (y plain) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	for i := range batch {
		switch e := &batch[i]; e.Kind {
		case sched.JobArrived:
			p.Admit(e.Job, sched.Outlook{}, sched.Because(sched.AdmitAll))
		case sched.Heartbeat:
			for _, s := range []sched.Stage{sched.Map, sched.Reduce} {
				for j := v.First(e.Node, s, 0); j != 0; j = v.First(e.Node, s, 0) {
					p.Start(j, s, e.Node, 1, sched.Remote, sched.Because(sched.FirstInOrder, 1))
					if y.lazy {
						break
					}
				}
			}
		}
	}
}
func (plain) Save(io.Writer) error { return nil }
func (plain) Load(io.Reader) error { return nil }
func (plain) About() sched.About   { return sched.About{} }

func world(t testing.TB, seed uint64) *sim.World {
	t.Helper()
	var jobs []*workload.Job
	for i := range 3 {
		j := &workload.Job{ID: fmt.Sprint("j", i), Class: "c", Weight: 1, Soft: units.Never, Deadline: units.Time(0).Add(units.Hour),
			Arrive: units.Time(0).Add(units.Duration(i) * units.Second), SlowStart: 0.5, Stages: []workload.StageSpec{{Kind: workload.Map}, {Kind: workload.Reduce}}}
		for k := range 5 {
			j.Stages[0].Tasks = append(j.Stages[0].Tasks, workload.Task{Work: 3 * units.Second})
			j.Stages[0].Hosts.Set(k, cluster.NodeID(k%3+1))
		}
		j.Stages[1].Tasks = []workload.Task{{Work: units.Second}, {Work: units.Second}}
		jobs = append(jobs, j)
	}
	w, err := sim.New(sim.Config{Cluster: cluster.Uniform(3, 1, cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(2, 1)}),
		Workload: &workload.Workload{Jobs: jobs}, Seed: seed, Heartbeat: units.Second, Failures: sim.Failures{Rate: 0.2, MTBF: units.Minute, MTTR: units.Second}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func record(t testing.TB, seed uint64) []byte {
	t.Helper()
	var out bytes.Buffer
	w := world(t, seed)
	j, err := NewWriter(&out, Header{Scenario: "test", World: w.Can(), Policy: "plain", Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(drive.New(w, plain{}, j).Run(context.Background()), j.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func again(text []byte, p sched.Policy) (Result, error) {
	return Replay(context.Background(), bytes.NewReader(text), func(Header) (sched.Policy, error) { return p, nil })
}

func TestReplayIsExact(t *testing.T) {
	for seed := range uint64(10) {
		text := record(t, seed)
		r, err := again(text, plain{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if r.Cut || r.Rounds < 10 || r.Items < 20 || r.Header.Seed != seed || int(r.Events) != strings.Count(string(text), " event ") {
			t.Errorf("seed %d: %+v", seed, r)
		}
	}
}

func TestReplayOfAnotherPolicyDiffers(t *testing.T) {
	_, err := again(record(t, 1), plain{lazy: true})
	var line *LineError
	if err == nil || !errors.As(err, &line) {
		t.Fatalf("got %v", err)
	}
}

// forge changes a line and mends its sum.
func forge(line string, from, to string) string {
	body, _, _ := strings.Cut(line, " #")
	body = strings.Replace(body, from, to, 1)
	return string(bytes.TrimSuffix(appendSum([]byte(body), crc32.Checksum([]byte(body), castagnoli)), []byte("\n")))
}

// Any item that is altered is found on its own line, also when its sum was mended.
func TestAlteredPlansAreCaught(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(string(record(t, 2)), "\n"), "\n")
	tried := 0
	for i, l := range lines {
		if !strings.Contains(l, " item start ") || !strings.Contains(l, " node=1 ") {
			continue
		}
		tried++
		for _, altered := range []string{strings.Replace(l, "node=1", "node=2", 1), forge(l, "node=1", "node=2")} {
			all := append(append(append([]string{}, lines[:i]...), altered), lines[i+1:]...)
			_, err := again([]byte(strings.Join(all, "\n")+"\n"), plain{})
			var line *LineError
			if !errors.As(err, &line) || line.Line != int64(i+1) {
				t.Fatalf("line %d altered: %v", i+1, err)
			}
		}
	}
	if tried == 0 {
		t.Fatal("no item to alter")
	}
}

// A journal may be cut anywhere: between lines that is told apart from damage; any other change of one byte is damage.
func TestCutAndDamaged(t *testing.T) {
	text := record(t, 3)
	for cut := len(text) - 1; cut > 0; cut -= 97 {
		r, err := again(text[:cut], plain{})
		if first := bytes.IndexByte(text, '\n'); cut <= first {
			if err == nil {
				t.Fatalf("cut at %d, in the header: no error", cut)
			}
			continue
		}
		if err != nil || !r.Cut {
			t.Fatalf("cut at %d: %+v, %v", cut, r, err)
		}
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	for _, tail := range []string{"x", "7 ", "6", "5x event", "event tick"} {
		_, err := again(append(bytes.Join(lines[:4], nil), tail...), plain{})
		if err == nil || err.Error() != "line 5: it is not a line of a journal" {
			t.Errorf("%q at the end: %v", tail, err)
		}
	}
	for at := 5; at < len(text); at += 61 {
		broken := bytes.Clone(text)
		broken[at] ^= 1
		if _, err := again(broken, plain{}); err == nil {
			t.Fatalf("byte %d altered: no error", at)
		}
	}
	if _, err := again(append(bytes.Clone(text), "more\n"...), plain{}); err == nil || !strings.Contains(err.Error(), "there is text after the end") {
		t.Errorf("something behind the end: %v", err)
	}
	if _, err := again(nil, plain{}); err == nil || !strings.Contains(err.Error(), "line 1: it is empty") {
		t.Errorf("empty: %v", err)
	}
	if _, err := again([]byte("hello\n"), plain{}); err == nil || !strings.Contains(err.Error(), `line 1: it begins with "hello"`) {
		t.Errorf("no journal: %v", err)
	}
}

func events() *rapid.Generator[sched.Event] {
	return rapid.Custom(func(t *rapid.T) sched.Event {
		maybe := func(name string, hi int) int { return rapid.OneOf(rapid.Just(0), rapid.IntRange(0, hi)).Draw(t, name) }
		e := sched.Event{Kind: sched.EventKind(maybe("kind", 40)), Derived: rapid.Bool().Draw(t, "derived"), Stage: sched.Stage(maybe("stage", 9)),
			Locality: sched.Locality(maybe("locality", 9)), Outcome: sched.Outcome(maybe("outcome", 9)), Container: uint8(maybe("container", 255)),
			Control: sched.ControlVerb(maybe("control", 9)), Why: sched.Code(maybe("why", 255)), Job: sched.JobID(maybe("job", math.MaxInt32)),
			Node: sched.NodeID(maybe("node", 99)), Attempt: sched.AttemptID(maybe("attempt", 99)), Task: sched.TaskID(maybe("task", 99)),
			Count: int32(-maybe("count", 99)), Age: units.Duration(-maybe("age", 99)), Item: sched.ItemID(maybe("item", math.MaxInt64)), Bytes: units.Bytes(maybe("bytes", 99)),
			OutBytes: units.Bytes(maybe("out", 99)), X: rapid.Float64().Draw(t, "x"), Of: sched.SupplyKind(maybe("of", 9)), State: sched.NodeState(maybe("state", 9)), Text: rapid.String().Draw(t, "text")}
		for i := range e.Spans {
			e.Spans[i] = units.Duration(maybe("span", 1e12))
		}
		if rapid.Bool().Draw(t, "detailed") {
			e.Detail = &sched.Detail{Forecast: &sched.Forecast{Mid: []float64{rapid.Float64().Draw(t, "series")}},
				Node: &cluster.Node{Name: rapid.String().Draw(t, "name"), Rack: 1, Class: &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(1, 2)}}}
		}
		return e
	})
}

func TestEventsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := events().Draw(t, "event")
		text := AppendEvent(nil, &e)
		if bytes.ContainsAny(text, "\n\r") {
			t.Fatalf("more than one line: %q", text)
		}
		got, err := ParseEvent(string(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if d := cmp.Diff(e, got); d != "" {
			t.Fatalf("%s:\n%s", text, d)
		}
	})
}

func TestItemsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		maybe := func(name string, hi int) int { return rapid.OneOf(rapid.Just(0), rapid.IntRange(0, hi)).Draw(t, name) }
		var p sched.Plan
		it := sched.Item{Verb: sched.Verb(maybe("verb", 30)), Stage: sched.Stage(maybe("stage", 9)), Container: uint8(maybe("container", 9)),
			Locality: sched.Locality(maybe("locality", 9)), Outcome: sched.Outcome(maybe("outcome", 9)),
			Refused: sched.Code(maybe("refused", 255)), Held: rapid.Bool().Draw(t, "held"), Job: sched.JobID(maybe("job", 99)),
			Node: sched.NodeID(maybe("node", 99)), Attempt: sched.AttemptID(maybe("attempt", 99)), Task: sched.TaskID(maybe("task", 99)),
			Count: int32(maybe("count", 99) - 9), Group: int32(maybe("group", 9)), ID: sched.ItemID(maybe("id", math.MaxInt64)),
			At: units.Time(maybe("at", math.MaxInt64)),
			Outlook: sched.Outlook{Word: sched.Word(maybe("word", 9)), Measured: int32(maybe("measured", 9)), Confidence: int32(maybe("confidence", sched.Certain)),
				By: units.Time(maybe("by", 99)), Half: units.Time(maybe("half", 99)), Ninety: units.Time(maybe("ninety", 99)), Chance: int32(maybe("chance", sched.Certain))},
		}
		it.Reason = sched.Reason{Cause: rapid.SampledFrom([]*sched.Cause{nil, sched.AdmitAll, {Name: "from-mars"}}).Draw(t, "cause"), Job: sched.JobID(maybe("why", 9)),
			A: int64(maybe("a", 9)), B: int64(-maybe("b", 9)), C: int64(maybe("c", 9))}
		for range maybe("tasks", 3) {
			p.Bound = append(p.Bound, sched.Bound{Task: sched.TaskID(maybe("bound", 9)), Locality: sched.Locality(maybe("near", 9))})
		}
		for range maybe("attempts", 3) {
			p.Victims = append(p.Victims, sched.AttemptID(maybe("victim", 9)))
		}
		for range maybe("evidence", 3) {
			p.Evidence = append(p.Evidence, sched.Evidence{Job: sched.JobID(maybe("ej", 9)), At: units.Time(maybe("eat", 9)), Amount: int64(maybe("amount", 9))})
		}
		it.Tasks.To, it.Attempts.To, it.Reason.Evidence.To = int32(len(p.Bound)), int32(len(p.Victims)), int32(len(p.Evidence))
		text := AppendItem(nil, &p, &it)
		var q sched.Plan
		got, err := parseItem(string(text), &q)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if d := cmp.Diff(it, got) + cmp.Diff(p.Bound, q.Bound) + cmp.Diff(p.Victims, q.Victims) + cmp.Diff(p.Evidence, q.Evidence); d != "" {
			t.Fatalf("%s:\n%s", text, d)
		}
	})
}

func TestBadFields(t *testing.T) {
	for text, want := range map[string]string{
		"started job=x":          `job is "x", it must be a whole number of 32 bits`,
		"startd":                 `there is no event "startd"; did you mean "started"?`,
		"started jb=1":           `there is no field "jb" of an event`,
		"started stage=mop":      `there is no stage "mop"; did you mean "map"?`,
		"started outcome=kaputt": `there is no outcome "kaputt"; there are: committed, failed, killed, lost, none, preempted, superseded`,
		"control control=yeld":   `there is no control verb "yeld"; did you mean "yield"?`,
		`started text="abc`:      `the text of "text" has no end`,
		"started detail={":       `detail cannot be read: `,
		"started container=256":  `container is "256", it must be a number from 0 to 255`,
		"started spans=1,2,3,4":  `spans has more than 3 parts`,
		"started x=1e":           `x is "1e", it must be a number`,
	} {
		if _, err := ParseEvent(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// FuzzParse reads single lines, past the sums that would stop a fuzzer: what is read is written the same.
func FuzzParse(f *testing.F) {
	for _, l := range strings.Split(string(record(f, 1)), "\n")[:40] {
		if p := strings.SplitN(l, " ", 3); len(p) == 3 {
			f.Add(strings.SplitN(p[2], " #", 2)[0])
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if e, err := ParseEvent(text); err == nil {
			once := AppendEvent(nil, &e)
			if back, err := ParseEvent(string(once)); err != nil || !bytes.Equal(AppendEvent(nil, &back), once) {
				t.Fatalf("%q becomes %q: %v", text, once, err)
			}
		}
		var p sched.Plan
		if it, err := parseItem(text, &p); err == nil {
			once := AppendItem(nil, &p, &it)
			var q sched.Plan
			if back, err := parseItem(string(once), &q); err != nil || !bytes.Equal(AppendItem(nil, &q, &back), once) {
				t.Fatalf("%q becomes %q: %v", text, once, err)
			}
		}
	})
}

// A journal of one batch of a start, its confirmation and its end: four lines each op.
func BenchmarkWriter(b *testing.B) {
	j, err := NewWriter(io.Discard, Header{})
	if err != nil {
		b.Fatal(err)
	}
	batch := []sched.Event{
		{Kind: sched.Started, Job: 1234, Stage: sched.Map, Task: 17, Node: 5678, Attempt: 91011, Locality: sched.NodeLocal, Item: 1 << 30},
		{Kind: sched.Ended, Attempt: 91011, Outcome: sched.Committed, Bytes: 64 << 20, Spans: [3]units.Duration{0, 0, 20e9}},
		{Kind: sched.Heartbeat, Node: 5678}}
	var p sched.Plan
	p.Bound = []sched.Bound{{Task: 17, Locality: sched.NodeLocal}}
	p.Items = []sched.Item{{Verb: sched.Start, ID: 1 << 30, Job: 1234, Stage: sched.Map, Node: 5678, Count: 1, Locality: sched.NodeLocal,
		Reason: sched.Because(sched.FirstInOrder, 1), Tasks: sched.Span{To: 1}}}
	lines := 0
	b.ReportAllocs()
	for i := range b.N {
		if err := errors.Join(j.Batch(int64(i+1), units.Time(i), batch), j.Plan(int64(i+1), units.Time(i), &p)); err != nil {
			b.Fatal(err)
		}
		lines += len(batch) + len(p.Items) + 2
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(lines), "ns/line")
}

// A run of the simulator decided again: lines read, checked, and compared with what policy and ledger make now.
func BenchmarkReplay(b *testing.B) {
	text := record(b, 1)
	lines := bytes.Count(text, []byte("\n"))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := again(text, plain{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*lines), "ns/line")
}
