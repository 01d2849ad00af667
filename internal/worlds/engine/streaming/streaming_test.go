package streaming

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/internal/worlds/engine/process"
	"github.com/slackline/slackline/internal/worlds/engine/process/commandtest"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/units"
)

func TestMain(m *testing.M) {
	commandtest.Run()
	for _, name := range []string{"sh", "cat", "env", "head", "yes", "tr"} {
		if _, err := Find(name, nil); err != nil {
			fmt.Println("NOT CHECKED: streaming:", err)
			os.Exit(0)
		}
	}
	goleak.VerifyTestMain(m)
}

// sh is a command of a shell script.
func sh(script string) []string { return []string{"sh", "-c", script} }

// bed runs the attempts of one job, one after another.
type bed struct {
	t   *testing.T
	dir string
	x   *Executor
	try int

	buffer int // bytes of each attempt
}

func newBed(t *testing.T, j Job) *bed {
	j.ID, j.Name = "1400000000000_0001", "test"
	return &bed{t: t, dir: t.TempDir(), x: New(j)}
}

func (b *bed) config(stage string, of int) task.Config {
	b.try++
	name := fmt.Sprintf("%s-%d-%d", stage, of, b.try)
	return task.Config{Buffer: b.buffer, Task: of, Attempt: b.try, Local: filepath.Join(b.dir, "local", name), Out: filepath.Join(b.dir, "out", name)}
}

// split makes a file of each text and a split of them all.
func (b *bed) split(texts ...string) (s input.Split) {
	b.t.Helper()
	for i, text := range texts {
		path := filepath.Join(b.dir, fmt.Sprintf("in%d", i))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.t.Fatal(err)
		}
		s.Pieces = append(s.Pieces, input.Piece{Path: path, End: int64(len(text))})
		s.Size += int64(len(text))
	}
	return s
}

func (b *bed) mapTo(parts int, s input.Split) (*task.Output, task.Stats, string, error) {
	c := task.MapConfig{Config: b.config("m", 0), Split: s, Parts: parts}
	out, stats, err := b.x.Map(b.t.Context(), c)
	b.clean(err, c.Config, out != nil)
	return out, stats, filepath.Join(c.Out, task.PartName(false, 0)), err
}

// clean checks that an attempt left nothing but what it has to.
func (b *bed) clean(err error, c task.Config, local bool) {
	b.t.Helper()
	for path, stays := range map[string]bool{c.Local: local, c.Out: err == nil && !local, c.Local + "-work": false} {
		if _, e := os.Stat(path); (e == nil) != stays {
			b.t.Errorf("after %v: %s: %v", err, filepath.Base(path), e)
		}
	}
}

// job runs one map and one reduce and returns the output.
func (b *bed) job(texts ...string) string {
	b.t.Helper()
	out, _, _, err := b.mapTo(1, b.split(texts...))
	if err != nil {
		b.t.Fatal(err)
	}
	text, _, err := b.reduce(out)
	if err != nil {
		b.t.Fatal(err)
	}
	return text
}

func (b *bed) reduce(outs ...*task.Output) (string, task.Stats, error) {
	b.t.Helper()
	c := task.ReduceConfig{Config: b.config("r", 0), Maps: len(outs), Fetch: func(_ context.Context, m int) (*task.Output, error) { return outs[m], nil }}
	stats, err := b.x.Reduce(b.t.Context(), c)
	b.clean(err, c.Config, false)
	if err != nil {
		return "", stats, err
	}
	return b.read(filepath.Join(c.Out, task.PartName(true, 0))), stats, nil
}

