package streaming

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/internal/worlds/engine/process"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/units"
)

const (
	blockSize   = 64 << 10
	longestLine = 64 << 20        // however much memory a task has
	linger      = 2 * time.Second // for what a command left behind to let go of its output

	fileTooLarge = 25 // the number of SIGXFSZ on all systems that have it
)

// command is a command at work. Two goroutines write to it and read from it; the attempt's own
// stands between them, so that neither the command nor we ever wait for the other in a circle.
type command struct {
	what string // for people
	dir  string // in which it runs
	p    *process.Process
	user *mapreduce.Context

	send  chan []byte // blocks for its standard input
	got   chan []byte // blocks of its standard output
	spare chan []byte // blocks to be used again
	stop  chan struct{}
	deaf  atomic.Bool // it does not read any more
	said  stderr
	// the begun line of its output, in blocks: a line that is too long costs no more than what was
	// kept of it
	begun [][]byte
	size  int // of it
	most  int // no line of it may be longer

	pipes   []*os.File // our ends
	talkers sync.WaitGroup
}

// start starts a command of the attempt.
func (a *attempt) start(user *mapreduce.Context, kind string, argv []string, in *mapreduce.Input) (*command, error) {
	c := &command{what: fmt.Sprintf("the %s command %q", kind, Line(argv)), dir: a.dir, user: user, most: a.longest,
		send: make(chan []byte), got: make(chan []byte, 2), spare: make(chan []byte, 4), stop: make(chan struct{})}
	c.said.alive, c.said.said = user.Progress, a.said
	path, err := Find(argv[0], a.x.job.Files)
	if err != nil { // it was there when the job began
		return nil, failure.As(failure.Permanent, fmt.Errorf("%s: %w", c.what, err))
	}
	c.p, c.pipes, err = process.StartPiped(process.Spec{Path: path, Args: argv[1:], Dir: a.dir, Env: a.environ(in), Limits: a.x.job.Limits})
	if err != nil {
		err = fmt.Errorf("%s: %w", c.what, err)
		if errors.Is(err, fs.ErrNotExist) {
			err = failure.As(failure.Permanent, err)
		}
		return nil, err
	}
	stdin, stdout, errs := c.pipes[0], c.pipes[1], c.pipes[2]
	c.talkers.Go(func() { c.write(stdin) })
	c.talkers.Go(func() { c.read(stdout) })
	c.talkers.Go(func() { c.said.listen(errs) })
	a.commands = append(a.commands, c)
	return c, nil
}

func (c *command) write(stdin *os.File) {
	defer stdin.Close()
	for {
		select {
		case b, more := <-c.send:
			if !more {
				return
			}
			if !c.deaf.Load() {
				if _, err := stdin.Write(b); err != nil {
					c.deaf.Store(true)
				}
			}
			c.giveBack(b)
		case <-c.stop:
			return
		}
	}
}

