package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/internal/worlds/engine/process"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/units"
)

// peer is a worker as the engine sees it.
type peer struct {
	name    string // of the program, for people
	limits  process.Limits
	p       *process.Process
	pipes   []*os.File
	in      chan *message
	broken  error // why in is closed; to be read behind that
	stop    chan struct{}
	words   process.Words
	said    atomic.Pointer[task.Said] // of the attempt at hand
	readers sync.WaitGroup

	programs []string
}

// start starts a worker and waits for its hello.
func start(ctx context.Context, j *Job) (*peer, error) {
	p := &peer{name: j.Path, limits: j.Limits, in: make(chan *message), stop: make(chan struct{})}
	limits := j.Limits
	limits.Time = 0 // is an attempt's, and a worker runs many
	env := append(os.Environ(), Variable+"=1")
	if limits.Memory > 0 { // so that garbage is collected in time
		env = append(env, fmt.Sprintf("GOMEMLIMIT=%d", int64(limits.Memory)*9/10))
	}
	var err error
	if p.p, p.pipes, err = process.StartPiped(process.Spec{Path: j.Path, Env: env, Limits: limits}); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = failure.As(failure.Permanent, err)
		}
		return nil, err
	}
	p.readers.Go(func() { p.listen(bufio.NewReaderSize(p.pipes[1], 64<<10)) })
	p.readers.Go(func() { p.words.Listen(p.pipes[2], p.heard, func() {}) })
	hello, err := p.next(ctx, "")
	switch {
	case err != nil:
	case hello.Kind != "hello":
		err = fmt.Errorf("%s: it begins with %q, not with hello", p.name, hello.Kind)
	case hello.Version != Version:
		err = failure.As(failure.Permanent, fmt.Errorf("%s: it speaks version %d of the protocol, this engine version %d; rebuild it with this version of the module",
			p.name, hello.Version, Version))
	}
	if err != nil {
		return nil, errors.Join(err, p.end())
	}
	p.programs = hello.Programs
	return p, nil
}

// heard keeps a line for the attempt at hand, and lets it count among the last words.
func (p *peer) heard(line string) bool {
	p.said.Load().Line(line)
	return false
}

func (p *peer) listen(r *bufio.Reader) {
	defer close(p.in)
	said, w := io.Pipe()
	p.readers.Go(func() { p.words.Listen(said, p.heard, func() {}) })
	err := greeted(r, func(line []byte) { _, _ = w.Write(line) })
	w.Close()
	if err != nil {
		p.broken = errSilent
		return
	}
	for {
		m, err := receive(r)
		if err != nil {
			p.broken = err
			return
		}
		select {
		case p.in <- m:
		case <-p.stop:
			p.broken = io.EOF
			return
		}
	}
}

var errSilent = errors.New("it is not a worker: its main function must call run.Main of package mapreduce/run")

// unheard says how a program ended that never greeted: it may be no worker, or may have had too
// little to begin with.
func (p *peer) unheard(err error) error {
	if err == nil {
		return fmt.Errorf("%s: %w%s", p.name, errSilent, p.words.String())
	}
	under := ""
	if l := p.limits.String(); l != "" {
		under = fmt.Sprintf(", under its limits (%s), which may be too low", l)
	}
	return fmt.Errorf("%s: %w before it said that it is a worker%s; if it is not one, its main function must call run.Main of package mapreduce/run%s",
		p.name, err, under, p.words.String())
}

