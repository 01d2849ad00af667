package trace

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// The rule of the documentation, recounted: tasks, bytes that add up, times within their range.
func TestRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := DefaultRule(rapid.IntRange(1, 50).Draw(t, "slots"))
		r.Version = rapid.IntRange(1, 2).Draw(t, "version")
		r.Deadlines = Deadlines{Share: 1, Factor: [2]float64{1.5, 3}, Slots: 10}
		j := Job{ID: "j", Submit: units.Time(units.Hour),
			Input:   units.Bytes(rapid.Int64Range(-1, int64(20*units.GB)).Draw(t, "input")),
			Shuffle: units.Bytes(rapid.OneOf(rapid.Int64Range(-1, 1), rapid.Int64Range(2, int64(200*units.GB))).Draw(t, "shuffle"))}
		w, err := r.Unfold(&j, 7)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Validate(); err != nil {
			t.Fatal(err)
		}
		read, maps := units.Bytes(0), w.Stage(workload.Map).Tasks
		for i, m := range maps {
			read += m.Input
			if m.Work < 20*units.Second || m.Work >= 40*units.Second || i < len(maps)-1 && m.Input != r.Block || m.Input > r.Block {
				t.Fatalf("map %d of %d: %+v", i, len(maps), m)
			}
		}
		if read != max(0, j.Input) {
			t.Fatalf("maps read %v of %v", read, j.Input)
		}
		want := min(int((max(0, j.Shuffle)+units.GB-1)/units.GB), r.MaxReduces)
		if r.Version == 1 {
			want = max(1, want)
		}
		if reduces := w.Tasks(workload.Reduce); reduces != want || (w.Stage(workload.Reduce) != nil) != (want > 0) {
			t.Fatalf("%d reduces of %v, want %d", reduces, j.Shuffle, want)
		}
		if alone := r.Deadlines.Dedicated(w); w.Deadline < w.Arrive.Add(alone.Scale(1.5)-1) || w.Deadline > w.Arrive.Add(alone.Scale(3)+1) {
			t.Fatalf("deadline %v after the arrival, alone it takes %v", w.Deadline.Sub(w.Arrive), alone)
		}
	})
}

// What a trace states is used as it stands, the rest follows.
func TestRuleOfWhatIsStated(t *testing.T) {
	r := DefaultRule(5)
	r.Deadlines = Deadlines{Share: 1, Factor: [2]float64{2, 2}, Slots: 10}
	r.Nodes = map[string]cluster.NodeID{"n1": 1, "n2": 2}
	j := Job{ID: "j", Submit: 5, Deadline: 7, Priority: 3, After: []string{"i"}, Input: 600 * units.MB, Shuffle: 100 * units.MB, Stages: []Stage{
		{Kind: workload.Map, Needs: units.Vector{units.VCores: 2}, Tasks: []Task{
			{Count: 2, Input: 7, Time: units.Second, Hosts: []string{"n2", "n9", "n2"}}, {Count: 1, Input: Unknown, Time: UnknownTime}}},
		{Kind: workload.Reduce, Tasks: []Task{{Count: 1, Input: Unknown, Time: units.Second, Shuf: 3}, {Count: 1, Input: Unknown, Time: UnknownTime}}},
		{Kind: workload.Other1, Tasks: []Task{{Count: 2, Input: Unknown, Time: UnknownTime}}},
	}}
	for _, r.Containers = range []bool{false, true} {
		w, err := r.Unfold(&j, 1)
		if err != nil || w.Validate() != nil {
			t.Fatal(err, w.Validate())
		}
		drawn := []units.Duration{w.Stages[0].Tasks[2].Work, w.Stages[2].Tasks[0].Work, w.Stages[2].Tasks[1].Work}
		for i, d := range drawn {
			if d < 20*units.Second || d >= 40*units.Second || i > 0 && d == drawn[i-1] {
				t.Fatalf("drawn: %v", drawn)
			}
		}
		hosts := []cluster.NodeID{2}
		want := &workload.Job{ID: "j", Class: "2x64MB-less", Arrive: 5, Soft: units.Never, Deadline: 12, Weight: 1, Priority: 3, After: []string{"i"}, SlowStart: 0.05, Stages: []workload.StageSpec{
			{Kind: workload.Map, Hosts: workload.HostsOf(hosts, hosts), Tasks: []workload.Task{{Input: 7, Work: units.Second}, {Input: 7, Work: units.Second}, {Input: 200 * units.MB, Work: drawn[0]}}},
			{Kind: workload.Reduce, Tasks: []workload.Task{{Input: 50 * units.MB, Work: units.Second, Shuffle: 3}, {Input: 50 * units.MB, Work: units.Second, Shuffle: units.Second}}},
			{Kind: workload.Other1, Tasks: []workload.Task{{Work: drawn[1]}, {Work: drawn[2]}}},
		}}
		if r.Containers {
			want.Stages[0].Containers = []cluster.Container{{Name: "map", Needs: units.Vector{units.VCores: 2}}}
		}
		if d := cmp.Diff(want, w); d != "" {
			t.Fatal(d)
		}
	}
}

