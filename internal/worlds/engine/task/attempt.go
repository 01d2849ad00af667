package task

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"sync/atomic"

	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/units"
)

// Meter shows from outside how far an attempt is and that it is alive.
type Meter struct {
	done  atomic.Uint64 // bits of a float64 in [0,1]
	beats atomic.Int64
}

// Done returns the part of the attempt's work that is done, in [0,1].
func (m *Meter) Done() float64 { return math.Float64frombits(m.done.Load()) }

// Beats returns a number that changes while the attempt gets on.
func (m *Meter) Beats() int64 { return m.beats.Load() }

func (m *Meter) set(part float64) {
	m.done.Store(math.Float64bits(min(max(part, 0), 1)))
	m.beat()
}

func (m *Meter) beat() { m.beats.Add(1) }

// Stats is what an attempt did.
type Stats struct {
	Read     units.Bytes // input of a map, as it lies in files, compressed or not; fetched by a reduce
	Written  units.Bytes // map output, or part file
	Shuffle  units.Duration
	Sort     units.Duration      // sorting, spilling and merging
	Run      units.Duration      // the rest: reading, the user's code, writing
	Parts    []Part              `json:",omitempty"` // files in Out
	Counters *mapreduce.Counters `json:"-"`
}

// Part is a file that a task has written.
type Part struct {
	Name string `json:"name"`
	Size int64  `json:"size"` // Unread: a command wrote it, and nobody has counted along
	Sum  uint32 `json:"sum"`  // CRC32C
}

// Unread is the size of a part whose size and sum are those that it has when its task is committed.
// Of what the engine writes itself it knows them from the writing, so that a byte that changed on
// the way to the disk is found.
const Unread = -1

// UserError says where an application broke.
type UserError struct {
	App   string // name of the application; empty if a record cannot be read
	Where string // "map of corpus/a.txt at byte 17", "reduce of part 3 at key \"the\""
	Err   error  // what the user's code returned, nil if it panicked
	Panic any    // what it panicked with
	Stack []byte // of the panic
	Spot  *Spot  // the record, if it is known
	Block bool   // it was one of many lines that were handed over together
}

// Spot is a record of the input of a map, or, without a path, a group of a reduce.
type Spot struct {
	Path string `json:",omitempty"`
	At   int64  `json:",omitempty"` // the byte that it starts with
	Key  string `json:",omitempty"`
}

// Skip makes an attempt tell at which record it fails, and pass over those at which others did.
type Skip struct{ Spots []Spot }

// passes tells whether the record at hand is to be passed over, and counts it then.
func (a *attempt) passes() bool {
	if a.skip == nil || !slices.Contains(a.skip.Spots, a.spot()) {
		return false
	}
	a.count.skipped++
	return true
}

// at is the record at hand, nil if there is none.
func (a *attempt) at() *Spot {
	if a.spot == nil {
		return nil
	}
	return new(a.spot())
}

// Error is the error as one sentence.
func (e *UserError) Error() string {
	if e.App == "" { // a record that could not even be read
		return fmt.Sprintf("%s: %v", e.Where, e.Err)
	}
	if e.Err != nil {
		return fmt.Sprintf("application %s: %s failed: %v", e.App, e.Where, e.Err)
	}
	return fmt.Sprintf("application %s: %s panicked: %v", e.App, e.Where, e.Panic)
}

// Unwrap returns what the user's code returned.
func (e *UserError) Unwrap() error { return e.Err }

// UserCode tells package failure that a program broke, and not the engine.
func (e *UserError) UserCode() {}

// An attempt is what map and reduce attempts share. It belongs to one goroutine.
type attempt struct {
	ctx    context.Context
	app    string
	meter  *Meter
	clock  func() units.Time
	user   *mapreduce.Context
	where  func() string // names the record at hand
	broken error         // the first error of an emit, in case the user's code hides it
	count  counts
	sort   units.Duration
	parts  []Part
	skip   *Skip       // nil = it passes over nothing
	spot   func() Spot // the record at hand; nil = none is
	block  bool        // many lines are at hand
}

// counts are the engine's counters, kept as plain numbers on the hot path.
type counts struct {
	mapIn, mapInBytes, mapOut, mapOutBytes    int64
	combineIn, combineOut, spilled            int64
	shuffled, groups, reduceIn, out, outBytes int64
	skipped                                   int64
}

func newAttempt(ctx context.Context, c Config) *attempt {
	a := &attempt{ctx: ctx, app: c.Program.Name, meter: c.Meter, clock: c.Clock, skip: c.Skip}
	if a.meter == nil {
		a.meter = new(Meter)
	}
	if a.clock == nil {
		a.clock = func() units.Time { return 0 }
	}
	a.user = mapreduce.NewContext(ctx, c.Task, c.Attempt, a.meter.beat)
	a.user.Warnings(c.Warn)
	return a
}

