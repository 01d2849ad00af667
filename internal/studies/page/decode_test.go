package page

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// decoder reads a column in another way than the page does: bit by bit, with big numbers.
type decoder struct {
	t    interface{ Fatalf(string, ...any) }
	left []byte
}

func decode(t interface{ Fatalf(string, ...any) }, text string) *decoder {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return &decoder{t, raw}
}

func (d *decoder) count() *big.Int {
	var groups []string
	for {
		if len(d.left) == 0 {
			d.t.Fatalf("the column ends too early")
		}
		bits := fmt.Sprintf("%08b", d.left[0])
		d.left = d.left[1:]
		groups = append([]string{bits[1:]}, groups...)
		if bits[0] == '0' {
			break
		}
	}
	x, _ := new(big.Int).SetString(strings.Join(groups, ""), 2)
	return x
}

func (d *decoder) next() int64 { return d.count().Int64() }

func (d *decoder) signed() int64 { return fold(d.count()) }

// fold undoes 0, -1, 1, -2, 2 … by counting.
func fold(x *big.Int) int64 {
	half := new(big.Int).Rsh(x, 1)
	if x.Bit(0) == 1 {
		half.Neg(half).Sub(half, big.NewInt(1))
	}
	return half.Int64()
}

func (d *decoder) maybe() (x int64, there bool) {
	c := d.count()
	if c.Sign() == 0 {
		return 0, false
	}
	return fold(c.Sub(c, big.NewInt(1))), true
}

func (d *decoder) end() {
	if len(d.left) > 0 {
		d.t.Fatalf("%d bytes are left in the column", len(d.left))
	}
}

func TestColumnGolden(t *testing.T) {
	var c column
	c.count(0)
	c.count(127)
	c.count(300)
	c.signed(-1)
	c.signed(64)
	c.maybe(0, false)
	c.maybe(0, true)
	c.maybe(-1, true)
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	// 00 | 7f | ac 02 | 01 | 80 01 | 00 | 01 | 02
	if want := `"AH+sAgGAAQABAg=="`; string(text) != want {
		t.Errorf("got %s, want %s", text, want)
	}
}

func TestColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const most = 1<<53 - 1 // what JavaScript counts exactly
		var c column
		counts := rapid.SliceOf(rapid.Int64Range(0, most)).Draw(t, "counts")
		numbers := rapid.SliceOf(rapid.Int64Range(-most/4, most/4)).Draw(t, "numbers")
		for _, x := range counts {
			c.count(x)
		}
		for i, x := range numbers {
			c.signed(x)
			c.maybe(x, i%3 > 0)
		}
		text, err := c.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		d := decode(t, string(text))
		for _, want := range counts {
			if got := d.next(); got != want {
				t.Fatalf("%d, want %d", got, want)
			}
		}
		for i, want := range numbers {
			if got := d.signed(); got != want {
				t.Fatalf("%d, want %d", got, want)
			}
			if got, there := d.maybe(); there != (i%3 > 0) || there && got != want {
				t.Fatalf("%d %v, want %d", got, there, want)
			}
		}
		d.end()
	})
}

// block is the data block of a page as a reader of the format would declare it.
type block struct {
	Unit    int64
	Omitted int
	Sets    []struct {
		Total                           int
		Index                           *string
		IDs, Classes                    []string
		Class, Maps, Reduces, Submitted string
	}
	Runs []struct {
		Scenario, Policy, Seed             string
		Group                              int
		End                                int64
		Set                                int
		Flags, Started, Finished, Deadline string
		Reasons                            map[string]string
		Response, Tardiness                *curve
		Gantt                              *struct {
			Level                                                                                   string
			Nodes                                                                                   []string
			Node, Kind, Slot, Slots, Bars, Gap, Length, Flags, Job, Task, Count, Busy, Wasted, Most string
		}
		Series *struct {
			Width float64
			Max   map[string]int64
			Data  map[string]string
		}
	}
}

// blockOf cuts the data block out of a page.
func blockOf(t interface{ Fatalf(string, ...any) }, text string) (b block) {
	_, rest, found := strings.Cut(text, `<script type="application/json" id="data">`)
	raw, _, closed := strings.Cut(rest, "</script>")
	if !found || !closed {
		t.Fatalf("there is no data block")
	}
	if err := json.Unmarshal([]byte(raw), &b); err != nil {
		t.Fatalf("the data block: %v", err)
	}
	return b
}

// drawn is a bar as the page says it, in ticks.
type drawn struct {
	node             string
	kind, slot, size int64
	begin, end       int64
	outcome, stage   int64
	job, task        int64
	merged           bool
	count, busy      int64
}

// bars decodes the bars of a run.
func (b *block) bars(t interface{ Fatalf(string, ...any) }, run int) (list []drawn) {
	g := b.Runs[run].Gantt
	node, kind, slot, slots, bars := decode(t, g.Node), decode(t, g.Kind), decode(t, g.Slot), decode(t, g.Slots), decode(t, g.Bars)
	gap, length, flags, job, task := decode(t, g.Gap), decode(t, g.Length), decode(t, g.Flags), decode(t, g.Job), decode(t, g.Task)
	count, busy, wasted, most := decode(t, g.Count), decode(t, g.Busy), decode(t, g.Wasted), decode(t, g.Most)
	j, k := int64(0), int64(0)
	for len(node.left) > 0 {
		d := drawn{kind: kind.next(), slot: slot.next(), size: slots.next()}
		if n := node.next(); g.Level == "slot" || g.Level == "node" {
			d.node = g.Nodes[n]
		} else {
			d.node = fmt.Sprint(g.Level, n)
		}
		at := int64(0)
		for range bars.next() {
			d.begin = at + gap.next()
			d.end = d.begin + length.next()
			at = d.end
			f := flags.next()
			d.outcome, d.merged, d.stage = f%8, f/8%2 == 1, f/16
			j += job.signed()
			d.job, d.task, d.count, d.busy = j, 0, 1, d.end-d.begin
			if d.merged {
				d.count, d.busy = count.next(), busy.next()
				if w, m := wasted.next(), most.next(); w > 255 || m > 255 {
					t.Fatalf("shares of %d and %d 255ths", w, m)
				}
			} else {
				k += task.signed()
				d.task = k
			}
			list = append(list, d)
		}
	}
	for _, c := range []*decoder{node, kind, slot, slots, bars, gap, length, flags, job, task, count, busy, wasted, most} {
		c.end()
	}
	return list
}
