// Package lab joins what knows nothing of each other: a world, a policy from the catalogue, and
// sinks. Run does it once, Grid for many cells on all cores.
//
//	lab.go      one run
//	door.go     asked when jobs come, whether they would be in time
//	grid.go     many, in the order of the grid whatever the number of cores
//	later.go    sinks of a simulated run, which are shown blocks of rounds, on a core that no cell needs
//	teach.go    what jobs of a run teach, told to a policy that reads profiles, and rehearsals
//	cache.go    results by the sum of all that they follow from, so that a grid can be killed and changed
//	journal.go  runs recorded to a file, and decided again from it
package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Cell is one run: a world under a policy with a seed.
type Cell struct {
	// Scenario is its name, for the report.
	Scenario string
	// File is the file that describes it, for errors; "" = there is none.
	File string
	// Policy is written as people write it.
	Policy string
	// Catalog lists the policies and parts that it may name; nil = those that everybody can.
	Catalog []compose.Entry
	Queues  queues.Config
	Seed    uint64
	// World makes the world when the cell's turn comes.
	World func(context.Context) (drive.World, error)
	// Config is that of the simulator which World makes; nil: the world is another one.
	Config func(context.Context) (sim.Config, error)
	// Admission says that jobs are asked about when they come, in a world with a Config; nil: they are not.
	Admission *Admission
	// Can is what that world can do, so that the policy can be checked before. Without a name it is
	// known only then.
	Can sched.Capabilities
	// GoesOn is when the interrupted run began that this one resumes; zero: there is none.
	GoesOn time.Time
	// Origin is the instant that 0 of a real run stands for, known once it has begun.
	Origin func() time.Time
	// Drives is told of the loop before it begins, for who asks meanwhile (StandOf); nil: nobody does.
	Drives func(*drive.Loop)
	// Sinks watch this cell and no other: a timeline, a learner, a log. The report's is there already.
	Sinks []follow.Sink
	// Aggregate keeps no row for each job. Such a cell has no books, and is not asked about jobs.
	Aggregate bool
	// Books keep the accounts of its jobs; nil: nobody asks where their time went.
	Books *account.Accountant
	// Source is what its scenario was read from, for its journal; nil: nobody can play it again.
	Source *scenario.Source
	// Journal is the file to record the run to, "" = none.
	Journal string
	// Lost is told that the journal cannot be written, and the run goes on without it; nil: that ends
	// the run.
	Lost func(error)
	// Params are the values of a sweep, for the report.
	Params map[string]string
	// Trace is what the report says of the trace that is played; nil = none is.
	Trace *report.Trace
	// Notes are what was filled in, moved or left out of files beside the scenario.
	Notes []string
	// Metrics are those by which its report may be compared with others, as far as known before.
	Metrics []string
	// Key is that of what is simulated, for the cache; "" = it is not cached.
	Key string
	// Known is its result when it ran before; nil = it has to run.
	Known *report.Run

	common *common // with other cells of its grid; nil = nothing
	spare  bool    // there are more processors than cells that run at a time
}

// Name is the scenario with the values of its sweep.
func (c *Cell) Name() string { return report.Named(c.Scenario, c.Params) }

// policy makes the policy that the cell is played by.
func (c *Cell) policy() (*compose.Policy, error) {
	if c.Catalog == nil {
		return catalog.New(c.Policy, c.Queues)
	}
	return catalog.Of(c.Catalog, c.Policy, c.Queues)
}

// Position says which cell of a grid it is, and in which file that is described.
func (c *Cell) Position() string {
	place := fmt.Sprintf("%s by %s with seed %d", c.Name(), c.Policy, c.Seed)
	if c.File != "" {
		place = c.File + ": " + place
	}
	return place
}

// DefaultPolicy is what runs jobs when no policy is asked for: one that says of each when it will be done, and promises
// the deadlines that are likely enough. BaselinePolicy plays scenarios that name none: earliest deadline first, and an
// earlier deadline takes all slots that fall free (paper 000, section 6), which needs no knowledge of the jobs.
const (
	DefaultPolicy  = "promise"
	BaselinePolicy = "edf-p"
)

// Queues describe the queues of a cluster.
type Queues = queues.Config