// A job that shuffles nothing has no reduce.
func TestNoReduceWithoutShuffle(t *testing.T) {
	for version, want := range map[int]int{1: 1, 2: 0} {
		r := DefaultRule(5)
		r.Version = version
		for _, shuffle := range []units.Bytes{0, Unknown} {
			full, err := r.Unfold(&Job{ID: "j", Input: 200 * units.MB, Shuffle: shuffle, Output: units.GB}, 1)
			if err != nil {
				t.Fatal(err)
			}
			if maps := len(full.Stages[0].Tasks); maps != 2 || len(full.Stages) != 1+want || want == 1 && len(full.Stages[1].Tasks) != 1 {
				t.Errorf("rule %d: %d maps and %d stages of %v", version, maps, len(full.Stages), shuffle)
			}
		}
	}
}

// A real day, if the trace is there: its tasks as awk counts them by the documented rule,
//
//	awk -F'\t' '{ m = int(($4+2^27-1)/2^27); maps += m < 1 ? 1 : m; r = int(($5+2^30-1)/2^30); reduces += r > 1200 ? 1200 : r; none += $5 == 0 }
//	             END { printf "%d jobs, %d maps, %d reduces, %d without\n", NR, maps, reduces, none }'
func TestRuleOnARealDay(t *testing.T) {
	dir := os.Getenv("SLACKLINE_TRACES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	path := filepath.Join(dir, "swim", "FB-2010_samples_24_times_1hr_0.tsv")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the trace is not there: %v", err)
	}
	swim, _ := Find("swim")
	for version, want := range map[int][4]int{1: {24442, 8084865, 256893, 0}, 2: {24442, 8084865, 248569, 8324}} {
		in, file, err := File{Path: path, Format: swim}.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		rule := DefaultRule(1200)
		rule.Version = version
		var got [4]int // jobs, maps, reduces, jobs without a reduce
		for {
			j, err := in.Next()
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			maps, reduces, err := rule.Tasks(j)
			if err != nil {
				t.Fatal(err)
			}
			got[0]++
			got[1] += maps
			got[2] += reduces
			if reduces == 0 {
				got[3]++
			}
		}
		if got != want {
			t.Errorf("rule %d: %d, want %d", version, got, want)
		}
	}
}

// A job takes the same time in every run with the seed, and another with another.
func TestRuleIsKeyed(t *testing.T) {
	r := DefaultRule(5)
	j := Job{ID: "j", Input: units.GB}
	unfold := func(seed uint64, id string) units.Duration {
		j.ID = id
		w, err := r.Unfold(&j, seed)
		if err != nil {
			t.Fatal(err)
		}
		return w.Stages[0].Tasks[3].Work
	}
	a := unfold(1, "a")
	if unfold(1, "b") == a || unfold(2, "a") == a || unfold(1, "a") != a {
		t.Fatal("the draw is not keyed by seed and job")
	}
	j.Input = units.Bytes(1) << 62
	if _, err := r.Unfold(&j, 1); err == nil || !strings.Contains(err.Error(), "at most 10000000 are possible") {
		t.Fatal(err)
	}
}

