package shadow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/kernel/journal"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Comparison is a policy beside the stock scheduler of a cluster that it watched.
type Comparison struct {
	Schema   string         `json:"schema"`
	Journal  string         `json:"journal"`
	Recorded string         `json:"recorded_policy"`
	Policy   string         `json:"policy"`
	Cut      bool           `json:"cut,omitempty"` // the journal stops before the end of the run
	Watched  float64        `json:"watched_s"`
	Origin   time.Time      `json:"origin,omitzero"` // what 0 of all times stands for; not set: nobody knows
	Agreed   [Kinds]int     `json:"-"`
	Starts   map[string]int `json:"starts"`      // of the stock scheduler, by kind
	Other    []Start        `json:"not_advised"` // the first of those that were not advised
	Verdicts []Verdict      `json:"verdicts"`
	// what the stock scheduler made of the jobs
	Stock *report.Run `json:"stock"`
	// what the policy makes of those that finished, in a simulation; null: none did
	Simulated *report.Run `json:"simulated"`
	Left      int         `json:"not_simulated"` // jobs that did not finish in the recording
}

// Verdict counts the jobs of which the policy said the same, and what became of them under the stock scheduler.
type Verdict struct {
	Verdict   string `json:"verdict"` // promised, admitted, held, refused, or none
	Jobs      int    `json:"jobs"`
	Deadlines int    `json:"deadlines"`
	InTime    int    `json:"in_time"`
}

// verdictNames are those that there are, in the order of the table.
var verdictNames = []string{"promised", "admitted", "held", "refused", "none"}

// ErrUnwatched is the error of a journal in which no policy ever only watched.
var ErrUnwatched = errors.New("no policy only watches in it; slackline yarn serve --watch --journal FILE records such a journal")

// Compare plays a journal to a policy, "" = the recorded one, and then simulates it. It keeps so many of the
// starts that were not advised.
func Compare(ctx context.Context, file, policy string, most int) (*Comparison, error) {
	c := &Comparison{Schema: "slackline/shadow/v1", Journal: file, Verdicts: []Verdict{}, Starts: map[string]int{}, Other: []Start{}}
	agreement, recorded, says := NewAgreement(most), NewRecorded(), &verdicts{}
	var builder *report.Builder
	var follower *follow.Follower
	played, err := lab.Play(ctx, file, policy, func(h journal.Header, name string) []drive.Sink {
		c.Recorded, c.Policy = h.Policy, name
		c.Origin, _ = time.Parse(time.RFC3339Nano, h.World.Origin) // "" where there is none
		builder = report.NewBuilder(h.World.World, h.Scenario, "stock", h.Seed)
		follower = follow.New(builder, recorded, says)
		return []drive.Sink{follower, agreement}
	})
	if err == nil {
		err = follower.Flush()
	}
	switch {
	case err != nil:
		return nil, err
	case !agreement.seen:
		return nil, ErrUnwatched
	}
	c.Cut, c.Watched, c.Agreed, c.Left = played.Cut, agreement.Watched.Seconds(), agreement.Counts, recorded.Left+len(recorded.open)
	for k, n := range agreement.Counts {
		c.Starts[kindNames[k]] = n
	}
	c.Other = append(c.Other, agreement.Starts...)
	c.Stock = builder.Run()
	c.Verdicts = append(c.Verdicts, says.count(c.Stock)...)
	cfg, err := recorded.Config(played.Header.World.Heartbeat)
	if errors.Is(err, ErrNothing) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	c.Simulated, err = lab.Run(ctx, lab.Cell{Scenario: played.Header.Scenario, Policy: c.Policy, Queues: played.Queues, Seed: 1, World: lab.Simulated(cfg)})
	if err != nil {
		return nil, fmt.Errorf("the simulation of what was recorded: %w", err)
	}
	return c, nil
}

// verdicts keeps what a policy that watches last said of each job. It is a sink of one run.
type verdicts struct {
	follow.Single
	said []string // by the job's number
}

// Batch does nothing.
func (*verdicts) Batch(units.Time, []follow.Record) error { return nil }

// Plan notes what was said.
func (v *verdicts) Plan(_ units.Time, decisions []follow.Decision) error {
	for i := range decisions {
		d := &decisions[i]
		if d.Refused != sched.Watched || d.Job == nil {
			continue
		}
		name := map[sched.Verb]string{sched.Admit: "admitted", sched.Hold: "held", sched.Reject: "refused"}[d.Verb]
		if d.Verb == sched.Admit && d.Outlook.Word.Binds() {
			name = "promised"
		}
		*sched.Row(&v.said, d.Job.Number) = name
	}
	return nil
}

// count sets what was said beside what became of the jobs.
func (v *verdicts) count(run *report.Run) (list []Verdict) {
	rows := map[string]*Verdict{}
	for i := range run.Jobs {
		j, name := &run.Jobs[i], ""
		if i < len(v.said) {
			name = v.said[i]
		}
		if name == "" {
			name = "none"
		}
		row := rows[name]
		if row == nil {
			row = &Verdict{Verdict: name}
			rows[name] = row
		}
		row.Jobs++
		if j.Deadline != nil {
			row.Deadlines++
			if j.Finished != nil && j.Outcome.Finished() && *j.Finished <= *j.Deadline {
				row.InTime++
			}
		}
	}
	for _, name := range verdictNames {
		if row := rows[name]; row != nil {
			list = append(list, *row)
		}
	}
	return list
}
