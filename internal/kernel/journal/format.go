package journal

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// AppendEvent appends an event as text: its kind, then the fields that are not zero, in the order
// of fields below.
func AppendEvent(b []byte, e *sched.Event) []byte {
	b = appendName(b, e.Kind.String(), int(e.Kind))
	if e.Derived {
		b = append(b, " derived"...)
	}
	b = appendInt(b, " job=", int64(e.Job))
	b = appendStage(b, e.Stage)
	b = appendInt(b, " task=", int64(e.Task))
	b = appendInt(b, " node=", int64(e.Node))
	b = appendInt(b, " attempt=", int64(e.Attempt))
	b = appendInt(b, " container=", int64(e.Container))
	b = appendNamed(b, " locality=", e.Locality)
	b = appendNamed(b, " outcome=", e.Outcome)
	if e.Control != 0 || e.Of != 0 || e.State != 0 { // which few have
		b = appendNamed(b, " control=", e.Control)
		b = appendNamed(b, " of=", e.Of)
		b = appendNamed(b, " power=", e.State)
	}
	b = appendInt(b, " count=", int64(e.Count))
	b = appendInt(b, " item=", int64(e.Item))
	b = appendInt(b, " age=", int64(e.Age))
	b = appendNamed(b, " why=", e.Why)
	b = appendInt(b, " read=", int64(e.Bytes))
	b = appendInt(b, " wrote=", int64(e.OutBytes))
	b = appendFloat(b, " x=", e.X)
	if e.Spans != [sched.Phases]units.Duration{} {
		b = append(b, " spans="...)
		for i, d := range e.Spans {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendNumber(b, int64(d))
		}
	}
	b = appendText(b, e.Text)
	if e.Detail != nil && e.Detail.Account == nil {
		b = appendDetail(b, e.Detail)
	}
	return b
}

// AppendItem appends an item of a plan as text: its verb, then the fields that are not zero.
func AppendItem(b []byte, p *sched.Plan, it *sched.Item) []byte {
	b = appendName(b, it.Verb.String(), int(it.Verb))
	b = appendInt(b, " id=", int64(it.ID))
	b = appendInt(b, " job=", int64(it.Job))
	b = appendStage(b, it.Stage)
	b = appendInt(b, " task=", int64(it.Task))
	b = appendInt(b, " node=", int64(it.Node))
	b = appendInt(b, " attempt=", int64(it.Attempt))
	b = appendInt(b, " container=", int64(it.Container))
	b = appendInt(b, " count=", int64(it.Count))
	b = appendNamed(b, " locality=", it.Locality)
	b = appendNamed(b, " outcome=", it.Outcome)
	b = appendInt(b, " group=", int64(it.Group))
	b = appendInt(b, " at=", int64(it.At))
	if it.Outlook != (sched.Outlook{}) {
		b = appendNamed(b, " word=", it.Outlook.Word)
		b = appendInt(b, " measured=", int64(it.Outlook.Measured))
		b = appendInt(b, " confidence=", int64(it.Outlook.Confidence))
		b = appendInt(b, " by=", int64(it.Outlook.By))
		b = appendInt(b, " half=", int64(it.Outlook.Half))
		b = appendInt(b, " ninety=", int64(it.Outlook.Ninety))
		b = appendInt(b, " chance=", int64(it.Outlook.Chance))
	}
	b = appendReason(b, p, &it.Reason)
	if it.Tasks.Len() > 0 {
		b = append(b, " tasks="...)
		for i, t := range p.Bound[it.Tasks.From:it.Tasks.To] {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendNumber(b, int64(t.Task)), ':')
			b = appendName(b, t.Locality.String(), int(t.Locality))
		}
	}
	if it.Attempts.Len() > 0 {
		b = append(b, " attempts="...)
		for i, a := range p.Victims[it.Attempts.From:it.Attempts.To] {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendNumber(b, int64(a))
		}
	}
	if it.Held {
		b = append(b, " held"...)
	}
	return appendNamed(b, " refused=", it.Refused)
}

