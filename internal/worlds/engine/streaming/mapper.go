package streaming

import (
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/mapreduce"
)

// mapper feeds a command for each piece of its input, or one for all of them.
type mapper struct {
	a       *attempt
	user    *mapreduce.Context
	in      mapreduce.Input
	cmd     *command // nil = none runs
	started bool
	line    []byte
	out     mapreduce.Emitter // where records go
	combine *combiner         // nil = none
}

var _ task.PartMapper = (*mapper)(nil)

// MapPart hands a part of lines to the command.
func (m *mapper) MapPart(block []byte, out mapreduce.Emitter) error {
	m.to(out)
	if in := m.user.Input(); m.cmd == nil || in != m.in && (!m.a.x.job.OneCommand || in.Name != m.in.Name) {
		if err := m.finish(); err != nil {
			return err
		}
		if err := m.start(in); err != nil {
			return err
		}
	}
	for len(block) > 0 {
		n := min(len(block), blockSize)
		if err := m.cmd.feed(append(m.cmd.block(), block[:n]...), m.take); err != nil {
			return err
		}
		block = block[n:]
	}
	return nil
}

// EndLine ends a line that has no LF: the command gets whole lines.
func (m *mapper) EndLine(out mapreduce.Emitter) error {
	m.to(out)
	return m.cmd.feed(append(m.cmd.block(), '\n'), m.take)
}

// Map hands a line to the command.
func (m *mapper) Map(_, line []byte, out mapreduce.Emitter) error {
	m.line = append(append(m.line[:0], line...), '\n')
	return m.MapPart(m.line, out)
}

func (m *mapper) to(out mapreduce.Emitter) {
	m.out = out
	if m.combine != nil {
		m.combine.out = out
		m.out = m.combine
	}
}

func (m *mapper) start(in mapreduce.Input) (err error) {
	m.in, m.started = in, true
	words := m.a.x.job.Map
	if m.a.gpu {
		words = m.a.x.job.MapGPU
	}
	if own, ok := m.a.x.job.MapOf[in.Name]; ok {
		words = own
	}
	m.cmd, err = m.a.start(m.user, "map", words, &in)
	return err
}

func (m *mapper) finish() error {
	if m.cmd == nil {
		return nil
	}
	c := m.cmd
	m.cmd = nil
	return c.finish(m.a.x.ignoreExit, m.take)
}

// Close ends the last command. Of a task without input there is one, too, as it may have something
// to say nevertheless.
func (m *mapper) Close(out mapreduce.Emitter) error {
	m.to(out)
	if !m.started {
		if err := m.start(m.user.Input()); err != nil {
			return err
		}
	}
	if err := m.finish(); err != nil {
		return err
	}
	if m.combine != nil {
		return m.combine.flush()
	}
	return nil
}

// take turns a line of the command's output into a record.
func (m *mapper) take(line []byte) error {
	key, value := split(line, m.a.x.job.KeyFields)
	return m.out.Emit(key, value)
}
