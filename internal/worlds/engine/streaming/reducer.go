package streaming

import (
	"bytes"

	"github.com/slackline/slackline/mapreduce"
)

// reducer feeds all records of a partition to one command.
type reducer struct {
	a     *attempt
	cmd   *command
	block []byte
	out   mapreduce.Emitter
}

// Reduce hands the values of a key to the command, as lines.
func (r *reducer) Reduce(key []byte, values mapreduce.Values, out mapreduce.Emitter) error {
	r.out = out
	for values.Next() {
		if r.cmd.deaf.Load() {
			return nil
		}
		if err := r.add(key, values.Value()); err != nil {
			return err
		}
	}
	return nil
}

// add hands on a record.
func (r *reducer) add(key, value []byte) error {
	var err error
	r.block, err = r.cmd.record(r.block, key, value, r.take)
	return err
}

// Close ends the command.
func (r *reducer) Close(out mapreduce.Emitter) error {
	r.out = out
	if len(r.block) > 0 {
		if err := r.cmd.feed(r.block, r.take); err != nil {
			return err
		}
	}
	return r.cmd.finish(r.a.x.ignoreExit, r.take)
}

func (r *reducer) take(line []byte) error {
	key, value := split(line, 1)
	return r.out.Emit(key, value)
}

// split cuts a line at its n-th TAB. A line with fewer is all key, and its value is empty.
func split(line []byte, n int) (key, value []byte) {
	at := 0
	for field := 1; ; field++ {
		i := bytes.IndexByte(line[at:], '\t')
		if i < 0 {
			return line, line[len(line):]
		}
		if field >= n {
			return line[:at+i], line[at+i+1:]
		}
		at += i + 1
	}
}