// appendReason writes " reason=cause:a,b,c because-job=… evidence=job:at:amount,…".
func appendReason(b []byte, p *sched.Plan, r *sched.Reason) []byte {
	if *r == (sched.Reason{}) {
		return b
	}
	b = append(append(b, " reason="...), r.Cause.String()...)
	if r.A != 0 || r.B != 0 || r.C != 0 {
		b = appendNumber(append(b, ':'), r.A)
		if r.B != 0 || r.C != 0 {
			b = appendNumber(append(b, ','), r.B)
		}
		if r.C != 0 {
			b = appendNumber(append(b, ','), r.C)
		}
	}
	b = appendInt(b, " because-job=", int64(r.Job))
	if r.Evidence.Len() > 0 {
		b = append(b, " evidence="...)
		for i, e := range p.Evidence[r.Evidence.From:r.Evidence.To] {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendNumber(b, int64(e.Job)), ':')
			b = append(appendNumber(b, int64(e.At)), ':')
			b = appendNumber(b, e.Amount)
		}
	}
	return b
}

// appendName writes a word, or "#7" for a value without one, so that nothing is lost.
func appendName(b []byte, name string, n int) []byte {
	if name == "unknown" {
		return appendNumber(append(b, '#'), int64(n))
	}
	return append(b, name...)
}

// appendStage writes that of an event or item which has one; "#7" is one without a name.
func appendStage(b []byte, s sched.Stage) []byte {
	if s < sched.Stages {
		return appendNamed(b, " stage=", s)
	}
	return appendNumber(append(b, " stage=#"...), int64(s))
}

// appendNamed writes a field whose value has a name, and is not the first of its kind, which says
// nothing. It is small enough to be inlined: most fields of most events say nothing.
func appendNamed[T named](b []byte, key string, v T) []byte {
	if v != 0 {
		b = appendName(append(b, key...), v.String(), int(v))
	}
	return b
}

// appendNumber writes digits eight at a time: numbers are most of a journal.
func appendNumber(b []byte, v int64) []byte {
	u := uint64(v)
	if u < 10 {
		return append(b, byte('0'+u))
	}
	if v < 0 {
		b, u = append(b, '-'), -u
	}
	if u < 1e8 {
		digits := eightDigits(u)
		zeros := bits.TrailingZeros64(digits|1<<56) / 8 // in front; one digit stays
		b = binary.LittleEndian.AppendUint64(b, (digits|ascii)>>(8*zeros))
		return b[:len(b)-zeros]
	}
	b = appendNumber(b, int64(u/1e8))
	return binary.LittleEndian.AppendUint64(b, eightDigits(u%1e8)|ascii)
}

// ascii makes characters of eight digits.
const ascii = 0x3030303030303030

// eightDigits returns the decimal digits of a number below 100,000,000, a byte each, the first in the
// lowest byte. It divides all parts at once: into two of four digits, four of two, eight. The factors
// are the reciprocals of 100 and 10 times a power of two, exact for numbers so small.
func eightDigits(u uint64) uint64 {
	u = u/10000 | u%10000<<32
	high := u * 10486 >> 20 & 0x7f_0000007f
	u = high | (u-100*high)<<16
	high = u * 103 >> 10 & 0xf_000f_000f_000f
	return high | (u-10*high)<<8
}

// appendInt writes a field that is not zero. It is small enough to be inlined, which makes of its
// key a few stores.
func appendInt(b []byte, key string, v int64) []byte {
	if v == 0 {
		return b
	}
	return appendNumber(append(b, key...), v)
}

func appendFloat(b []byte, key string, v float64) []byte {
	if math.Float64bits(v) == 0 { // -0 is a number of its own
		return b
	}
	return strconv.AppendFloat(append(b, key...), v, 'g', -1, 64)
}

func appendText(b []byte, text string) []byte {
	if text == "" {
		return b
	}
	return strconv.AppendQuote(append(b, " text="...), text)
}