// Config is what map and reduce attempts have in common. As JSON it goes to attempts in other
// processes, less what has no meaning there.
type Config struct {
	Program   *mapreduce.Program `json:"-"`
	Task      int                // from 0
	Attempt   int                // of this task, from 0
	Container string             `json:",omitempty"` // kind of what it runs in
	Buffer    int                // bytes of memory for sorting or shuffling; 0 = 32 MB
	Merge     int                `json:"-"` // runs that are merged at once; 0 = as many as is good
	Sync      bool               // part files are on disk, and not only with the system, when the attempt ends
	Local     string             // directory of this attempt alone, which it makes; on failure it is removed
	Out       string             // the same for part files
	Written   Written            // how they are written
	Skip      *Skip              `json:",omitempty"` // nil = it passes over nothing
	Meter     *Meter             `json:"-"`          // may be nil
	Said      *Said              `json:"-"`          // takes what a program says beside its output; may be nil
	Warn      func(text string)  `json:"-"`          // is told what people should know at once; may be nil
	Clock     func() units.Time  `json:"-"`          // stopwatch of the phases; nil = they are not measured
}

const (
	defaultBuffer = 32 << 20
	maxBuffer     = 1 << 30 // offsets in a buffer are 32 bits wide
)

func (c *Config) buffer() int {
	if c.Buffer <= 0 {
		return defaultBuffer
	}
	return min(c.Buffer, maxBuffer)
}

// LongestLine is how long a line may be that has to be held as a whole: half of the memory of the
// task, as whoever emits it makes a second one of it.
func (c *Config) LongestLine() int {
	if c.Buffer <= 0 {
		return maxRecord
	}
	return max(c.buffer()/2, readSize)
}

func (c *Config) mergeFactor() int {
	if c.Merge <= 0 {
		return mergeFactor
	}
	return c.Merge
}

// err tells why the attempt has to stop, nil if it has not.
func (a *attempt) err() error {
	if a.ctx.Err() != nil { // an atomic load, so it may be asked for every record
		return context.Cause(a.ctx)
	}
	return nil
}

// call runs user code, and turns its error or panic into a UserError.
func (a *attempt) call(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &UserError{App: a.app, Where: a.where(), Panic: p, Stack: debug.Stack(), Spot: a.at(), Block: a.block}
		}
	}()
	return f()
}

// failed explains an error that user code returned. If the engine made it, it is passed on as it is.
func (a *attempt) failed(err error) error {
	if a.broken != nil {
		return a.broken
	}
	if stop := a.err(); stop != nil {
		return stop
	}
	return &UserError{App: a.app, Where: a.where(), Err: err, Spot: a.at(), Block: a.block}
}

// broke keeps the first error of an emit.
func (a *attempt) broke(err error) error {
	if a.broken == nil {
		a.broken = err
	}
	return err
}

// sorting times f as part of the sort phase.
func (a *attempt) sorting(f func() error) error {
	from := a.clock()
	err := f()
	a.sort += a.clock().Sub(from)
	return err
}

// stats publishes the counters and sums up an attempt that began at from.
func (a *attempt) stats(from units.Time, shuffle units.Duration, read, written int64) Stats {
	all := a.user.Counters()
	for _, c := range [...]struct {
		name string
		n    int64
	}{
		{mapreduce.MapInputRecords, a.count.mapIn}, {mapreduce.MapInputBytes, a.count.mapInBytes},
		{mapreduce.MapOutputRecords, a.count.mapOut}, {mapreduce.MapOutputBytes, a.count.mapOutBytes},
		{mapreduce.CombineInputRecords, a.count.combineIn}, {mapreduce.CombineOutputRecords, a.count.combineOut},
		{mapreduce.SpilledRecords, a.count.spilled}, {mapreduce.ReduceShuffleBytes, a.count.shuffled},
		{mapreduce.ReduceInputGroups, a.count.groups}, {mapreduce.ReduceInputRecords, a.count.reduceIn},
		{mapreduce.ReduceOutputRecords, a.count.out}, {mapreduce.BytesWritten, a.count.outBytes},
		{mapreduce.SkippedRecords, a.count.skipped},
	} {
		if c.n != 0 {
			all.Counter(mapreduce.TaskGroup, c.name).Add(c.n)
		}
	}
	return Stats{
		Read: units.Bytes(read), Written: units.Bytes(written), Shuffle: shuffle, Sort: a.sort,
		Run: a.clock().Sub(from) - shuffle - a.sort, Counters: all, Parts: a.parts,
	}
}