func (c *command) read(stdout *os.File) {
	defer close(c.got)
	for {
		b := c.block()
		n, err := stdout.Read(b[:cap(b)])
		if n > 0 {
			select {
			case c.got <- b[:n]:
			case <-c.stop:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (c *command) block() []byte {
	select {
	case b := <-c.spare:
		return b[:0]
	default:
		return make([]byte, 0, blockSize)
	}
}

func (c *command) giveBack(b []byte) {
	if cap(b) != blockSize {
		return
	}
	select {
	case c.spare <- b:
	default:
	}
}

// feed hands a block to the command, and what it says meanwhile to take. The block is the command's from then on.
func (c *command) feed(b []byte, take func(line []byte) error) error {
	if c.deaf.Load() {
		return nil
	}
	got := c.got
	for {
		select {
		case c.send <- b:
			return nil
		case out, more := <-got:
			if !more {
				got = nil // it says nothing any more, but may read on
				continue
			}
			if err := c.lines(out, take); err != nil {
				return err
			}
		case <-c.user.Done():
			return errStopped
		}
	}
}

// record puts key TAB value LF into the block at hand, and hands on blocks that are full. A long
// record goes in pieces. It returns the block that is at hand then.
func (c *command) record(block, key, value []byte, take func(line []byte) error) ([]byte, error) {
	if len(block)+len(key)+len(value)+2 <= cap(block) {
		return append(append(append(append(block, key...), '\t'), value...), '\n'), nil
	}
	for _, text := range [][]byte{key, tab, value, lineFeed} {
		for len(text) > 0 {
			if len(block) == cap(block) {
				if len(block) > 0 {
					if err := c.feed(block, take); err != nil {
						return nil, err
					}
				}
				block = c.block()
			}
			n := min(len(text), cap(block)-len(block))
			block, text = append(block, text[:n]...), text[n:]
		}
	}
	return block, nil
}

var tab, lineFeed = []byte{'\t'}, []byte{'\n'}

// errStopped ends user code whose attempt has to stop; the attempt knows why.
var errStopped = errors.New("the attempt is over")

// finish ends the input, takes the rest of the output, and says how the command fared.
func (c *command) finish(ignoreExit bool, take func(line []byte) error) error {
	close(c.send)
	if err := c.drain(ignoreExit, take); err != nil {
		return err
	}
	if c.size > 0 {
		if err := take(c.whole(nil)); err != nil {
			return err
		}
		c.begun, c.size = nil, 0
	}
	select {
	case <-c.p.Ended():
	case <-c.user.Done():
		return errStopped
	}
	err := c.verdict(ignoreExit)
	if err == nil {
		err = c.end()
	}
	if err != nil {
		return c.failed(err)
	}
	c.said.publish(c.user)
	return nil
}

// verdict says how a command that has ended failed, nil if it did not.
func (c *command) verdict(ignoreExit bool) error {
	err := c.p.Err()
	var exit *process.ExitError
	if ignoreExit && errors.As(err, &exit) {
		return nil
	}
	return err
}

// failed ends the command, so that its last words are known, and explains why it failed. Files in
// its directory are told by their names there: the directory is another one for each attempt.
func (c *command) failed(why error) error {
	_ = c.end() // what is left of it is a lesser evil
	said := strings.ReplaceAll(c.said.explain(), c.dir+string(filepath.Separator), "")
	return failure.As(kindOf(why), fmt.Errorf("%s: %w%s", c.what, why, said))
}

// kindOf tells what an exit code says by POSIX: 126 is a command that cannot be run, 127 one that
// is not there, as sh and env report it of what they were to run, and 128 and the number of a
// signal what killed it: one of a file that grew too large will be killed again.
func kindOf(why error) failure.Kind {
	if exit, ok := errors.AsType[*process.ExitError](why); ok && (exit.Code == 126 || exit.Code == 127 || exit.Code == 128+fileTooLarge) {
		return failure.Permanent
	}
	return failure.Of(why)
}

// drain takes output until there is no more.
func (c *command) drain(ignoreExit bool, take func(line []byte) error) error {
	ended := c.p.Ended()
	var late <-chan time.Time
	for {
		select {
		case out, more := <-c.got:
			if !more {
				return nil
			}
			if err := c.lines(out, take); err != nil {
				return err
			}
			if late != nil {
				late = time.After(linger)
			}
		case <-ended:
			if err := c.verdict(ignoreExit); err != nil {
				return c.failed(err)
			}
			ended, late = nil, time.After(linger)
		case <-late:
			return c.failed(errors.New("it has ended, but something that it started keeps its output open"))
		case <-c.user.Done():
			return errStopped
		}
	}
}

// lines hands whole lines of the output on, and keeps the begun one.
func (c *command) lines(out []byte, take func(line []byte) error) error {
	c.user.Progress()
	for rest := out; ; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			if c.size+len(rest) > c.most {
				return c.tooLong()
			}
			c.begin(rest)
			c.giveBack(out)
			return nil
		}
		line := rest[:i]
		if c.size+len(line) > c.most {
			return c.tooLong()
		}
		if c.size > 0 {
			line = c.whole(line)
		}
		if err := take(line); err != nil {
			return err
		}
		if c.size > 0 {
			c.begun, c.begun[0], c.size = c.begun[:1], c.begun[0][:0], 0
		}
		rest = rest[i+1:]
	}
}

func (c *command) tooLong() error {
	why := ", half of the memory of a task; give more memory, or fewer slots"
	if c.most == longestLine {
		why = ""
	}
	return failure.As(failure.Permanent, fmt.Errorf("%s: it wrote a line longer than %v%s", c.what, units.Bytes(c.most), why))
}

// begin keeps what there is of a line.
func (c *command) begin(part []byte) {
	c.size += len(part)
	for len(part) > 0 {
		last := len(c.begun) - 1
		if last < 0 || len(c.begun[last]) == cap(c.begun[last]) {
			c.begun = append(c.begun, make([]byte, 0, blockSize))
			last++
		}
		b := c.begun[last]
		n := copy(b[len(b):cap(b)], part)
		c.begun[last], part = b[:len(b)+n], part[n:]
	}
}

// whole is the begun line with its end.
func (c *command) whole(end []byte) []byte {
	if len(c.begun) == 1 && c.size+len(end) <= cap(c.begun[0]) {
		return append(c.begun[0], end...)
	}
	line := make([]byte, 0, c.size+len(end))
	for i, b := range c.begun {
		line = append(line, b...)
		if i > 0 {
			c.begun[i] = nil // so that not all of it has to be there twice
		}
	}
	return append(line, end...)
}

// end makes sure that nothing of the command is left, neither processes nor goroutines. It may be called again.
func (c *command) end() error {
	if c.p == nil {
		return nil
	}
	err := c.p.End()
	c.p = nil
	close(c.stop)
	if err != nil { // what does not end may hold the other ends of the pipes
		process.CloseAll(c.pipes)
	}
	c.talkers.Wait()
	process.CloseAll(c.pipes)
	return err
}
