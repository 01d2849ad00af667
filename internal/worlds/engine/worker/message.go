package worker

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/mapreduce"
)

// Version is that of the protocol. Both sides must have the same.
const Version = 1

// Variable is set in the environment of a program that is to be a worker.
const Variable = "SLACKLINE_WORKER"

// greeting is the line behind which the worker's messages begin.
const greeting = "\x00slackline worker\n"

// maxMessage bounds a message: a map output with many parts has some megabytes of places.
const maxMessage = 256 << 20

type message struct {
	Kind string `json:"kind"`

	Version  int      `json:"version,omitempty"`  // hello
	Programs []string `json:"programs,omitempty"` // hello

	Program string            `json:"program,omitempty"` // open
	Params  map[string]string `json:"params,omitempty"`  // open
	About   *About            `json:"about,omitempty"`   // ready

	Map    *task.MapConfig    `json:"map,omitempty"`
	Reduce *task.ReduceConfig `json:"reduce,omitempty"`

	Done   float64      `json:"done,omitempty"`   // beat
	Of     int          `json:"of,omitempty"`     // fetch and output: the number of the map
	Output *task.Output `json:"output,omitempty"` // output, ended

	Stats    *task.Stats  `json:"stats,omitempty"`    // ended
	Counters []counter    `json:"counters,omitempty"` // ended
	Error    string       `json:"error,omitempty"`    // ended, output
	Broken   *broken      `json:"broken,omitempty"`   // ended: by user code
	Lost     *int         `json:"lost,omitempty"`     // ended: the map whose output cannot be read
	Failure  failure.Kind `json:"failure,omitempty"`  // ended: of what kind the error is
}

// broken is a task.UserError.
type broken struct {
	App      string     `json:"app"`
	Where    string     `json:"where"`
	Panicked bool       `json:"panicked,omitempty"`
	Text     string     `json:"text"`
	Stack    []byte     `json:"stack,omitempty"`
	Spot     *task.Spot `json:"spot,omitempty"`
	Block    bool       `json:"block,omitempty"`
	Bad      bool       `json:"bad,omitempty"` // it is a mapreduce.BadRecord
}

func breakage(e *task.UserError) *broken {
	b := &broken{App: e.App, Where: e.Where, Stack: e.Stack, Spot: e.Spot, Block: e.Block}
	if e.Err != nil {
		var bad *mapreduce.BadRecord
		b.Text, b.Bad = e.Err.Error(), errors.As(e.Err, &bad)
	} else {
		b.Panicked, b.Text = true, fmt.Sprint(e.Panic)
	}
	return b
}

func (b *broken) error() error {
	e := &task.UserError{App: b.App, Where: b.Where, Stack: b.Stack, Spot: b.Spot, Block: b.Block}
	switch {
	case b.Panicked:
		e.Panic = b.Text
	case b.Bad:
		e.Err = &mapreduce.BadRecord{Err: errors.New(b.Text)}
	default:
		e.Err = errors.New(b.Text)
	}
	return e
}

// About is what the engine has to know of a program that it does not hold.
type About struct {
	TotalOrder bool               `json:"total_order,omitempty"`
	Records    mapreduce.Records  `json:"records"`
	Raw        bool               `json:"raw,omitempty"`
	Reduces    bool               `json:"reduces,omitempty"` // it needs reduces
	Cutting    *mapreduce.Cutting `json:"cutting,omitempty"` // of the format of its input, if it has one of its own
}

func about(p *mapreduce.Program) *About {
	a := &About{TotalOrder: p.TotalOrder, Records: p.Records, Raw: p.Raw, Reduces: p.NeedsReduces()}
	if p.Input != nil {
		a.Cutting = new(p.Input.Cutting())
	}
	return a
}

// Program stands for the program where it is planned and not run.
func (a *About) Program(name string) *mapreduce.Program {
	p := &mapreduce.Program{Name: name, TotalOrder: a.TotalOrder, Records: a.Records, Raw: a.Raw}
	if a.Cutting != nil {
		p.Input = elsewhere(*a.Cutting)
	}
	return p
}

// elsewhere is a format that only workers have.
type elsewhere mapreduce.Cutting

// Cutting says where files may be cut.
func (e elsewhere) Cutting() mapreduce.Cutting { return mapreduce.Cutting(e) }

// Open refuses: records are read by workers.
func (elsewhere) Open(io.Reader, mapreduce.Input) (mapreduce.RecordReader, error) {
	return nil, errors.New("this format belongs to the user's program, which reads it")
}

type counter struct {
	Group string `json:"group"`
	Name  string `json:"name"`
	N     int64  `json:"n"`
}

func send(w io.Writer, m *message) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if len(text) > maxMessage {
		return fmt.Errorf("a message of %d bytes is too long", len(text))
	}
	_, err = w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...))
	return err
}

// errGarbage says that bytes are no message: the program wrote to its standard output behind the
// protocol's back.
var errGarbage = errors.New("it wrote something to its standard output that is not a message")

// receive reads a message, io.EOF if there is no more.
func receive(r *bufio.Reader) (*message, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = errGarbage
		}
		return nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxMessage {
		return nil, errGarbage
	}
	// What is not there is not made room for, whatever the length says.
	text, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err != nil {
		return nil, err
	}
	m := &message{}
	if len(text) < int(n) {
		return nil, io.ErrUnexpectedEOF
	}
	if json.Unmarshal(text, m) != nil || m.Kind == "" {
		return nil, errGarbage
	}
	return m, nil
}

// greeted reads up to the worker's greeting. What stands before it is handed to other.
func greeted(r *bufio.Reader, other func(line []byte)) error {
	for {
		line, err := r.ReadSlice('\n')
		if n := len(line) - len(greeting); n >= 0 && string(line[n:]) == greeting {
			other(line[:n]) // an unfinished line of the program's
			return nil
		}
		other(line)
		if err != nil && err != bufio.ErrBufferFull {
			return err
		}
	}
}