func (b *bed) read(path string) string {
	b.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

func TestWordcount(t *testing.T) {
	countWords, sumCounts := commandtest.Words("words"), commandtest.Words("sum")
	for name, combine := range map[string][]string{"plain": nil, "combined": sumCounts} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t, Job{Map: countWords, Combine: combine, Reduce: sumCounts, Reduces: 1})
			out, stats, _, err := b.mapTo(1, b.split("the cat\nthe dog", "the end\n"))
			if err != nil {
				t.Fatal(err)
			}
			text, _, err := b.reduce(out)
			if want := "cat\t1\ndog\t1\nend\t1\nthe\t3\n"; err != nil || text != want {
				t.Errorf("output %q (%v), want %q", text, err, want)
			}
			count := func(n string) int64 { return stats.Counters.Get(mapreduce.TaskGroup, n) }
			got := []int64{count(mapreduce.MapInputRecords), count(mapreduce.MapOutputRecords), count(mapreduce.CombineInputRecords), count(mapreduce.CombineOutputRecords)}
			want := []int64{3, 6, 0, 0}
			if combine != nil {
				want = []int64{3, 6, 6, 4}
			}
			if !slices.Equal(got, want) {
				t.Errorf("records %v, want %v", got, want)
			}
			if n := count(mapreduce.MapOutputBytes); n != 24 { // what the map emitted, whatever the combiner made of it
				t.Errorf("%d bytes, want 24", n)
			}
		})
	}
}

// A combiner whose buffer overflows runs several times, and nothing is lost.
func TestCombineInPieces(t *testing.T) {
	b := newBed(t, Job{Map: sh(`cat`), Combine: commandtest.Words("sum"), Reduce: commandtest.Words("sum"), Reduces: 1})
	var in strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&in, "k%d\t1\n", i%7)
	}
	c := task.MapConfig{Config: b.config("m", 0), Split: b.split(in.String()), Parts: 1}
	c.Buffer = 8 << 10
	out, stats, err := b.x.Map(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if n := stats.Counters.Get(mapreduce.TaskGroup, mapreduce.CombineOutputRecords); n < 50 || n > 1000 {
		t.Errorf("the combiner wrote %d records", n)
	}
	text, _, err := b.reduce(out)
	if want := "k0\t715\nk1\t715\nk2\t714\nk3\t714\nk4\t714\nk5\t714\nk6\t714\n"; err != nil || text != want {
		t.Errorf("%q, %v", text, err)
	}
}

