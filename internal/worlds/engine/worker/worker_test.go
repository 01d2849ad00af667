package worker

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/internal/worlds/engine/process"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/units"
)

// The test binary is the worker, too.
func TestMain(m *testing.M) {
	switch os.Getenv("WORKER_TEST") {
	case "":
	case "silent":
		fmt.Println("I know nothing of workers")
		os.Exit(0)
	case "dying":
		os.Exit(4)
	case "sleepy":
		time.Sleep(time.Hour)
	case "mute": // it greets and never says what it is
		fmt.Print(greeting)
		time.Sleep(time.Hour)
	case "brooding": // it says hello and nothing of its program
		fmt.Print(greeting)
		_ = send(os.Stdout, &message{Kind: "hello", Version: Version, Programs: []string{"one"}})
		time.Sleep(time.Hour)
	case "old":
		fmt.Print("hello, ", greeting)
		_ = send(os.Stdout, &message{Kind: "hello", Version: Version + 1})
		time.Sleep(time.Hour)
	default:
		fmt.Println("a line before the greeting")
		fmt.Print("and a part of one")
		in, out := os.Stdin, os.Stdout
		os.Stdout = os.Stderr
		names := strings.Fields(os.Getenv("WORKER_TEST"))
		if err := Serve(in, out, Programs{Names: names, Make: program}, func() { os.Exit(1) }); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// program counts words, and misbehaves at the word that the parameter "at" names.
func program(name string, params map[string]string) (*mapreduce.Program, error) {
	if params["bad"] != "" {
		return nil, errors.New("the parameter bad is bad")
	}
	return &mapreduce.Program{Name: name, Fold: mapreduce.Sum, NewReducer: mapreduce.Sum.Reducer,
		NewMapper: func(c *mapreduce.Context) (mapreduce.Mapper, error) { return words{c, params["at"]}, nil }}, nil
}

type words struct {
	c  *mapreduce.Context
	at string
}

func (w words) Map(_, line []byte, out mapreduce.Emitter) error {
	for _, word := range bytes.Fields(line) {
		if string(word) == w.at {
			if err := misbehave(w.at); err != nil {
				return err
			}
		}
		w.c.Counter("words", "seen").Add(1)
		if err := out.Emit(word, []byte("1")); err != nil {
			return err
		}
	}
	return nil
}

func misbehave(how string) error {
	switch how {
	case "panic":
		panic("no good")
	case "error":
		return errors.New("no good either")
	case "crash":
		go func() { panic("in a goroutine") }()
		select {}
	case "exit0", "exit3":
		os.Exit(int(how[4] - '0'))
	case "loop":
		for {
			runtime.Gosched()
		}
	case "eat":
		var all [][]byte
		for len(all) >= 0 {
			all = append(all, bytes.Repeat([]byte{1}, 1<<20))
		}
	case "garbage":
		fmt.Fprint(worn, "this is no message at all, but a line\n")
		select {}
	case "close":
		worn.Close()
		select {}
	case "fork":
		child := exec.Command("sleep", "1000")
		if err := child.Start(); err != nil {
			return err
		}
		fmt.Println(child.Process.Pid)
		if err := os.WriteFile(os.Getenv("WORKER_PID"), []byte(strconv.Itoa(child.Process.Pid)), 0o644); err != nil {
			return err
		}
		os.Exit(4)
	case "shout":
		fmt.Println(strings.Repeat("x", 100<<20))
	}
	return nil
}

// worn is standard output, behind the protocol's back.
var worn = os.NewFile(1, "stdout")

func job(t *testing.T, params map[string]string, limits process.Limits) Job {
	t.Helper()
	t.Setenv("WORKER_TEST", "count")
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Job{Path: path, Params: params, Limits: limits}
}

// attempts gives configurations of the attempts of one job.
type attempts struct {
	t   *testing.T
	dir string
	n   int
}

func (a *attempts) config(of int) task.Config {
	a.n++
	return task.Config{Task: of, Attempt: a.n, Meter: &task.Meter{}, Local: filepath.Join(a.dir, fmt.Sprint("local", a.n)), Out: filepath.Join(a.dir, fmt.Sprint("out", a.n))}
}

func (a *attempts) mapOf(text string, parts int) task.MapConfig {
	a.t.Helper()
	c := a.config(0)
	in := filepath.Join(a.dir, fmt.Sprint("in", a.n))
	if err := os.WriteFile(in, []byte(text), 0o644); err != nil {
		a.t.Fatal(err)
	}
	size := int64(len(text))
	return task.MapConfig{Config: c, Split: input.Split{Pieces: []input.Piece{{Path: in, End: size}}, Size: size}, Parts: parts}
}

func TestJob(t *testing.T) {
	j := job(t, nil, process.Limits{})
	if about, err := Ask(t.Context(), j); err != nil || *about != (About{Reduces: true}) {
		t.Fatalf("%+v, %v", about, err)
	}
	x, a := New(j), &attempts{t: t, dir: t.TempDir()}
	defer x.Close()
	var outs []*task.Output
	for _, text := range []string{"the cat\nthe dog\n", "the end\n"} {
		c := a.mapOf(text, 1)
		out, stats, err := x.Map(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if n := stats.Counters.Get("words", "seen"); n != int64(len(strings.Fields(text))) || stats.Read != units.Bytes(len(text)) || stats.Run <= 0 {
			t.Errorf("%d words seen, %+v", n, stats)
		}
		outs = append(outs, out)
	}
	if len(x.idle) != 1 {
		t.Errorf("%d workers were kept after two attempts in turn", len(x.idle))
	}
	c := task.ReduceConfig{Config: a.config(0), Maps: 2, Fetch: func(ctx context.Context, m int) (*task.Output, error) {
		time.Sleep(10 * time.Millisecond)
		return outs[m], nil
	}}
	if _, err := x.Reduce(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(c.Out, "part-r-00000")); err != nil || string(text) != "cat\t1\ndog\t1\nend\t1\nthe\t3\n" {
		t.Errorf("%q, %v", text, err)
	}
	// A map output that is damaged is the map's fault, and says which.
	if err := os.Truncate(outs[1].Path, 1); err != nil {
		t.Fatal(err)
	}
	var lost *task.FetchError
	if _, err := x.Reduce(t.Context(), c); !errors.As(err, &lost) || lost.Map != 1 || lost.Output != outs[1] {
		t.Errorf("%v", err)
	}
	// One that cannot be had any more, as the attempt is told to stop.
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("stop it")
	time.AfterFunc(100*time.Millisecond, func() { cancel(why) })
	c.Fetch = func(ctx context.Context, m int) (*task.Output, error) { <-ctx.Done(); return nil, ctx.Err() }
	if _, err := x.Reduce(ctx, c); !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
}

func TestFailures(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	t.Setenv("WORKER_PID", pid)
	text := strings.Repeat("some text to begin with\n", 1000) + "%s\n"
	for how, c := range map[string]struct {
		want   string
		limits process.Limits
	}{
		"panic":   {"at byte 24000 panicked: no good", process.Limits{}},
		"error":   {"at byte 24000 failed: no good either", process.Limits{}},
		"crash":   {"it ended with exit code 2 in the middle of its task; it said: panic: in a goroutine", process.Limits{}},
		"exit0":   {"it ended with exit code 0 in the middle of its task", process.Limits{}},
		"exit3":   {"it ended with exit code 3 in the middle of its task", process.Limits{}},
		"loop":    {"it took longer than 300ms", process.Limits{Time: 300 * units.Millisecond}},
		"eat":     {"it took more than 200MB of memory in the middle", process.Limits{Memory: 200 * units.MB}},
		"garbage": {"it wrote something to its standard output that is not a message", process.Limits{}},
		"close":   {"it closed its standard output", process.Limits{}},
		"fork":    {"it ended with exit code 4", process.Limits{}},
	} {
		t.Run(how, func(t *testing.T) {
			if c.limits.Memory > 0 && runtime.GOOS != "linux" {
				t.Skip("NOT CHECKED: memory is not bounded on this system")
			}
			x, a := New(job(t, map[string]string{"at": how}, c.limits)), &attempts{t: t, dir: t.TempDir()}
			defer x.Close()
			m := a.mapOf(fmt.Sprintf(text, how), 2)
			_, _, err := x.Map(t.Context(), m)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			var user *task.UserError
			if broke := how == "panic" || how == "error"; broke != errors.As(err, &user) || broke && (user.Block || user.Spot != nil && user.Spot.At != 24000) {
				t.Errorf("%+v is no account of where the user's code broke", user)
			}
			if len(x.idle) != 0 {
				t.Error("a worker whose attempt failed is kept")
			}
			for _, dir := range []string{m.Local, m.Out} {
				if _, err := os.Stat(dir); err == nil {
					t.Errorf("%s is left behind", filepath.Base(dir))
				}
			}
			// The next attempt has a worker of its own.
			if _, _, err := x.Map(t.Context(), a.mapOf("well\n", 1)); err != nil {
				t.Error(err)
			}
		})
	}
	child, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	for try := 0; ; try++ {
		if _, err := os.Stat("/proc/" + string(child)); err != nil {
			break
		}
		if try == 6000 { // a minute
			t.Errorf("process %s is left behind", child)
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// What a program prints is not in the way, however much it is.
func TestPrintsAreHarmless(t *testing.T) {
	x, a := New(job(t, map[string]string{"at": "shout"}, process.Limits{})), &attempts{t: t, dir: t.TempDir()}
	defer x.Close()
	if _, _, err := x.Map(t.Context(), a.mapOf("shout\n", 1)); err != nil {
		t.Error(err)
	}
}

func TestAskRefuses(t *testing.T) {
	limited := process.Limits{Memory: 1 << 30, Files: 64, Time: units.Second}
	for _, c := range []struct {
		env, program, bad string
		limits            process.Limits
		want              string
	}{
		{"silent", "", "", process.Limits{}, "it is not a worker: its main function must call run.Main of package mapreduce/run; it said: I know nothing of workers"},
		{"dying", "", "", process.Limits{}, "it ended with exit code 4 before it said that it is a worker; if it is not one, its main function must call run.Main of package mapreduce/run"},
		{"dying", "", "", limited, "it ended with exit code 4 before it said that it is a worker, under its limits (memory: 1GB, open_files: 64), which may be too low; if it is not one,"},
		{"old", "", "", process.Limits{}, "it speaks version 2 of the protocol, this engine version 1"},
		{"one two", "", "", process.Limits{}, "has the programs one, two; say which"},
		{"one two", "twi", "", process.Limits{}, `has no program "twi"; did you mean "two"?`},
		{"one", "", "x", process.Limits{}, "the parameter bad is bad"},
	} {
		j := job(t, map[string]string{"bad": c.bad}, c.limits)
		j.Program = c.program
		t.Setenv("WORKER_TEST", c.env)
		if _, err := Ask(t.Context(), j); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.env, err, c.want)
		}
	}
	if _, err := Ask(t.Context(), Job{Path: "/nothing/here"}); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("%v", err)
	}
}

// A program that does not say what it is, or nothing of what it holds, is waited for only so long, and ended.
func TestPatience(t *testing.T) {
	for _, how := range []string{"sleepy", "mute", "brooding"} {
		j := job(t, nil, process.Limits{})
		j.Patience = 50 * time.Millisecond
		t.Setenv("WORKER_TEST", how)
		want := "it has not answered for 50ms; is it a worker?"
		if _, err := Ask(t.Context(), j); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", how, err, want)
		}
	}
}

// A worker that has nobody to work for ends, also in the middle of an attempt.
func TestWorkerEndsWithItsEngine(t *testing.T) {
	gone := make(chan struct{})
	in, w := io.Pipe()
	r, out := io.Pipe()
	served := make(chan error, 1)
	loop := func(string, map[string]string) (*mapreduce.Program, error) {
		return &mapreduce.Program{NewMapper: func(*mapreduce.Context) (mapreduce.Mapper, error) { <-gone; return nil, errors.New("over") }}, nil
	}
	go func() {
		served <- Serve(in, out, Programs{Names: []string{"loop"}, Make: loop}, func() { close(gone) })
	}()
	engine := bufio.NewReader(r)
	if err := greeted(engine, func([]byte) {}); err != nil {
		t.Fatal(err)
	}
	expect := func(kind string) {
		t.Helper()
		if m, err := receive(engine); err != nil || m.Kind != kind {
			t.Fatalf("%+v, %v, want %s", m, err, kind)
		}
	}
	expect("hello")
	a := &attempts{t: t, dir: t.TempDir()}
	m := a.mapOf("x\n", 1)
	for _, msg := range []*message{{Kind: "open", Program: "loop"}, {Kind: "map", Map: &m}} {
		if err := send(w, msg); err != nil {
			t.Fatal(err)
		}
		if msg.Kind == "open" {
			expect("ready")
		}
	}
	time.Sleep(10 * time.Millisecond)
	w.Close()
	expect("ended")
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// What the engine plans by is what the program says.
func TestAbout(t *testing.T) {
	p := &mapreduce.Program{TotalOrder: true, Records: mapreduce.Records{Length: 10, Key: 2}, Raw: true}
	if got := about(p).Program("x"); got.TotalOrder != p.TotalOrder || got.Records != p.Records || !got.Raw || got.Input != nil || got.Name != "x" {
		t.Errorf("%+v", got)
	}
	if about(p).Reduces || !about(&mapreduce.Program{NewReducer: mapreduce.Sum.Reducer}).Reduces {
		t.Error("whether there is a reducer is told wrongly")
	}
	p = &mapreduce.Program{Input: mapreduce.WholeFile{}}
	got := about(p).Program("x")
	if got.Input == nil || got.Input.Cutting() != mapreduce.Uncut {
		t.Errorf("%+v", got)
	}
	if _, err := got.Input.Open(nil, mapreduce.Input{}); err == nil {
		t.Error("a format that is elsewhere can be read")
	}
}

// A worker that says it wrote elsewhere is not believed.
func TestWithin(t *testing.T) {
	for _, c := range []struct {
		out  string
		part string
		want bool
	}{{"/l/a/run", "part-r-00000", true}, {"", "", true}, {"/l/b/run", "", false}, {"/l/a/../b", "", false}, {"", "../x", false}, {"", "/x", false}, {"", "..", false}} {
		var out *task.Output
		if c.out != "" {
			out = &task.Output{Path: c.out}
		}
		stats := task.Stats{}
		if c.part != "" {
			stats.Parts = []task.Part{{Name: c.part}}
		}
		if got := within(out, &stats, "/l/a"); got != c.want {
			t.Errorf("%q, %q: %v", c.out, c.part, got)
		}
	}
}

func FuzzReceive(f *testing.F) {
	var b bytes.Buffer
	if err := send(&b, &message{Kind: "beat", Done: .5}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("\xff\xff\xff\xff{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bufio.NewReader(bytes.NewReader(data))
		_ = greeted(bufio.NewReader(bytes.NewReader(data)), func([]byte) {})
		for {
			m, err := receive(r)
			if err != nil {
				return
			}
			if m.Kind == "" {
				t.Error("a message without a kind")
			}
		}
	})
}