// next waits for a message. during says what an end of the worker would interrupt.
func (p *peer) next(ctx context.Context, during string) (*message, error) {
	select {
	case m, ok := <-p.in:
		if ok {
			return m, nil
		}
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if errors.Is(p.broken, errGarbage) {
		return nil, fmt.Errorf("%s: %w", p.name, p.broken)
	}
	// It is dying, or has closed its output for no good reason.
	select {
	case <-p.p.Ended():
	case <-time.After(2 * time.Second):
		p.p.Kill(errors.New("it closed its standard output"))
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	err := p.p.Err()
	p.settle()
	switch {
	case p.broken == errSilent && (err == nil || during == ""):
		return nil, p.unheard(err)
	case err == nil:
		return nil, fmt.Errorf("%s: it ended with exit code 0%s%s", p.name, during, p.words.String())
	}
	return nil, fmt.Errorf("%s: %w%s%s", p.name, err, during, p.words.String())
}

// settle waits a little for the last words of a worker that has ended.
func (p *peer) settle() {
	done := make(chan struct{})
	go func() { p.readers.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Second):
	}
}

func (p *peer) send(m *message) error { return send(p.pipes[0], m) }

// open chooses the program and its parameters.
func (p *peer) open(ctx context.Context, j *Job) (*About, error) {
	program := j.Program
	if program == "" && len(p.programs) > 0 {
		program = p.programs[0]
	}
	if err := p.send(&message{Kind: "open", Program: program, Params: j.Params}); err != nil {
		if _, why := p.next(ctx, ""); why != nil {
			err = why
		}
		return nil, err
	}
	m, err := p.next(ctx, "")
	if err != nil {
		return nil, err
	}
	if m.Error != "" || m.About == nil {
		return nil, &ParamsError{m.Error}
	}
	return m.About, nil
}

// ParamsError is what a program says of its parameters.
type ParamsError struct{ text string }

// Error is the program's own sentence.
func (e *ParamsError) Error() string { return e.text }

// attempt has the worker run an attempt.
func (p *peer) attempt(ctx context.Context, m *message, local string, limit units.Duration, meter *task.Meter,
	fetch func(context.Context, int) (*task.Output, error)) (*task.Output, task.Stats, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if limit > 0 {
		alarm := time.AfterFunc(time.Duration(limit), func() { cancel(fmt.Errorf("%s: it took longer than %v", p.name, limit)) })
		defer alarm.Stop()
	}
	fetched := map[int]*task.Output{}
	var asked sync.WaitGroup
	defer asked.Wait()
	defer cancel(nil)                 // before the wait
	if err := p.send(m); err != nil { // it is gone; the next message says how
		meter = nil
	}
	for {
		m, err := p.next(ctx, " in the middle of its task")
		if err != nil {
			return nil, task.Stats{}, err
		}
		switch m.Kind {
		case "beat":
			if meter != nil {
				meter.Report(m.Done)
			}
		case "fetch":
			if fetch == nil {
				return nil, task.Stats{}, fmt.Errorf("%s: %w", p.name, errGarbage)
			}
			// It waits for a map, perhaps long; the worker's end must be noticed meanwhile.
			got := make(chan *message, 1)
			asked.Go(func() {
				out, err := fetch(ctx, m.Of)
				answer := &message{Kind: "output", Of: m.Of, Output: out}
				if err != nil {
					answer.Error = err.Error()
				}
				got <- answer
			})
			if err := p.answer(ctx, got, fetched); err != nil {
				return nil, task.Stats{}, err
			}
		case "ended":
			out, stats, err := ended(m, fetched)
			if err == nil && !within(out, &stats, local) {
				err = fmt.Errorf("%s: %w", p.name, errGarbage)
			}
			return out, stats, err
		default:
			return nil, task.Stats{}, fmt.Errorf("%s: %w", p.name, errGarbage)
		}
	}
}

// answer hands on the output that was fetched, unless the worker ends meanwhile.
func (p *peer) answer(ctx context.Context, got <-chan *message, fetched map[int]*task.Output) error {
	select {
	case a := <-got:
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		fetched[a.Of] = a.Output
		_ = p.send(a) // a worker that is gone is noticed by the next message
		return nil
	case <-p.p.Ended():
		_, err := p.next(ctx, " in the middle of its task")
		if err == nil {
			err = fmt.Errorf("%s: %w", p.name, errGarbage)
		}
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func ended(m *message, fetched map[int]*task.Output) (*task.Output, task.Stats, error) {
	if m.Lost != nil && fetched[*m.Lost] != nil {
		return nil, task.Stats{}, &task.FetchError{Map: *m.Lost, Output: fetched[*m.Lost], Err: failure.As(m.Failure, errors.New(m.Error))}
	}
	if m.Broken != nil {
		return nil, task.Stats{}, failure.As(m.Failure, m.Broken.error())
	}
	if m.Error != "" {
		return nil, task.Stats{}, failure.As(m.Failure, errors.New(m.Error))
	}
	stats := task.Stats{}
	if m.Stats != nil {
		stats = *m.Stats
	}
	stats.Counters = mapreduce.NewCounters()
	for _, c := range m.Counters {
		stats.Counters.Counter(c.Group, c.Name).Add(c.N)
	}
	return m.Output, stats, nil
}

// within tells whether what a worker says it wrote lies where it was told to write.
func within(out *task.Output, stats *task.Stats, local string) bool {
	for _, p := range stats.Parts {
		if p.Name != filepath.Base(p.Name) || !filepath.IsLocal(p.Name) {
			return false
		}
	}
	return out == nil || input.Within(out.Path, local)
}

// end ends the worker with all that it started.
func (p *peer) end() error {
	err := p.p.End()
	close(p.stop)
	process.CloseAll(p.pipes)
	p.readers.Wait()
	return err
}
