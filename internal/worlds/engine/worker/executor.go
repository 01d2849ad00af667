package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/internal/worlds/engine/process"
	"github.com/slackline/slackline/internal/worlds/engine/task"
)

// Job is a job of a user's program.
type Job struct {
	Path    string // of the binary
	Program string // which of those that it holds; may be empty if it holds one
	Params  map[string]string
	Limits  process.Limits // of a worker; the time is an attempt's

	Patience time.Duration // how long the program may take to say what it is; 0 = 5 s
}

const defaultPatience = 5 * time.Second

// Ask starts the program to learn about it. The error, if any, is one sentence on what is wrong
// with it, its name or its parameters.
func Ask(ctx context.Context, j Job) (about *About, err error) {
	patience := cmp.Or(j.Patience, defaultPatience)
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("%s: it has not answered for %v; is it a worker? Its main function must call run.Main", j.Path, patience))
	defer cancel()
	p, err := start(ctx, &j)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.end()) }()
	if err := choose(&j, p.programs); err != nil {
		return nil, err
	}
	return p.open(ctx, &j)
}

// choose checks the name of the program.
func choose(j *Job, there []string) error {
	switch {
	case j.Program == "" && len(there) != 1:
		return fmt.Errorf("%s has the programs %s; say which, as in %s %s", j.Path, strings.Join(there, ", "), j.Path, there[0])
	case j.Program != "" && !slices.Contains(there, j.Program):
		return fmt.Errorf("%s has no program %q%s", j.Path, j.Program, spelling.Hint(j.Program, there))
	}
	return nil
}

// Executor runs the attempts of a job in workers. One that has run an attempt well is kept for the next.
type Executor struct {
	job  Job
	lock sync.Mutex
	idle []*peer
}

// New returns the executor of the job.
func New(j Job) *Executor { return &Executor{job: j} }

// Close ends the workers that wait for work.
func (x *Executor) Close() {
	x.lock.Lock()
	idle := x.idle
	x.idle = nil
	x.lock.Unlock()
	for _, p := range idle {
		_ = p.end() // it has done all that was asked of it
	}
}

// worker returns an idle worker, or a new one.
func (x *Executor) worker(ctx context.Context) (*peer, error) {
	x.lock.Lock()
	for n := len(x.idle); n > 0; n = len(x.idle) {
		p := x.idle[n-1]
		x.idle = x.idle[:n-1]
		select {
		case <-p.p.Ended(): // while nobody looked
			x.lock.Unlock()
			_ = p.end()
			x.lock.Lock()
			continue
		default:
		}
		x.lock.Unlock()
		return p, nil
	}
	x.lock.Unlock()
	p, err := start(ctx, &x.job)
	if err != nil {
		return nil, err
	}
	if _, err := p.open(ctx, &x.job); err != nil {
		return nil, errors.Join(err, p.end())
	}
	return p, nil
}

// done keeps a worker whose attempt went well, and ends any other with what the attempt left.
func (x *Executor) done(p *peer, c *task.Config, err error) error {
	if err == nil {
		x.lock.Lock()
		x.idle = append(x.idle, p)
		x.lock.Unlock()
		return nil
	}
	if e := p.end(); e != nil {
		err = fmt.Errorf("%w; and %s: %v", err, x.job.Path, e)
	}
	return task.Clean(err, c.Local, c.Out) // a worker that died could not
}

// Map runs a map attempt.
func (x *Executor) Map(ctx context.Context, c task.MapConfig) (*task.Output, task.Stats, error) {
	p, err := x.worker(ctx)
	if err != nil {
		return nil, task.Stats{}, err
	}
	p.said.Store(c.Said)
	out, stats, err := p.attempt(ctx, &message{Kind: "map", Map: &c}, c.Local, x.job.Limits.Time, c.Meter, nil)
	return out, stats, x.done(p, &c.Config, err)
}

// Reduce runs a reduce attempt.
func (x *Executor) Reduce(ctx context.Context, c task.ReduceConfig) (task.Stats, error) {
	p, err := x.worker(ctx)
	if err != nil {
		return task.Stats{}, err
	}
	p.said.Store(c.Said)
	_, stats, err := p.attempt(ctx, &message{Kind: "reduce", Reduce: &c}, c.Local, x.job.Limits.Time, c.Meter, c.Fetch)
	return stats, x.done(p, &c.Config, err)
}
