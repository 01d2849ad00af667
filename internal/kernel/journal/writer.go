package journal

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Version is that of the format.
const Version = 3

// Header says what is needed to decide a run again.
type Header struct {
	Version  int                `json:"version"`
	Scenario string             `json:"scenario"`
	World    sched.Capabilities `json:"world"`
	Policy   string             `json:"policy"`             // as its catalogue writes it
	Settings json.RawMessage    `json:"settings,omitempty"` // what the policy was made with besides, such as queues
	Seed     uint64             `json:"seed"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// flushAt is the size at which the buffer goes out: large enough that a write costs nothing per line.
const flushAt = 64 << 10

// Writer records a run. It implements drive.Sink. It holds back up to 64 KiB; Close writes the end and the rest.
type Writer struct {
	w      io.Writer
	buf    []byte
	from   int   // start of the line being written
	line   int64 // number of that line
	rounds int64
	advice advice
	err    error
}

// NewWriter begins a journal. An error of the writer beneath shows in the next Batch, Plan or Close.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	h.Version = Version
	text, err := json.Marshal(&h)
	if err != nil {
		return nil, fmt.Errorf("journal: the header cannot be written: %w", err)
	}
	j := &Writer{w: w, buf: make([]byte, 0, 2*flushAt)}
	j.begin("journal ")
	j.buf = append(j.buf, text...)
	j.endLine()
	return j, j.err
}

// begin writes the number of a line and its word.
func (j *Writer) begin(word string) {
	j.from = len(j.buf)
	j.line++
	j.buf = append(append(appendNumber(j.buf, j.line), ' '), word...)
}

// endLine adds the sum, and hands the buffer on when it is full.
func (j *Writer) endLine() {
	j.buf = appendSum(j.buf, crc32.Checksum(j.buf[j.from:], castagnoli))
	if len(j.buf) >= flushAt {
		j.flush()
	}
}

// appendSum writes the eight hexadecimal digits of a sum, all at once: each goes into a byte of its
// own, and those above 9 become letters.
func appendSum(b []byte, sum uint32) []byte {
	x := uint64(bits.ReverseBytes32(sum))
	x = (x | x<<16) & 0xffff_0000ffff
	x = (x | x<<8) & 0xff_00ff_00ff_00ff
	x = (x>>4 | x<<8) & 0x0f0f0f0f0f0f0f0f
	letters := (x + 0x0606060606060606) >> 4 & 0x0101010101010101
	x += ascii + letters*('a'-'0'-10)
	return append(binary.LittleEndian.AppendUint64(append(b, ' ', '#'), x), '\n')
}

func (j *Writer) flush() {
	if j.err == nil && len(j.buf) > 0 {
		if _, err := j.w.Write(j.buf); err != nil {
			j.err = fmt.Errorf("journal: %w", err)
		}
	}
	j.buf = j.buf[:0]
}

// Batch records what the ledger took in.
func (j *Writer) Batch(round int64, at units.Time, events []sched.Event) error {
	j.rounds = round
	j.begin("round ")
	j.buf = appendRound(j.buf, round, at, j.advice.news(events))
	j.endLine()
	for i := range events {
		if j.advice.follows(&events[i]) {
			continue
		}
		j.begin("event ")
		j.buf = AppendEvent(j.buf, &events[i])
		j.endLine()
	}
	j.advice.heard(round, events)
	return j.err
}

func appendRound(b []byte, round int64, at units.Time, events int) []byte {
	b = appendNumber(b, round)
	b = appendNumber(append(b, " at="...), int64(at))
	return appendNumber(append(b, " events="...), int64(events))
}

// Plan records what the policy wanted and what the ledger made of it.
func (j *Writer) Plan(_ int64, _ units.Time, p *sched.Plan) error {
	j.advice.planned(p)
	j.begin("plan ")
	j.buf = appendPlan(j.buf, len(p.Items)-len(j.advice.repeated), len(j.advice.repeated))
	j.endLine()
	for i := range p.Items {
		if j.advice.repeats(p.Items[i].ID) {
			continue
		}
		j.begin("item ")
		j.buf = AppendItem(j.buf, p, &p.Items[i])
		j.endLine()
	}
	return j.err
}

// appendPlan writes how many items follow, and how many more only repeat advice.
func appendPlan(b []byte, items, repeated int) []byte {
	b = appendNumber(append(b, "items="...), int64(items))
	return appendInt(b, " repeated=", int64(repeated))
}

// Flush writes out what is held back.
func (j *Writer) Flush() error {
	j.flush()
	return j.err
}

// Close writes the end of a run that has come to its end. A run that was cut off is flushed instead.
func (j *Writer) Close() error {
	j.begin("end rounds=")
	j.buf = appendNumber(j.buf, j.rounds)
	j.endLine()
	j.flush()
	return j.err
}
