package fault

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/slackline/slackline/internal/maths/draw"
)

// Op is an operation that may fail.
type Op uint8

// The operations.
const (
	Open Op = iota
	Read
	Create
	Write
	Sync
	Rename
	Remove
	Mkdir
	Ops // their number
)

var opNames = [Ops]string{"open", "read", "create", "write", "sync", "rename", "remove", "mkdir"}

// String names the operation.
func (o Op) String() string { return opNames[o] }

// Errors that a schedule makes operations fail with.
var (
	ErrInjected = errors.New("an injected fault")
	ErrDead     = errors.New("the process is dead")
)

// Schedule says what breaks. The zero value breaks nothing.
type Schedule struct {
	Seed uint64
	Root string // paths below it are drawn by what follows it
	Life int    // how often the process died before: each life draws again

	Fail  float64 // chance that an operation fails
	Error error   // as what; nil = EIO
	// chance that there is no room: the disk is full, or, of an operation that opens a file, no
	// more can be opened
	Full   float64
	Flip   float64 // chance that a write to a run of map output or to a part flips a bit
	Die    float64 // chance that the process dies at an operation: before it, or, of a write, in its middle
	Most   int     // operations that fail, and bits that flip, at most; so no task fails too often
	DieAll bool    // it dies for sure, behind so many operations, or those among them that count
	After  int
	Counts func(op Op, path string) bool // nil = all do

	Grant func(what string) bool // asked before anything breaks, for processes that share a budget; nil = it may
	// what dying is, in a process that really dies; it does not return. nil = all operations fail
	// from then on
	Exit func()

	lock   sync.Mutex
	met    map[string]uint64
	struck []string
	faults int
	ops    int
	count  int // operations that count
	dead   atomic.Bool
}

var active atomic.Pointer[Schedule]

// Use makes the schedule the active one, nil makes none. The schedule is that of the whole process:
// tests that use one do not run in parallel.
func Use(s *Schedule) { active.Store(s) }

// Dead tells whether the process has died.
func Dead() bool {
	s := active.Load()
	return s != nil && s.dead.Load()
}

// Died tells whether the process died by this schedule.
func (s *Schedule) Died() bool { return s.dead.Load() }

// Struck lists what broke, in order.
func (s *Schedule) Struck() []string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return append([]string(nil), s.struck...)
}

// Operations returns how many operations were asked for.
func (s *Schedule) Operations() int {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.ops
}

// before draws what strikes an operation: nil for nothing. At a write that dies or finds the disk
// full, half of it is written first.
func (s *Schedule) before(op Op, path string) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.dead.Load() {
		return ErrDead
	}
	s.ops++
	name := op.String() + " " + s.name(path)
	d := s.draw(name)
	if s.Counts == nil || s.Counts(op, path) {
		s.count++
	}
	if (s.DieAll && s.count > s.After || d.Number(1).Chance(s.Die)) && s.strikes("died at "+name) {
		if s.Exit != nil {
			s.Exit()
		}
		s.dead.Store(true)
		return ErrDead
	}
	if s.faults >= s.Most {
		return nil
	}
	reason := cmp.Or(s.Error, error(syscall.EIO))
	switch {
	case d.Number(2).Chance(s.Fail) && s.strikes("failed: "+name):
	case (op == Open || op == Create || op == Write || op == Mkdir) && d.Number(3).Chance(s.Full) && s.strikes("no room: "+name):
		if reason = syscall.ENOSPC; op == Open {
			reason = syscall.EMFILE
		}
	default:
		return nil
	}
	s.faults++
	return fmt.Errorf("%w: %w", ErrInjected, reason)
}

// flip returns what reaches the disk of a write: b, or a copy with one bit changed.
func (s *Schedule) flip(path string, b []byte) []byte {
	base := filepath.Base(path)
	if s.Flip == 0 || len(b) == 0 || !strings.HasPrefix(base, "run-") && !strings.HasPrefix(base, "part-") {
		return b
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	name := s.name(path)
	d := s.draw("flip " + name)
	if s.faults >= s.Most || !d.Number(1).Chance(s.Flip) {
		return b
	}
	bit := d.Number(2).Below(8 * len(b))
	if !s.strikes(fmt.Sprintf("flipped bit %d of a write to %s", bit, name)) {
		return b
	}
	s.faults++
	b = append([]byte(nil), b...)
	b[bit/8] ^= 1 << (bit % 8)
	return b
}

// strikes notes what breaks, if it may.
func (s *Schedule) strikes(what string) bool {
	if s.Grant != nil && !s.Grant(what) {
		return false
	}
	s.struck = append(s.struck, what)
	return true
}

// draw returns the key of the next operation of that name.
func (s *Schedule) draw(name string) draw.Draw {
	if s.met == nil {
		s.met = map[string]uint64{}
	}
	s.met[name]++
	return draw.Of(s.Seed, "fault").Number(uint64(s.Life)).Job(name).Number(s.met[name])
}

func (s *Schedule) name(path string) string {
	if below, err := filepath.Rel(s.Root, path); err == nil && s.Root != "" {
		return filepath.ToSlash(below)
	}
	return path
}
