package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/internal/worlds/engine/process"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/units"
)

// beatEvery is how often a worker tells how far it is.
const beatEvery = 100 * time.Millisecond

// Programs are what a user's binary can run.
type Programs struct {
	Names []string
	Make  func(name string, params map[string]string) (*mapreduce.Program, error)
}

// Serve runs attempts for the engine until that hangs up. If it does so in the middle of an
// attempt, gone is called, which should end the process.
func Serve(in io.Reader, out io.Writer, p Programs, gone func()) error {
	s := &server{out: out, in: make(chan *message), outputs: make(chan *message, 1)}
	if _, err := io.WriteString(out, greeting); err != nil {
		return err
	}
	if err := s.send(&message{Kind: "hello", Version: Version, Programs: p.Names}); err != nil {
		return err
	}
	go s.listen(bufio.NewReader(in), gone)
	for m := range s.in {
		var err error
		switch m.Kind {
		case "open":
			err = s.open(m, p)
		case "map", "reduce":
			err = s.attempt(m)
		default:
			err = s.send(&message{Kind: "ended", Error: fmt.Sprintf("the worker does not understand %q", m.Kind)})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

type server struct {
	lock    sync.Mutex // of out
	out     io.Writer
	in      chan *message // for the main loop
	outputs chan *message // for a fetch
	program *mapreduce.Program
	busy    bool // in an attempt; under lock
}

func (s *server) send(m *message) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	return send(s.out, m)
}

func (s *server) listen(r *bufio.Reader, gone func()) {
	defer close(s.in)
	for {
		m, err := receive(r)
		if err != nil {
			s.lock.Lock()
			defer s.lock.Unlock()
			if s.busy {
				gone()
			}
			return
		}
		if m.Kind == "output" {
			s.outputs <- m
		} else {
			s.in <- m
		}
	}
}

func (s *server) open(m *message, p Programs) error {
	program, err := p.Make(m.Program, m.Params)
	if err == nil {
		err = program.Check()
	}
	if err != nil {
		return s.send(&message{Kind: "ended", Error: err.Error()})
	}
	s.program = program
	return s.send(&message{Kind: "ready", About: about(program)})
}

func (s *server) setBusy(busy bool) {
	s.lock.Lock()
	s.busy = busy
	s.lock.Unlock()
}

// attempt runs one attempt and reports the outcome.
func (s *server) attempt(m *message) error {
	if s.program == nil || m.Kind == "map" && m.Map == nil || m.Kind == "reduce" && m.Reduce == nil {
		return s.send(&message{Kind: "ended", Error: "there is nothing to run"})
	}
	s.setBusy(true)
	defer s.setBusy(false)
	began := time.Now()
	clock := func() units.Time { return units.Time(time.Since(began)) }
	meter := &task.Meter{}
	merge := task.MergeFactor(process.OpenFiles(), 1)
	warn := func(text string) { fmt.Fprintln(os.Stderr, text) }
	stop := make(chan struct{})
	var beats sync.WaitGroup
	beats.Go(func() { s.beat(meter, stop) })

	ended := &message{Kind: "ended"}
	var stats task.Stats
	var err error
	if m.Kind == "map" {
		c := *m.Map
		c.Program, c.Meter, c.Clock, c.Warn, c.Merge = s.program, meter, clock, warn, merge
		ended.Output, stats, err = task.Map(context.Background(), c)
	} else {
		c := *m.Reduce
		c.Program, c.Meter, c.Clock, c.Warn, c.Merge, c.Fetch = s.program, meter, clock, warn, merge, s.fetch
		stats, err = task.Reduce(context.Background(), c)
	}
	close(stop)
	beats.Wait()
	ended.Stats = &stats
	if stats.Counters != nil {
		for _, n := range stats.Counters.Names() {
			ended.Counters = append(ended.Counters, counter{n.Group, n.Name, stats.Counters.Get(n.Group, n.Name)})
		}
	}
	if err != nil {
		// The limit of this process is set by its job, or reached by a program that leaks: other
		// attempts may run.
		full := errors.Is(err, syscall.EMFILE)
		if full {
			err = failure.As(failure.Transient, fmt.Errorf("%w (the program may open %d files; limits: {open_files: …} in the job "+
				"sets how many)", err, process.OpenFiles()))
		}
		ended.Error, ended.Failure = err.Error(), failure.Of(err)
		if lost, ok := errors.AsType[*task.FetchError](err); ok && !full && ended.Failure != failure.NoRoom {
			ended.Lost, ended.Error = &lost.Map, lost.Err.Error()
		}
		if user, ok := errors.AsType[*task.UserError](err); ok {
			ended.Broken = breakage(user)
		}
	}
	return s.send(ended)
}

// fetch asks the engine for the output of a map.
func (s *server) fetch(ctx context.Context, m int) (*task.Output, error) {
	if err := s.send(&message{Kind: "fetch", Of: m}); err != nil {
		return nil, err
	}
	select {
	case got := <-s.outputs:
		if got.Error != "" {
			return nil, errors.New(got.Error)
		}
		return got.Output, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// beat tells how far the attempt is, whenever that has changed: one that stands still is silent.
func (s *server) beat(meter *task.Meter, stop <-chan struct{}) {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	last := meter.Beats()
	for {
		select {
		case <-tick.C:
			if now := meter.Beats(); now != last {
				last = now
				_ = s.send(&message{Kind: "beat", Done: meter.Done()}) // an engine that is gone is noticed elsewhere
			}
		case <-stop:
			return
		}
	}
}