// NoQueues describes no queues: each that a job names exists with default settings.
var NoQueues Queues

// Policies are the names of the whole policies in the catalogue.
func Policies() []string {
	var names []string
	for _, e := range catalog.All() {
		if e.Kind == compose.KindScheme {
			names = append(names, e.Name)
		}
	}
	return names
}

// PolicyName returns a policy as it is always written, or says in one sentence what is wrong with it.
func PolicyName(text string, q queues.Config) (string, error) {
	p, err := catalog.New(text, q)
	if err != nil {
		return "", err
	}
	return p.Name(), nil
}

// Aborted is a run that began well and could not continue: an error of the world, of the journal, or
// that it was interrupted. Any other error of Run is one of its input.
type Aborted struct{ Err error }

// Error says what happened.
func (a *Aborted) Error() string { return a.Err.Error() }

// Unwrap returns the cause.
func (a *Aborted) Unwrap() error { return a.Err }

// Run runs a cell to its end and reports. With an error that Ends tells of, what came of the run
// until then is reported beside it.
func Run(ctx context.Context, c Cell) (*report.Run, error) {
	policy, err := c.policy()
	if err != nil {
		return nil, err
	}
	var at *door
	if c.Admission != nil && c.Config != nil {
		at = &door{Admission: *c.Admission, ctx: ctx, cell: &c, told: map[string]units.Time{}}
		c.World = at.world
	}
	world, err := c.World(ctx)
	if Ends(err) { // what comes before the run, such as its rehearsal
		return c.reported(report.NewBuilder("sim", c.Scenario, policy.Name(), c.Seed), err)
	}
	if err != nil {
		return nil, err
	}
	can := world.Can()
	if err := suits(policy, can); err != nil {
		return nil, err
	}
	builder := report.NewBuilder(can.World, c.Scenario, policy.Name(), c.Seed)
	if c.Aggregate {
		builder.Aggregate()
	}
	watching := []follow.Sink{builder}
	if c.Books != nil {
		c.Books.Beat, c.Books.Rule = can.Heartbeat, ordered(policy)
		watching = append(watching, c.Books) // before those who may ask it
	}
	follower := follow.New(append(watching, c.Sinks...)...)
	_, virtual := world.(drive.Patient)
	if policy.Studies() {
		world = Teach(world, policy.StudiesModels())
	}
	sinks := []drive.Sink{follower}
	var rec *recorder
	if c.Journal != "" {
		if rec, err = newRecorder(c, policy.Name(), can); err == nil {
			sinks = append(sinks, rec)
		} else if c.Lost == nil {
			return nil, err
		} else {
			c.Lost(err)
		}
	}
	var kept *later
	if virtual {
		kept = newLater(follower)
		if sinks[0] = kept; c.spare {
			ctx = kept.aside(ctx, rec)
			sinks = sinks[:1]
		}
	}
	loop := drive.New(world, policy, sinks...)
	if at != nil {
		at.loop = loop
	}
	if c.Drives != nil {
		c.Drives(loop)
	}
	began := time.Now()
	err = loop.Run(ctx)
	if kept != nil {
		err = cmp.Or(kept.close(), err)
	}
	took := time.Since(began)
	if err != nil {
		stop(world)
	}
	if rec != nil {
		err = cmp.Or(err, rec.close(err == nil)) // a journal that failed fails again
	}
	if _, bad := errors.AsType[*sim.ArrivalError](err); bad {
		return nil, err // what was asked for is at fault
	}
	if err != nil && !Ends(err) {
		return nil, &Aborted{err}
	}
	run, err := c.reported(builder, err)
	run.Without = policy.Forgoes(&can)
	run.Summary.Time(took.Seconds())
	if at != nil {
		at.report(run)
	}
	return run, err
}

// ordered says in which order a policy puts jobs, "" if none of its parts alone says that.
func ordered(p *compose.Policy) string {
	for _, e := range p.Parts() {
		if e.Kind == compose.KindOrder {
			return e.Doc
		}
	}
	return ""
}