// A combiner that leaves most of what it gets is given no more, and nothing is lost or counted twice.
func TestCombineInVain(t *testing.T) {
	b := newBed(t, Job{Map: sh(`cat`), Combine: []string{"cat"}, Reduce: commandtest.Words("sum"), Reduces: 1})
	c := task.MapConfig{Config: b.config("m", 0), Split: b.split(strings.Repeat("k0\t1\nk1\t1\n", 2500)), Parts: 1}
	c.Buffer = 8 << 10
	out, stats, err := b.x.Map(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	count := func(name string) int64 { return stats.Counters.Get(mapreduce.TaskGroup, name) }
	if n := count(mapreduce.CombineInputRecords); n == 0 || n > 1000 || n != count(mapreduce.CombineOutputRecords) || count(mapreduce.MapOutputRecords) != 5000 {
		t.Errorf("the combiner got %d records and wrote %d, of %d", n, count(mapreduce.CombineOutputRecords), count(mapreduce.MapOutputRecords))
	}
	if text, _, err := b.reduce(out); err != nil || text != "k0\t2500\nk1\t2500\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// A combiner runs where many maps at once work for few reduces.
func TestWhereMapsCombine(t *testing.T) {
	for _, c := range []struct {
		atOnce, reduces int
		combines        bool
	}{{0, 9, true}, {2, 1, false}, {3, 1, true}, {8, 3, true}, {8, 4, false}} {
		j := Job{Combine: []string{"cat"}, AtOnce: c.atOnce, Reduces: c.reduces}
		if j.combines() != c.combines {
			t.Errorf("%d maps at once, %d reduces: %v", c.atOnce, c.reduces, j.combines())
		}
	}
	if j := (Job{AtOnce: 8, Reduces: 1}); j.combines() {
		t.Error("nothing combines")
	}
}

// What Hadoop does with lines that have no TAB, several, or none but TABs.
func TestKeys(t *testing.T) {
	for _, c := range []struct {
		fields   int
		in, want string
	}{
		{0, "b\na\tx\ty\n\tz\n\n", "\tz\n\t\na\tx\ty\nb\t\n"},
		{2, "b\t1\tv\na\nb\t0\tw\tx\nb\t0", "a\t\nb\t0\tw\tx\nb\t0\t\nb\t1\tv\n"},
	} {
		b := newBed(t, Job{Map: []string{"cat"}, Reduce: []string{"cat"}, KeyFields: c.fields, Reduces: 1})
		if got := b.job(c.in); got != c.want {
			t.Errorf("%d key fields: %q, want %q", c.fields, got, c.want)
		}
	}
	if k, v := split([]byte("a\tb\tc"), 2); string(k) != "a\tb" || string(v) != "c" {
		t.Errorf("%q %q", k, v)
	}
}

func TestPartitionFields(t *testing.T) {
	b := newBed(t, Job{Map: []string{"cat"}, KeyFields: 2, PartitionFields: 1, Reduces: 5})
	var in strings.Builder
	for i := range 40 {
		fmt.Fprintf(&in, "one\t%d\t\n", i)
	}
	out, _, _, err := b.mapTo(5, b.split(in.String()))
	if err != nil {
		t.Fatal(err)
	}
	full := 0
	for _, s := range out.Segments {
		if s.Records > 0 {
			full++
		}
	}
	if full != 1 {
		t.Errorf("the records of one first field are in %d parts", full)
	}
}

func TestEnvironment(t *testing.T) {
	b := newBed(t, Job{Map: []string{"env"}, Reduces: 0, Maps: 3, User: "ann",
		Conf: map[string]string{"my.own-key": "a b"}, Env: map[string]string{"MINE": "x=y"}, Input: []string{"/a", "/b"}, Output: "/o"})
	_, _, part, err := b.mapTo(0, b.split("x\n", "yy\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := b.read(part) // each line is a key without a value
	for _, want := range []string{
		"MINE=x=y\t\n", "my_own_key=a b\t\n", "mapreduce_job_id=job_1400000000000_0001\t\n", "mapreduce_job_name=test\t\n", "mapreduce_job_maps=3\t\n",
		"mapreduce_job_reduces=0\t\n", "mapreduce_task_id=task_1400000000000_0001_m_000000\t\n", "mapreduce_job_user_name=ann\t\n",
		"mapreduce_task_attempt_id=attempt_1400000000000_0001_m_000000_1\t\n", "mapreduce_task_partition=0\t\n", "mapreduce_task_ismap=true\t\n",
		"mapreduce_map_input_file=file:" + b.dir + "/in0\t\n", "mapreduce_map_input_file=file:" + b.dir + "/in1\t\n", "mapreduce_map_input_start=0\t\n",
		"mapreduce_map_input_length=2\t\n", "mapreduce_map_input_length=3\t\n", "mapreduce_input_fileinputformat_inputdir=file:/a,file:/b\t\n",
		"mapreduce_output_fileoutputformat_outputdir=file:/o\t\n", "stream_num_map_output_key_fields=1\t\n", "mapred_task_is_map=true\t\n", "mapred_tip_id=task_1400000000000_0001_m_000000\t\n", "mapreduce_task_output_dir=file:" + filepath.Dir(part) + "\t\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestReports(t *testing.T) {
	b := newBed(t, Job{Map: sh(`cat >/dev/null; for i in 1 2 3; do echo reporter:counter:mine,seen, lines,$i >&2; done; echo reporter:counter:bad >&2
		echo reporter:status:halfway >&2; echo 'the end' >&2; exit 7`), Reduces: 1})
	_, _, _, err := b.mapTo(1, b.split("x\n"))
	want := `the map command "sh -c`
	if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(),
		`it ended with exit code 7; its last status was: halfway; it said:`+"\nreporter:counter:bad\nthe end") {
		t.Errorf("%v", err)
	}
	b = newBed(t, Job{Map: sh(`cat; for i in 1 2 3; do echo reporter:counter:mine,seen, lines,$i >&2; done`), Reduces: 1})
	_, stats, _, err := b.mapTo(1, b.split("x\n", "y\n"))
	if n := stats.Counters.Get("mine", "seen, lines"); err != nil || n != 12 {
		t.Errorf("counted %d, %v", n, err)
	}
}

func TestExitCodesCanBeIgnored(t *testing.T) {
	b := newBed(t, Job{Map: sh(`cat; exit 3`), Reduces: 1, Conf: map[string]string{"stream.non.zero.exit.is.failure": "false"}})
	if got := b.job("x\ty\n"); got != "x\ty\n" {
		t.Errorf("%q", got)
	}
}

// big is more than pipes hold.
var big = strings.Repeat("some words of input, again and again\n", 40_000)

func TestMapperNeedNotReadItsInput(t *testing.T) {
	for _, script := range []string{`head -n 1`, `exec <&-; echo one; sleep 0.1`, `echo one; exit 0`} {
		b := newBed(t, Job{Map: sh(script), Reduces: 1})
		if got := b.job(big); strings.Count(got, "\n") != 1 {
			t.Errorf("%s: %q", script, got)
		}
	}
}

// A command that writes before it reads, and one that reads all before it writes, must not make us wait for each other.
func TestNobodyWaitsInACircle(t *testing.T) {
	for name, script := range map[string]string{
		"speaks first":   `yes 'a line that nobody asked for' | head -n 100000; cat >/dev/null`,
		"listens first":  `x=$(cat); yes "$(echo "$x" | head -n 1)" | head -n 100000`,
		"closes its out": `echo x; exec >&-; cat >/dev/null`,
		"echoes":         `cat`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t, Job{Map: sh(script), Reduce: []string{"cat"}, Reduces: 1})
			if got := b.job(big); got == "" {
				t.Error("no output")
			}
		})
	}
}

func TestFailures(t *testing.T) {
	daemon := filepath.Join(t.TempDir(), "pid")
	for _, c := range []struct {
		name, script, want string
		limits             process.Limits
		kind               failure.Kind
	}{
		{"hangs", `sleep 1000`, "it took longer than 200ms", process.Limits{Time: 200 * units.Millisecond}, failure.Transient},
		{"eats memory", commandtest.Line("eat 500 stay"), "it took more than 64MB of memory", process.Limits{Memory: 64 * units.MB}, failure.Transient},
		{"forks and dies", `(` + commandtest.Line("setsid") + ` sleep 1000 & echo $! >` + daemon + `); cat >/dev/null; exit 4`, "exit code 4", process.Limits{}, failure.Transient},
		{"forks and ends", `(sleep 1000 & ); cat >/dev/null; exit 0`, "something that it started keeps its output open", process.Limits{}, failure.Transient},
		{"is killed", `kill -9 $$`, "it died: signal: killed", process.Limits{}, failure.Transient},
		{"writes no lines", `head -c 70000000 /dev/zero`, "it wrote a line longer than 64MB", process.Limits{}, failure.Permanent},
		{"shouts", `head -c 100000000 /dev/zero | tr '\0' '\n' >&2; yes help 2>/dev/null | head -c 20000000 >&2; exit 1`, "exit code 1; it said:\nhelp\nhelp\nhelp\nhelp\nhelp", process.Limits{}, failure.Transient},
		{"finds no command", `nosuchcommand; exit $?`, "exit code 127; it said: ", process.Limits{}, failure.Permanent},
		{"finds nothing to run", `touch plain; ./plain`, "exit code 126; it said: ", process.Limits{}, failure.Permanent},
		{"writes too large a file", `ulimit -f 1; head -c 100000 /dev/zero >large; exit $?`, "exit code 153; it said: ", process.Limits{}, failure.Permanent},
		{"dies of too large a file", `ulimit -f 1; exec head -c 100000 /dev/zero >large`, "it died: signal: file size limit exceeded", process.Limits{}, failure.Permanent},
		{"names a file beside it", `head -c 10 >/dev/null; echo "$PWD/x: bad" >&2; exit 1`, "exit code 1; it said: x: bad", process.Limits{}, failure.Transient},
		{"closes stdin and fails", `exec <&-; echo no >&2; exit 2`, "exit code 2; it said: no", process.Limits{}, failure.Transient},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.limits.Memory > 0 && runtime.GOOS != "linux" {
				t.Skip("NOT CHECKED: memory is not bounded on this system")
			}
			b := newBed(t, Job{Map: sh(c.script), Limits: c.limits, Reduces: 1})
			_, _, _, err := b.mapTo(1, b.split(big))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "the map command ") {
				t.Errorf("%v, want %q", err, c.want)
			}
			if got := failure.Of(err); got != c.kind {
				t.Errorf("%v: kind %d, want %d", err, got, c.kind)
			}
		})
	}
	text, err := os.ReadFile(daemon)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/proc/" + strings.TrimSpace(string(text)) + "/cmdline"); err == nil {
		t.Errorf("the daemon %s is left behind", text)
	}
}

