package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/slackline/slackline/units"
)

// Limits bound a command with all that it starts. 0 = no bound.
type Limits struct {
	Memory units.Bytes    // of all of them together, less what is read from files
	Time   units.Duration // from its start to its end
	Files  int            // open files of each
}

// String names the bounds that bind from the start, as a job file does; empty if there are none.
func (l Limits) String() string {
	var list []string
	if l.Memory > 0 {
		list = append(list, fmt.Sprintf("memory: %v", l.Memory))
	}
	if l.Files > 0 {
		list = append(list, fmt.Sprintf("open_files: %d", l.Files))
	}
	return strings.Join(list, ", ")
}

// Spec is a command to start.
type Spec struct {
	Path   string   // of the program
	Args   []string // without the program's name
	Dir    string
	Env    []string
	Stdin  *os.File // nil = nothing to read; the caller closes its copies after Start
	Stdout *os.File
	Stderr *os.File
	Limits Limits
}

// Process is a command that was started. End must be called.
type Process struct {
	cmd    *exec.Cmd
	limits Limits
	family family
	ended  chan struct{} // the command itself has

	lock  sync.Mutex
	cause error
	alarm *time.Timer
}

// Start starts a command.
func Start(s Spec) (*Process, error) {
	p := &Process{limits: s.Limits, ended: make(chan struct{})}
	p.cmd = &exec.Cmd{Path: s.Path, Args: append([]string{s.Path}, s.Args...), Dir: s.Dir, Env: s.Env}
	// A nil *os.File in an interface would not be nil.
	if s.Stdin != nil {
		p.cmd.Stdin = s.Stdin
	}
	if s.Stdout != nil {
		p.cmd.Stdout = s.Stdout
	}
	if s.Stderr != nil {
		p.cmd.Stderr = s.Stderr
	}
	if err := p.family.start(p.cmd, &p.limits); err != nil {
		if pe, ok := errors.AsType[*os.PathError](err); ok {
			err = pe.Err
		}
		return nil, fmt.Errorf("%s cannot be started: %w", s.Path, err)
	}
	if s.Limits.Time > 0 {
		p.alarm = time.AfterFunc(time.Duration(s.Limits.Time), func() {
			p.Kill(fmt.Errorf("it took longer than %v", s.Limits.Time))
		})
	}
	p.family.watch(s.Limits.Memory, p.ended, p.Kill)
	go func() {
		_ = p.cmd.Wait() // ProcessState has the outcome
		if p.alarm != nil {
			p.alarm.Stop()
		}
		close(p.ended)
	}()
	return p, nil
}

// StartPiped starts a command whose standard input, output and error are pipes, and returns our ends
// of them, in this order.
func StartPiped(s Spec) (p *Process, ours []*os.File, err error) {
	ours, theirs := make([]*os.File, 3), make([]*os.File, 3)
	for i := 0; i < len(ours) && err == nil; i++ {
		ours[i], theirs[i], err = os.Pipe()
		if i == 0 {
			ours[i], theirs[i] = theirs[i], ours[i]
		}
	}
	if err == nil {
		s.Stdin, s.Stdout, s.Stderr = theirs[0], theirs[1], theirs[2]
		p, err = Start(s)
	}
	CloseAll(theirs)
	if err != nil {
		CloseAll(ours)
	}
	return p, ours, err
}

// CloseAll closes files.
func CloseAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// ID is the number that the system knows the command by.
func (p *Process) ID() int { return p.cmd.Process.Pid }

// Ended is closed when the command itself has ended. What it started may still run.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Kill kills the command and all that it started. The first reason that is given stays.
func (p *Process) Kill(why error) {
	p.lock.Lock()
	if p.cause == nil {
		p.cause = why
	}
	p.lock.Unlock()
	p.family.kill()
}

// End kills what is left of the command and what it started, and waits until all of it is gone.
// What they took is added to the tallies that count. It is called once.
func (p *Process) End() error {
	p.family.kill()
	_ = p.Err() // asks the family while it is there
	err := p.family.end()
	u := p.family.taken(p.cmd.ProcessState)
	u.Families = 1
	if m := largest(p.cmd.ProcessState); m > u.Memory {
		u.Memory, u.Counted = m, ByLargest
	}
	tell(u)
	return err
}

// Err says how a command that has ended failed, nil if it did not: why it was killed, by which
// signal it died, or its exit code.
func (p *Process) Err() error {
	<-p.ended
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.cause == nil {
		p.cause = p.family.verdict(&p.limits)
	}
	state := p.cmd.ProcessState
	switch {
	case p.cause != nil:
		return p.cause
	case state == nil:
		return errors.New("it cannot be waited for")
	case state.Success():
		return nil
	case state.Exited():
		return &ExitError{Code: state.ExitCode()}
	}
	if overFileSize(state) {
		return fmt.Errorf("it died: %v: %w", state, syscall.EFBIG)
	}
	return fmt.Errorf("it died: %v", state) // "signal: killed"
}

// ExitError says that a command ended by itself, with an exit code other than 0.
type ExitError struct{ Code int }

// Error is the error as one sentence.
func (e *ExitError) Error() string { return fmt.Sprintf("it ended with exit code %d", e.Code) }

// How says in one line what holds families together on this system, and how their memory is bounded.
func How() string { return how() }

func overMemory(limit units.Bytes) error {
	return fmt.Errorf("it took more than %v of memory", limit)
}
