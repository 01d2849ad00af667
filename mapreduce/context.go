package mapreduce

import "context"

// Context is what an attempt's user code may know of its surroundings. It belongs to the attempt's goroutine.
type Context struct {
	ctx      context.Context
	task     int
	attempt  int
	alive    func()
	warn     func(text string) // nil = nobody listens
	counters *Counters
	input    Input
}

// Input is the piece of a file that a map attempt reads at the moment.
type Input struct {
	Path          string
	Start, Length int64  // bytes, of the compressed file if it is one
	Name          string // of the input that the file belongs to, where a job file names inputs
}

// NewContext returns the context of an attempt (both numbers from 0). alive is called by Progress;
// it may be nil. Engines call this, and tests of mappers and reducers.
func NewContext(ctx context.Context, task, attempt int, alive func()) *Context {
	if alive == nil {
		alive = func() {}
	}
	return &Context{ctx: ctx, task: task, attempt: attempt, alive: alive, counters: NewCounters()}
}

// Task is the number of the task within its stage, from 0: 3 for the one that writes part-r-00003.
func (c *Context) Task() int { return c.task }

// Attempt is the number of the attempt of this task, from 0.
func (c *Context) Attempt() int { return c.attempt }

// Input is what a map reads at the moment: a task may read several files, one after another. In a
// reduce it is empty.
func (c *Context) Input() Input { return c.input }

// Reading says what is read from now on. Engines call it, and tests of mappers that look at their input.
func (c *Context) Reading(in Input) { c.input = in }

// Done is closed when the attempt is to stop. User code that works long on one record should look at it.
func (c *Context) Done() <-chan struct{} { return c.ctx.Done() }

// Stopped tells whether Done is closed.
func (c *Context) Stopped() bool { return c.ctx.Err() != nil }

// Progress says that the attempt is alive though it neither reads nor emits, so that it is not timed out.
func (c *Context) Progress() { c.alive() }

// Warn tells whoever runs the job something at once, such as that it will take long, and why. The
// command shows it as a line on standard error, the same text once for a job; a program in a
// process of its own writes it to its log.
func (c *Context) Warn(text string) {
	if c.warn != nil {
		c.warn(text)
	}
}

// Warnings says who is told of warnings. Engines call it, and tests.
func (c *Context) Warnings(f func(text string)) { c.warn = f }

// Counter returns the counter, which starts at 0. Look it up once, not for every record.
func (c *Context) Counter(group, name string) *Counter { return c.counters.Counter(group, name) }

// Counters returns all counters of the attempt.
func (c *Context) Counters() *Counters { return c.counters }
