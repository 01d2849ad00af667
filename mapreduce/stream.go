package mapreduce

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Role is which part of a program is streamed.
type Role string

// The roles.
const (
	MapRole     Role = "map"
	CombineRole Role = "combine"
	ReduceRole  Role = "reduce"
)

// Streams is what a program that is run as a command of Hadoop Streaming talks by.
type Streams struct {
	In     io.Reader                // lines: of text for a map, else key TAB value sorted by key
	Out    io.Writer                // lines: key TAB value
	Report io.Writer                // standard error: counters, signs of life; nil = nobody listens
	Env    func(name string) string // the environment; nil = empty
}

// InputNameKey is the key of the configuration under which commands find the name of the input that
// they read, where inputs have names; in the environment its dots are underscores.
const InputNameKey = "slackline.input.name"

// maxLine bounds a line of input.
const maxLine = 1 << 30

// Stream runs one side of the program over lines, as Hadoop Streaming calls a command: so the
// program runs wherever that does. A combiner may be a fold's, which a map whose output goes to a
// reduce also uses itself: it writes each key once, or when it holds many. A program without a
// reducer reduces as it combines.
//
// A key on its way from map to reduce may hold anything: the bytes from BS to CR, among them TAB
// and LF, are written as two, BS and another, such that keys keep their order. What else text
// cannot carry is lost or refused: a value that is empty and one that is nil are the same, nil; no
// value may hold a LF, and programs whose records have a fixed length or whose output is raw have
// no lines. The partitioner and the total order are the cluster's to choose.
func (p *Program) Stream(ctx context.Context, role Role, s Streams) error {
	if err := p.Check(); err != nil {
		return err
	}
	if p.Records.Length > 0 || p.Raw {
		return fmt.Errorf("application %s cannot be streamed: its records are not lines", p.Name)
	}
	if p.Input != nil && p.Input.Cutting() != AtLines && role == MapRole {
		return fmt.Errorf("application %s cannot be streamed: its input cannot be split into lines, as streams are", p.Name)
	}
	if s.Env == nil {
		s.Env = func(string) string { return "" }
	}
	s.Report = cmp.Or(s.Report, io.Discard)
	t := &streaming{p: p, s: s, hidden: []byte{}, in: lineReader{r: bufio.NewReaderSize(s.In, 256<<10)}, out: bufio.NewWriterSize(s.Out, 64<<10)}
	t.user = NewContext(ctx, int(t.number("mapreduce_task_partition")), t.attempt(), t.alive)
	t.user.Warnings(func(text string) { fmt.Fprintln(s.Report, text) })
	t.user.Reading(Input{Path: strings.TrimPrefix(s.Env("mapreduce_map_input_file"), "file:"),
		Start: t.number("mapreduce_map_input_start"), Length: t.number("mapreduce_map_input_length"),
		Name: s.Env(strings.ReplaceAll(InputNameKey, ".", "_"))})
	err := t.run(role)
	if err == nil {
		err = t.broken
	}
	if e := t.out.Flush(); err == nil && e != nil {
		err = fmt.Errorf("output: %w", e)
	}
	for _, name := range t.user.Counters().Names() {
		fmt.Fprintf(s.Report, "reporter:counter:%s,%s,%d\n", name.Group, name.Name, t.user.Counters().Get(name.Group, name.Name))
	}
	return err
}

// streaming is a program at work on streams.
type streaming struct {
	p      *Program
	s      Streams
	user   *Context
	in     lineReader
	out    *bufio.Writer
	broken error // the first error of an emit
	told   time.Time
	folds  map[string]*int64 // what a map with a fold holds back; nil = nothing is
	held   int               // bytes of it
	// what is emitted goes to a reduce, so keys are written such that they hold neither TAB nor
	// LF
	hides  bool
	hidden []byte // a key
	final  bool   // what is emitted is the job's output
}

