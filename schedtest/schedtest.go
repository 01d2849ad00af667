package schedtest

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/journal"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

var update = flag.Bool("update", false, "write the journals of text scenarios again")

// Policies makes the policy that a file names.
type Policies func(text string) (sched.Policy, error)

// Run plays every file of the pattern through the simulator, each as a subtest, and compares the
// journals. policies nil means the catalogue, with the queues of the scenario.
func Run(t *testing.T, pattern string, policies Policies) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no file is like %q: %v", pattern, err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), filepath.Ext(f)), func(t *testing.T) { one(t, f, policies) })
	}
}

func one(t *testing.T, file string, policies Policies) {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a := txtar.Parse(src)
	got, err := play(file, a, policies)
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.Files {
		if a.Files[i].Name != "journal" {
			continue
		}
		if *update {
			a.Files[i].Data = got
			if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		if d := cmp.Diff(strings.Split(string(a.Files[i].Data), "\n"), strings.Split(string(got), "\n")); d != "" {
			t.Errorf("%s: the journal is another one (- expected, + now); go test -update takes it over\n%s", file, d)
		}
		return
	}
	t.Fatalf("%s: the part \"-- journal --\" is missing", file)
}

// play runs the scenario of a file and returns its journal.
func play(file string, a *txtar.Archive, policies Policies) ([]byte, error) {
	s, err := readSettings(file, a.Comment)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == "scenario.yaml" })
	if i < 0 {
		return nil, fmt.Errorf("%s: the part \"-- scenario.yaml --\" is missing", file)
	}
	sc, err := scenario.Read(file, a.Files[i].Data)
	if err != nil {
		return nil, err
	}
	if policies == nil {
		policies = func(text string) (sched.Policy, error) { return catalog.New(text, sc.Config) }
	}
	return s.run(sc.Sim(s.seed), policies)
}

// settings are the lines above the first part.
type settings struct {
	policy string
	seed   uint64
	show   []string
	ask    []question
	fails  string
	learns bool
}

type question struct {
	at    units.Time
	job   string
	stage sched.Stage
}

func readSettings(file string, text []byte) (*settings, error) {
	s := &settings{seed: 1}
	for n, line := range strings.Split(string(text), "\n") {
		bad := func(format string, args ...any) error {
			return fmt.Errorf("%s:%d: %s", file, n+1, fmt.Sprintf(format, args...))
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "policy":
			s.policy = rest
		case "show":
			s.show = append(s.show, strings.Fields(rest)...)
		case "fails":
			s.fails = rest
		case "learns":
			if rest != "" {
				return nil, bad("learns stands alone, and is followed by %q", rest)
			}
			s.learns = true
		case "seed":
			seed, err := strconv.ParseUint(rest, 10, 64)
			if err != nil {
				return nil, bad("seed is %q, it must be a whole number", rest)
			}
			s.seed = seed
		case "at":
			f := strings.Fields(rest)
			if len(f) != 4 || f[1] != "done" {
				return nil, bad("it must be \"at TIME done JOB STAGE\"")
			}
			d, err := units.ParseDuration(f[0])
			if err != nil {
				return nil, bad("%v", err)
			}
			stage, err := workload.ParseStage(f[3])
			if err != nil {
				return nil, bad("%v", err)
			}
			s.ask = append(s.ask, question{units.Time(0).Add(d), f[2], stage})
		case "", "#":
		default:
			return nil, bad("there is no setting %q; there are: policy, seed, show, learns, at, fails, and # for words", word)
		}
	}
	if s.policy == "" {
		return nil, fmt.Errorf("%s: no policy is named", file)
	}
	slices.SortStableFunc(s.ask, func(a, b question) int { return int(min(max(a.at-b.at, -1), 1)) })
	return s, nil
}

func (s *settings) run(cfg sim.Config, policies Policies) ([]byte, error) {
	w, err := sim.New(cfg)
	if err != nil {
		return nil, err
	}
	p, err := policies(s.policy)
	if err != nil {
		return nil, err
	}
	out := &writer{settings: s, ids: map[sched.JobID]string{}, of: map[sched.AttemptID]question{}, done: map[question]int{}}
	var world drive.World = struct{ drive.World }{w} // each instant in a batch of its own, for people to read
	if s.learns {
		of, is := p.(interface{ StudiesModels() bool })
		world = lab.Teach(world, !is || of.StudiesModels())
	}
	err = drive.New(world, p, out).Run(context.Background())
	out.answer(units.Never)
	switch {
	case s.fails == "" && err != nil:
		return nil, err
	case s.fails != "" && (err == nil || !strings.Contains(err.Error(), s.fails)):
		return nil, fmt.Errorf("it should fail with %q: %v", s.fails, err)
	}
	return out.text.Bytes(), nil
}

// writer is the sink that writes the journal as files expect it.
type writer struct {
	*settings
	ids  map[sched.JobID]string
	of   map[sched.AttemptID]question // the job and stage of a running attempt
	done map[question]int             // tasks committed so far, by job and stage
	text bytes.Buffer
	line []byte
}

func (w *writer) shows(what string) bool { return len(w.show) == 0 || slices.Contains(w.show, what) }

// Batch writes events.
func (w *writer) Batch(_ int64, at units.Time, events []sched.Event) error {
	w.answer(at)
	for i := range events {
		e := events[i]
		w.count(&e)
		if !w.shows(e.Kind.String()) {
			continue
		}
		if e.Kind == sched.JobArrived {
			e.Text = e.Detail.Job.ID
		}
		e.Detail = nil
		w.line = journal.AppendEvent(w.line[:0], &e)
		fmt.Fprintf(&w.text, "%v %s\n", at, w.line)
	}
	return nil
}

// Plan writes items.
func (w *writer) Plan(_ int64, at units.Time, p *sched.Plan) error {
	for i := range p.Items {
		if it := &p.Items[i]; w.shows(it.Verb.String()) {
			w.line = journal.AppendItem(w.line[:0], p, it)
			fmt.Fprintf(&w.text, "%v %s\n", at, w.line)
		}
	}
	return nil
}

// count follows which tasks have committed.
func (w *writer) count(e *sched.Event) {
	switch e.Kind {
	case sched.JobArrived:
		w.ids[e.Job] = e.Detail.Job.ID
	case sched.Started:
		w.of[e.Attempt] = question{job: w.ids[e.Job], stage: e.Stage}
	case sched.Ended:
		if e.Outcome == sched.Committed {
			w.done[w.of[e.Attempt]]++
		}
	case sched.OutputLost:
		w.done[question{job: w.ids[e.Job], stage: e.Stage}]--
	}
}

// answer answers the questions about the time before now.
func (w *writer) answer(now units.Time) {
	for len(w.ask) > 0 && w.ask[0].at < now {
		q := w.ask[0]
		w.ask = w.ask[1:]
		fmt.Fprintf(&w.text, "%v done %s %v %d\n", q.at, q.job, q.stage, w.done[question{job: q.job, stage: q.stage}])
	}
}