// A line that is too long costs no more memory than its limit, and a long line of input none: it
// goes to the command as it comes.
func TestLongLinesCostTheirLimit(t *testing.T) {
	b := newBed(t, Job{Map: []string{"cat"}, Reduces: 1})
	long := b.split(strings.Repeat("x", 100<<20))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, _, err := b.mapTo(1, long)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "it wrote a line longer than 64MB") {
		t.Fatal(err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > longestLine+32<<20 { // the line itself is longer
		t.Errorf("%d MB were allocated", n>>20)
	}
	b = newBed(t, Job{Map: []string{"wc", "-c"}, Reduces: 1})
	long = b.split(strings.Repeat("x", 100<<20))
	runtime.ReadMemStats(&before)
	_, stats, _, err := b.mapTo(1, long)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; err != nil || n > 32<<20 || stats.Counters.Get(mapreduce.TaskGroup, mapreduce.MapInputRecords) != 1 {
		t.Errorf("%d MB were allocated, %v", n>>20, err)
	}
}

// What a line that is taken costs is in proportion to it, and the memory of the task bounds it.
func TestLinesCostInProportion(t *testing.T) {
	const buffer, long = 16 << 20, 7 << 20
	text := strings.Repeat("x", long) + "\n"
	alloc := func(run func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		run()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	for name, j := range map[string]Job{
		"map":     {Map: []string{"cat"}, Reduces: 1},
		"combine": {Map: []string{"cat"}, Combine: []string{"cat"}, Reduces: 1},
	} {
		b := newBed(t, j)
		b.buffer = buffer
		in := b.split(strings.Repeat(text, 4))
		var out *task.Output
		var err error
		lines := uint64(4)
		if len(j.Combine) > 0 {
			lines *= 2 // what the combiner says are lines again
		}
		// As read, as a line, as a record, and when what was spilled is merged; and a little.
		if n := alloc(func() { out, _, _, err = b.mapTo(1, in) }); err != nil || n > lines*4*long+24<<20 {
			t.Errorf("%s: %d MB were allocated, %v", name, n>>20, err)
		}
		if err == nil && out.Size() < 4*long {
			t.Errorf("%s: %v of output", name, out.Size())
		}
	}
	b := newBed(t, Job{Map: []string{"cat"}, Reduce: []string{"cat"}, Reduces: 1})
	b.buffer = buffer
	if got := b.job(text + "a\n"); got != "a\t\n"+text[:long]+"\t\n" {
		t.Errorf("%d bytes", len(got))
	}
	_, _, _, err := b.mapTo(1, b.split(strings.Repeat("x", 8<<20+1)+"\n"))
	if err == nil || !strings.Contains(err.Error(), "it wrote a line longer than 8MB, half of the memory of a task; give more memory, or fewer slots") ||
		failure.Of(err) != failure.Permanent {
		t.Error(err)
	}
}

// A command for each file says how often it was started; one for all of them sees all lines.
func TestOneCommand(t *testing.T) {
	for one, want := range map[bool]string{false: "1\t\n2\t\n", true: "3\t\n"} {
		b := newBed(t, Job{Map: commandtest.Words("lines"), OneCommand: one, Reduces: 1})
		if got := b.job("x\n", "y\nz"); got != want {
			t.Errorf("%v: %q, want %q", one, got, want)
		}
	}
}

// Files that a reducer writes beside its output are the task's, too, unless they are not what a commit could take.
func TestSideEffects(t *testing.T) {
	for script, want := range map[string]string{
		`echo x >$d/side`:                "",
		`echo x >$d/part-r-00007`:        `a command made "part-r-00007" in mapreduce_task_output_dir, a name reserved for the engine`,
		`touch $d/_SUCCESS`:              "a name reserved for the engine",
		`ln -s /etc/passwd $d/passwd`:    "which is not a plain file",
		`mkdir $d/sub && touch $d/sub/x`: "which is not a plain file",
	} {
		b := newBed(t, Job{Map: []string{"cat"}, Reduce: sh(`cat; d=${mapreduce_task_output_dir#file:}; ` + script), Reduces: 1})
		out, _, _, err := b.mapTo(1, b.split("x\n"))
		if err != nil {
			t.Fatal(err)
		}
		_, stats, err := b.reduce(out)
		side := len(stats.Parts) == 2 && stats.Parts[0].Size == 3 && stats.Parts[1] == task.Part{Name: "side", Size: task.Unread}
		if want == "" && (err != nil || !side) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, %v, want %q", script, stats.Parts, err, want)
		}
	}
}

// What is garbage to people is still lines.
func TestGarbageIsLines(t *testing.T) {
	b := newBed(t, Job{Map: sh(`cat >/dev/null; printf '\377\376\000x\n\001\002'`), Reduces: 1})
	if got := b.job("x\n"); got != "\x01\x02\t\n\xff\xfe\x00x\t\n" {
		t.Errorf("%q", got)
	}
}

func TestCancelledAttemptEndsItsCommands(t *testing.T) {
	for name, script := range map[string]string{"silent": `sleep 1000`, "busy": `yes`, "at its end": `cat >/dev/null; exec >&-; sleep 1000`} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t, Job{Map: sh(script), Reduces: 1})
			ctx, cancel := context.WithCancelCause(t.Context())
			why := errors.New("enough of that")
			time.AfterFunc(100*time.Millisecond, func() { cancel(why) })
			c := task.MapConfig{Config: b.config("m", 0), Split: b.split(big), Parts: 1}
			if _, _, err := b.x.Map(ctx, c); !errors.Is(err, why) {
				t.Errorf("%v", err)
			}
			b.clean(why, c.Config, false)
		})
	}
}

func TestSideFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"m.sh": "#!/bin/sh\ncat words sub/*\n", "stop": "of\n", "tree/a": "in\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var files []File
	for _, text := range []string{dir + "/m.sh", dir + "/stop#words", dir + "/tree#sub"} {
		f, err := sideFile(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	b := newBed(t, Job{Map: []string{"./m.sh"}, Files: files, Reduces: 1})
	if got := b.job("x\n"); got != "in\t\nof\t\n" {
		t.Errorf("%q", got)
	}
	for text, want := range map[string]string{
		dir + "/stop#../out": "is outside of it", dir + "/stop#/etc/x": "is outside of it", dir + "/none": "no such file", "#x": "is outside of it",
	} {
		if _, err := sideFile(text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := sideFile(dir+"/none", func(path string) bool { return path == dir+"/none" }); err != nil {
		t.Errorf("one that a job before it makes: %v", err)
	}
	for command, want := range map[string]string{
		"./none.sh": "is not among the side files", "no-such-command": "neither on the path nor among the side files", "sub/a": "", "m.sh": "",
	} {
		if _, err := Find(command, files); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", command, err, want)
		}
	}
}