func (t *streaming) number(name string) int64 {
	n, err := strconv.ParseInt(t.s.Env(name), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// attempt is the last number in mapreduce_task_attempt_id.
func (t *streaming) attempt() int {
	id := t.s.Env("mapreduce_task_attempt_id")
	n, err := strconv.Atoi(id[strings.LastIndexByte(id, '_')+1:])
	if err != nil {
		return 0
	}
	return n
}

// alive tells the framework that we are, now and then.
func (t *streaming) alive() {
	if now := time.Now(); now.Sub(t.told) > 10*time.Second {
		t.told = now
		fmt.Fprintln(t.s.Report, "reporter:status:working")
	}
}

func (t *streaming) run(role Role) error {
	t.final = role == ReduceRole || role == MapRole && t.s.Env("mapreduce_job_reduces") == "0"
	t.hides = !t.final
	switch role {
	case MapRole:
		return t.mapAll()
	case CombineRole:
		return t.reduceAll(t.p.Combiner())
	case ReduceRole:
		return t.reduceAll(t.p.Reducer())
	}
	return fmt.Errorf("%q is not map, combine or reduce", role)
}

// maxFolds bounds what a map holds back, in bytes.
const maxFolds = 32 << 20

// fold adds a value to what is held of its key, and tells whether it could: what does not parse, or
// is too large, goes its own way.
func (t *streaming) fold(key, value []byte) (bool, error) {
	n, err := t.p.Fold.Parse(value)
	if err != nil {
		return false, nil
	}
	if held := t.folds[string(key)]; held != nil {
		sum, err := t.p.Fold.Add(*held, n)
		if err != nil {
			return false, nil
		}
		*held = sum
		return true, nil
	}
	if t.held > maxFolds {
		if err := t.release(); err != nil {
			return false, err
		}
	}
	t.folds[string(key)] = &n
	t.held += len(key) + 64
	return true, nil
}

// release writes what is held, in order of the keys.
func (t *streaming) release() error {
	var text []byte
	for _, key := range slices.Sorted(maps.Keys(t.folds)) {
		text = t.p.Fold.Append(text[:0], *t.folds[key])
		if err := t.write([]byte(key), text); err != nil {
			return err
		}
	}
	clear(t.folds)
	t.held = 0
	return nil
}

// Emit takes a record: a map that has a fold holds it back, as one record for each key is enough.
func (t *streaming) Emit(key, value []byte) error {
	if t.folds != nil && key != nil && t.broken == nil {
		if held, err := t.fold(key, value); held || err != nil {
			return err
		}
	}
	return t.write(key, value)
}

// write writes key TAB value LF; of a nil key or an empty value neither it nor the TAB, of both nil nothing.
func (t *streaming) write(key, value []byte) error {
	if t.broken != nil {
		return t.broken
	}
	if t.p.Output != nil && t.final {
		return t.format(key, value)
	}
	if t.hides && key != nil {
		t.hidden = hide(t.hidden[:0], key)
		key = t.hidden
	}
	if bytes.IndexByte(key, '\n') >= 0 || bytes.IndexByte(value, '\n') >= 0 {
		t.broken = fmt.Errorf("application %s emitted a record that holds a line feed, which a stream of lines cannot carry", t.p.Name)
		return t.broken
	}
	if key == nil && value == nil {
		return nil
	}
	_, err := t.out.Write(key)
	if key != nil && len(value) > 0 {
		err = errors.Join(err, t.out.WriteByte('\t'))
	}
	_, e := t.out.Write(value)
	if err = errors.Join(err, e, t.out.WriteByte('\n')); err != nil {
		t.broken = fmt.Errorf("output: %w", err)
	}
	return t.broken
}

// format writes a record of the output in the program's format.
func (t *streaming) format(key, value []byte) error {
	row, err := t.p.Output.Append(t.hidden[:0], key, value)
	if err == nil {
		t.hidden = row
		_, err = t.out.Write(row)
	}
	if err != nil {
		t.broken = fmt.Errorf("output: %w", err)
	}
	return t.broken
}

func (t *streaming) mapAll() error {
	mapper := Mapper(Identity{})
	if construct := t.p.Mapper(!t.final); construct != nil {
		var err error
		if mapper, err = construct(t.user); err != nil {
			return err
		}
	}
	if t.p.Input != nil {
		return t.mapRecords(mapper)
	}
	whole, blocks := mapper.(BlockMapper)
	if t.p.Fold != nil && t.hides {
		t.folds = map[string]*int64{}
	}
	at := t.user.Input().Start
	var key [8]byte
	for {
		line, full, err := t.in.next()
		if err != nil {
			return fmt.Errorf("input: %w", err)
		}
		if full == nil {
			break
		}
		if blocks {
			err = whole.MapBlock(full, at, t)
		} else {
			err = mapper.Map(OffsetKey(&key, at), line, t)
		}
		if err == nil {
			err = t.broken
		}
		if err != nil {
			return err
		}
		at += int64(len(full))
	}
	if err := t.close(mapper); err != nil {
		return err
	}
	return t.release()
}

// mapRecords maps records of the program's format.
func (t *streaming) mapRecords(mapper Mapper) error {
	in, err := t.p.Input.Open(t.in.r, t.user.Input())
	if err != nil {
		return fmt.Errorf("input: %w", err)
	}
	for n := 1; ; n++ {
		key, value, err := in.Next()
		if err == io.EOF {
			return t.close(mapper)
		}
		if err != nil {
			return fmt.Errorf("input: record %d: %w", n, err)
		}
		if err := mapper.Map(key, value, t); err != nil {
			return err
		}
		if t.broken != nil {
			return t.broken
		}
	}
}

func (t *streaming) close(of any) error {
	if c, ok := of.(Closer); ok {
		return c.Close(t)
	}
	return nil
}

// reduceAll reduces; without a constructor records pass as they are.
func (t *streaming) reduceAll(construct func(*Context) (Reducer, error)) error {
	reducer := Reducer(Identity{})
	if construct != nil {
		var err error
		if reducer, err = construct(t.user); err != nil {
			return err
		}
	}
	g := &streamGroups{in: &t.in, now: []byte{}, fields: max(1, int(t.number("stream_num_map_output_key_fields"))), group: t.p.Group}
	for g.nextKey() {
		if err := reducer.Reduce(g.key, g, t); err != nil {
			return err
		}
		if t.broken != nil {
			return t.broken
		}
	}
	if g.err != nil {
		return fmt.Errorf("input: %w", g.err)
	}
	return t.close(reducer)
}

// streamGroups walks sorted lines key by key. It is the Values of the key at hand.
type streamGroups struct {
	in     *lineReader
	fields int
	group  func([]byte) int

	key, value []byte
	now        []byte // the whole key of the line at hand
	ahead      bool   // the line at hand has not been handed out
	ended      bool
	err        error
}

func (g *streamGroups) advance() {
	if g.ended || g.err != nil || g.ahead {
		return
	}
	line, full, err := g.in.next()
	if err != nil || full == nil {
		g.ended, g.err = true, err
		return
	}
	key, value := SplitLine(line, g.fields)
	g.now, g.value, g.ahead = show(g.now[:0], key), value, true
}

func (g *streamGroups) first(key []byte) []byte {
	if g.group == nil {
		return key
	}
	return key[:g.group(key)]
}

func (g *streamGroups) nextKey() bool {
	if g.key != nil {
		for g.Next() { // what the reducer left
		}
	}
	g.advance()
	if !g.ahead {
		return false
	}
	g.key = append(g.key[:0], g.first(g.now)...)
	if g.key == nil {
		g.key = []byte{}
	}
	return true
}

// Next moves to the next value of the key.
func (g *streamGroups) Next() bool {
	g.advance()
	if !g.ahead || !bytes.Equal(g.first(g.now), g.key) {
		return false
	}
	g.ahead = false
	return true
}

// Value returns the current value.
func (g *streamGroups) Value() []byte { return g.value }

// The bytes that hide writes as two, and what it adds to the second.
const (
	firstHidden, lastHidden = '\b', '\r'
	hideBy                  = 0x20
)

// hide appends a key without TAB, LF and CR. Two keys order as before: the bytes that are hidden
// are neighbours, and all of them begin with the first.
func hide(to, key []byte) []byte {
	for _, b := range key {
		if b >= firstHidden && b <= lastHidden {
			to = append(to, firstHidden, b+hideBy)
		} else {
			to = append(to, b)
		}
	}
	return to
}

// show appends the key that hide was given.
func show(to, key []byte) []byte {
	for i := 0; i < len(key); i++ {
		b := key[i]
		if b == firstHidden && i+1 < len(key) && key[i+1] >= firstHidden+hideBy && key[i+1] <= lastHidden+hideBy {
			i++
			b = key[i] - hideBy
		}
		to = append(to, b)
	}
	return to
}

// SplitLine cuts a line that Hadoop Streaming hands to a reducer into key and value: at its n-th
// TAB or, as Hadoop puts a TAB behind a key of fewer fields, at its last. An empty value is nil.
func SplitLine(line []byte, n int) (key, value []byte) {
	last := -1
	for field, at := 1, 0; field <= n; field++ {
		i := bytes.IndexByte(line[at:], '\t')
		if i < 0 {
			break
		}
		last = at + i
		at = last + 1
	}
	if last < 0 {
		return line, nil
	}
	if last+1 == len(line) {
		return line[:last], nil
	}
	return line[:last], line[last+1:]
}

// lineReader reads lines of any length.
type lineReader struct {
	r    *bufio.Reader
	long []byte
	n    int64 // lines so far
}

// next returns the next line without and with its LF, both nil at the end. They are good until the next call.
func (l *lineReader) next() (line, full []byte, err error) {
	l.n++
	full, err = l.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		l.long = append(l.long[:0], full...)
		for err == bufio.ErrBufferFull {
			if len(l.long) > maxLine {
				return nil, nil, errors.New("a line is longer than 1 GB")
			}
			full, err = l.r.ReadSlice('\n')
			l.long = append(l.long, full...)
		}
		full = l.long
	}
	if err == io.EOF {
		if len(full) == 0 {
			return nil, nil, nil
		}
		err = nil
	}
	if err != nil {
		return nil, nil, err
	}
	return bytes.TrimSuffix(full, []byte{'\n'}), full, nil
}