func TestSourceRepeatsAndCuts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.tsv")
	if err := os.WriteFile(path, []byte("a\t1\t1\t1\t1\t1\nb\t2\t1\t1\t1\t1\nc\t30\t1\t1\t1\t1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	swim, _ := Find("swim")
	list := func(p Part) (text string) {
		s := Source(File{Path: path, Format: swim}, p, DefaultRule(1), 1)
		for s.Due() != units.Never {
			j, err := s.Next()
			if err != nil {
				t.Fatal(err)
			}
			text += j.ID + "@" + j.Arrive.String() + " "
		}
		return text
	}
	for want, p := range map[string]Part{
		"a@1s b@2s c@30s ":                          {},
		"a@1s b@2s ":                                {First: 30 * units.Second},
		"a@1s b@2s a#2@11s b#2@12s ":                {First: 3 * units.Second, Repeat: 2, Every: 10 * units.Second},
		"a@1s b@2s c@30s a#2@32s b#2@33s c#2@1m1s ": {Repeat: 2, Every: 31 * units.Second},
	} {
		if got := list(p); got != want {
			t.Errorf("%+v: %s, want %s", p, got, want)
		}
	}
}

// A trace that is not over when it is to begin again is refused; jobs with one path share their input.
func TestRepeatAndPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.tsv")
	if err := os.WriteFile(path, []byte("a\t1\t1\t1\t1\t1\tin/x\nb\t30\t1\t1\t1\t1\tin/x\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	swim, _ := Find("swim")
	file := File{Path: path, Format: swim}
	s := Source(file, Part{Repeat: 2, Every: 10 * units.Second}, DefaultRule(1), 1)
	if _, err := s.Next(); err == nil || err.Error() != path+":1: it is still running at 30s, but should repeat after 10s; make every longer, or first shorter" {
		t.Error(err)
	}
	s = Source(file, Part{First: 20 * units.Second, Repeat: 2, Every: 25 * units.Second}, DefaultRule(1), 1)
	for s.Due() != units.Never {
		j, err := s.Next()
		if err != nil || j.File != "in/x" {
			t.Error(j, err)
		}
	}
}

func TestSourceTellsErrors(t *testing.T) {
	swim, _ := Find("swim")
	s := Source(File{Path: filepath.Join(t.TempDir(), "none"), Format: swim}, Part{}, DefaultRule(1), 1)
	if _, err := s.Next(); s.Due() != 0 || err == nil || !strings.HasSuffix(err.Error(), "none: there is no such file") {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.tsv")
	if err := os.WriteFile(path, []byte("a\t1\t1\t1\t1\t1\nb\tx\t1\t1\t1\t1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s = Source(File{Path: path, Format: swim}, Part{}, DefaultRule(1), 1)
	if _, err := s.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(); s.Due() != 0 || errors.Is(err, io.EOF) || err.Error() != path+":2: submit time: \"x\" is not a time in seconds" {
		t.Fatal(err)
	}
}

// A job without a name has a class by its shape: at each bound of the rule the next one begins. What the trace names
// stays, and older versions of the rule know one class.
func TestClassesByShape(t *testing.T) {
	for _, c := range []struct {
		input, shuffle units.Bytes
		want           string
	}{
		{0, 0, "1x0B-none"}, {1023, Unknown, "1x0B-none"}, {1024, 0, "1x1KB-none"}, {4095, 4096, "1x1KB-same"}, {4096, 4096 * 6, "1x4KB-more"},
		{64*units.MB - 1, units.MB, "1x16MB-less"}, {64 * units.MB, 64 * units.MB / 5, "1x64MB-less"}, {128 * units.MB, 128*units.MB/5 + 1, "1x64MB-same"},
		{128*units.MB + 1, 0, "2x64MB-none"}, {128 * 9 * units.MB, 0, "2x64MB-none"}, {128*9*units.MB + 1, 0, "10x64MB-none"},
		{128 * 99 * units.MB, 0, "10x64MB-none"}, {128 * 100 * units.MB, 0, "100x64MB-none"}, {128 * 1000 * units.MB, 5 * 128 * 1000 * units.MB, "1000x64MB-same"},
		{Unknown, 0, "1-none"}, {Unknown, 5, "1-some"},
	} {
		for version, want := range map[int]string{1: "trace", 2: "trace", 3: c.want} {
			r := DefaultRule(5)
			r.Version = version
			w, err := r.Unfold(&Job{ID: "j", Input: c.input, Shuffle: c.shuffle}, 1)
			if err != nil || w.Class != want {
				t.Errorf("rule %d, %d bytes read, %d shuffled: %q, %v, want %q", version, c.input, c.shuffle, w.Class, err, want)
			}
		}
	}
	r := DefaultRule(5)
	listed := Job{ID: "j", Input: Unknown, Shuffle: Unknown, Stages: []Stage{{Kind: workload.Map, Tasks: []Task{{Count: 12, Input: Unknown, Time: 5}}},
		{Kind: workload.Reduce, Tasks: []Task{{Count: 1, Input: Unknown, Time: 5}}}}}
	if w, err := r.Unfold(&listed, 1); err != nil || w.Class != "10-some" {
		t.Errorf("%q, %v", w.Class, err)
	}
	listed.Class = "nightly"
	if w, err := r.Unfold(&listed, 1); err != nil || w.Class != "nightly" {
		t.Errorf("%q, %v", w.Class, err)
	}
}