// reported is what the run has come to, and why it ended before its time, nil if it did not.
func (c *Cell) reported(builder *report.Builder, err error) (*report.Run, error) {
	run := builder.Run()
	run.Explain(c.Books)
	run.Params, run.Trace, run.Notes = c.Params, c.Trace, c.Notes
	if errors.Is(err, sim.ErrStuck) {
		err = &Aborted{err}
	}
	return run, err
}

// stop stops a world in which a run has ended before it had, as a sink could not continue: a real one
// ends what runs and lets go of its output.
func stop(world drive.World) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for {
		if _, err := world.Next(ctx); err != nil {
			return
		}
	}
}

// suits tells what the policy needs and the world cannot do, and how to change that where one can.
func suits(policy *compose.Policy, can sched.Capabilities) error {
	err := policy.Suits(&can)
	if with := can; err != nil && can.World == "sim" && !can.Speculate {
		if with.Speculate = true; policy.Suits(&with) == nil {
			err = fmt.Errorf("%w unless attempts report progress; set progress for the cluster, such as progress: 5s", err)
		}
	}
	return err
}

// Suits tells, in one sentence, why a policy is none for a scenario; nil if it can run there.
func Suits(text string, s *scenario.Scenario) error {
	policy, err := catalog.New(text, s.Config)
	if err != nil {
		return err
	}
	cfg := s.Sim(0)
	can := cfg.Can()
	if err := suits(policy, can); err != nil {
		return err
	}
	if can.Power = s.Powered(); policy.Suits(&can) != nil {
		return fmt.Errorf("policy %q saves nothing if no node draws power; give the cluster some, such as idle_power: 100W", policy.Name())
	}
	nodes, cover := len(cfg.Cluster.Own()), len(sim.Covering(cfg.Cluster))
	if policy.Shuts() && cfg.Replicas > 0 && cfg.Placement != sim.Cover && cover < nodes {
		return fmt.Errorf("policy %q lets nodes sleep, and where first copies of blocks lie on all %d of them only %d can for certain; "+
			"with placement: cover for the cluster %d can", policy.Name(), nodes, min(nodes, cfg.Replicas)-1, nodes-cover)
	}
	return nil
}

// JudgesDeadlines tells whether a policy admits jobs by what is known of their class.
func JudgesDeadlines(text string, q queues.Config) bool {
	policy, err := catalog.New(text, q)
	return err == nil && slices.ContainsFunc(policy.Parts(), func(part compose.Entry) bool {
		return part.Kind == compose.KindAdmit && part.Reads.Profiles
	})
}

// Studies tells whether a policy reads profiles.
func Studies(text string, q queues.Config) bool {
	policy, err := catalog.New(text, q)
	return err == nil && policy.Studies()
}

// ReadsConfidence tells whether a policy promises deadlines with a probability, which a job may ask for.
func ReadsConfidence(text string, q queues.Config) bool {
	policy, err := catalog.New(text, q)
	return err == nil && policy.StudiesModels()
}

// NeedsProfiles tells whether a policy refuses jobs with deadlines while nothing is known of their
// class.
func NeedsProfiles(text string, q queues.Config) bool {
	policy, err := catalog.New(text, q)
	return err == nil && policy.NeedsProfiles()
}

// Check tells of the first cell whose policy cannot run in its world, as far as that is known before
// the run.
func Check(cells []Cell) error {
	type pair struct {
		policy string
		can    sched.Capabilities
	}
	known := map[pair]bool{}
	for i := range cells {
		c := &cells[i]
		if c.Can.World == "" || known[pair{c.Policy, c.Can}] {
			continue
		}
		policy, err := c.policy()
		if err == nil {
			err = suits(policy, c.Can)
		}
		if err != nil {
			return c.err(err, len(cells))
		}
		known[pair{c.Policy, c.Can}] = true
	}
	return nil
}

// err says in which cell of so many an error is.
func (c *Cell) err(err error, of int) error {
	if of > 1 {
		err = fmt.Errorf("%s: %w", c.Position(), err)
	}
	return err
}

// Ends tells whether an error ends one run and says nothing of others: it is stuck, or runs on
// beyond what times can hold.
func Ends(err error) bool { return errors.Is(err, sim.ErrStuck) || errors.Is(err, sim.ErrTooLong) }
