package lab

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/kernel/journal"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// settings is what a journal's header says besides, so that the policy can be made again.
type settings struct {
	Queues   queues.Config    `json:"queues"`
	Source   *scenario.Source `json:"source,omitempty"` // of a simulation that can be played again
	Go       string           `json:"go"`
	Platform string           `json:"platform"`
}

// recorder is a journal in a file.
type recorder struct {
	*journal.Writer
	file *files.File
	// each round is written out when it is known, so that the file tells what happened when the
	// process has died
	real bool
	lost func(error) // is told why no more is written; nil: that ends the run
	// no more is written
	failed bool
}

// Batch records what happened.
func (r *recorder) Batch(round int64, at units.Time, events []sched.Event) error {
	if r.failed {
		return nil
	}
	return r.out(r.Writer.Batch(round, at, events))
}

// Plan records what was decided.
func (r *recorder) Plan(round int64, at units.Time, p *sched.Plan) error {
	if r.failed {
		return nil
	}
	return r.out(r.Writer.Plan(round, at, p))
}

func (r *recorder) out(err error) error {
	if err == nil && r.real {
		err = r.Flush()
	}
	if err != nil && r.lost != nil {
		r.lost(err)
		r.failed, err = true, nil
	}
	return err
}

// Recorded are the journals that there are of a name, that one and such as have a number behind it, from the first on,
// and the name of the next: what goes on is recorded behind what was recorded before.
func Recorded(path string) (journals []string, next string) {
	byNumber, last := map[int]string{}, 0
	dir, base := filepath.Split(path)
	there, _ := os.ReadDir(cmp.Or(dir, ".")) // what cannot be read has none
	for _, f := range there {
		n, err := 1, error(nil)
		if number, is := strings.CutPrefix(f.Name(), base+"."); is {
			n, err = strconv.Atoi(number)
		} else if f.Name() != base {
			continue
		}
		name := dir + f.Name()
		if info, lost := os.Stat(name); err == nil && lost == nil && info.Mode().IsRegular() && info.Size() > 0 {
			byNumber[n], last = name, max(last, n)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(byNumber)) {
		journals = append(journals, byNumber[n])
	}
	if last == 0 {
		return nil, path
	}
	return journals, fmt.Sprintf("%s.%d", path, last+1)
}

// Journal is the file of a journal. It has its name from the start, as that of a real run tells what
// happened when the process has died.
var Journal = files.Kind{What: "journal", Begins: "1 journal ", Grows: true}

// newRecorder begins the journal of a cell.
func newRecorder(c Cell, policy string, can sched.Capabilities) (*recorder, error) {
	s, err := json.Marshal(settings{c.Queues, c.Source, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH})
	if err != nil {
		return nil, err
	}
	f, err := files.Create(c.Journal, Journal)
	if err != nil {
		return nil, fmt.Errorf("the journal cannot be written: %w", err)
	}
	w, err := journal.NewWriter(f, journal.Header{Scenario: c.Scenario, World: can, Policy: policy, Settings: s, Seed: c.Seed})
	if err != nil {
		f.Discard()
		return nil, err
	}
	return &recorder{Writer: w, file: f, real: c.Origin != nil, lost: c.Lost}, nil
}

// close ends the journal of a run that has ended, or leaves off where the run stopped.
func (r *recorder) close(whole bool) error {
	end := r.Flush
	if r.failed {
		return r.file.Commit()
	}
	if whole {
		end = r.Close
	}
	return errors.Join(end(), r.file.Commit())
}

// Replay decides a recorded run again with a fresh policy. A difference or damage is a *journal.LineError.
func Replay(ctx context.Context, file string) (journal.Result, error) {
	f, err := files.Open(file)
	if err != nil {
		return journal.Result{}, err
	}
	defer f.Close()
	return journal.Replay(ctx, f, func(h journal.Header) (sched.Policy, error) {
		p, _, err := recorded(&h, h.Policy)
		return p, err
	})
}

// recorded makes a policy with the settings of a recorded run.
func recorded(h *journal.Header, policy string) (*compose.Policy, queues.Config, error) {
	var s settings
	if err := json.Unmarshal(h.Settings, &s); err != nil {
		return nil, s.Queues, fmt.Errorf("the parameters of the policy cannot be read: %w", err)
	}
	if strings.HasPrefix(policy, "rtmr(promise=") {
		return nil, s.Queues, fmt.Errorf("what %q promised with a probability is another policy now, promise; slackline before 0.1.0 (revision ee09e414) repeats it", policy)
	}
	p, err := catalog.New(policy, s.Queues)
	return p, s.Queues, err
}

// Told is a recorded run with the account of one of its jobs.
type Told struct {
	*report.Run
	Books  *account.Accountant
	Header journal.Header
	Source *scenario.Source // nil: it cannot be played again
}

// Tell decides a recorded run again, and keeps the account of a job.
func Tell(ctx context.Context, file, job string) (*Told, error) {
	t := &Told{Books: account.New(0)}
	t.Books.Only = job
	var builder *report.Builder
	p, err := Play(ctx, file, "", func(h journal.Header, policy string) []drive.Sink {
		t.Header, t.Books.Beat = h, h.World.Heartbeat
		if of, _, err := recorded(&h, policy); err == nil {
			t.Books.Rule = ordered(of)
		}
		builder = report.NewBuilder(h.World.World, h.Scenario, policy, h.Seed)
		return []drive.Sink{follow.New(builder, t.Books)}
	})
	if err != nil {
		return nil, err
	}
	var s settings
	if err := json.Unmarshal(p.Header.Settings, &s); err == nil {
		t.Source = s.Source
	}
	t.Run = builder.Run()
	t.Run.Explain(t.Books)
	return t, nil
}

// Played is what was played of a journal, with the queues of its run.
type Played struct {
	journal.Result
	Queues queues.Config
}

// Play has a policy, "" = the recorded one, decide on what a recorded world said, and shows that to
// sinks, which are made when the header and the policy's name are known (journal.Play).
func Play(ctx context.Context, file, policy string, sinks func(h journal.Header, policy string) []drive.Sink) (p Played, err error) {
	f, err := files.Open(file)
	if err != nil {
		return p, err
	}
	defer f.Close()
	p.Result, err = journal.Play(ctx, f, func(h journal.Header) (sched.Policy, []drive.Sink, error) {
		made, q, err := recorded(&h, cmp.Or(policy, h.Policy))
		if err == nil {
			err = suits(made, h.World)
		}
		if err != nil {
			return nil, nil, err
		}
		p.Queues = q
		return made, sinks(h, made.Name()), nil
	})
	return p, err
}
