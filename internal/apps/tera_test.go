package apps

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/mapreduce"
)

// emitted runs the mapper of an application on one block, or line, and returns what it emits.
func emitted(t *testing.T, app string, in mapreduce.Input, block []byte) (keys, values [][]byte) {
	t.Helper()
	p, err := New(app, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := mapreduce.NewContext(context.Background(), 0, 0, nil)
	c.Reading(in)
	m, err := p.NewMapper(c)
	if err != nil {
		t.Fatal(err)
	}
	out := emitter(func(k, v []byte) { keys, values = append(keys, k), append(values, v) })
	if b, ok := m.(mapreduce.BlockMapper); ok {
		err = b.MapBlock(block, in.Start, out)
	} else {
		err = m.Map(nil, block, out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return keys, values
}

func someRows(t *testing.T, text string) (all []string) {
	keys, values := emitted(t, "teragen", mapreduce.Input{}, []byte(text))
	for i := range keys {
		all = append(all, string(keys[i])+string(values[i]))
	}
	return all
}

// A row follows from its number alone, has the layout of gensort -a, and its key is spread evenly
// over the printable bytes.
func TestTeragen(t *testing.T) {
	all := someRows(t, "0 10000")
	if got := append(someRows(t, "0 4000"), someRows(t, " 4000\t6000 ")...); !slices.Equal(all, got) {
		t.Error("rows depend on the range that they are made in")
	}
	if got := len(someRows(t, "")); got != 0 {
		t.Errorf("an empty line makes %d rows", got)
	}
	var count [10][256]int
	for i, r := range all {
		if len(r) != 100 || r[10:46] != fmt.Sprintf("  %032X  ", i) || !strings.HasSuffix(r, "\r\n") {
			t.Fatalf("row %d is %q", i, r)
		}
		for at := range 10 {
			count[at][r[at]]++
		}
	}
	for at := range count {
		for b, n := range count[at] {
			if printable := b >= ' ' && b <= '~'; printable && (n < 50 || n > 170) || !printable && n > 0 {
				t.Errorf("byte %#x stands %d times of 10000 at place %d of the keys, about 105 would be even", b, n, at)
			}
		}
	}
	// What was made once is made for ever.
	if want := "q+X^,Cd_Zu"; all[0][:10] != want {
		t.Errorf("the key of row 0 is %q, want %q", all[0][:10], want)
	}
	if got := mix(0); got != 0xe220a8397b1dcdaf { // the first number of SplitMix64 with seed 0
		t.Errorf("mix(0) is %#x", got)
	}
}

func TestTeragenRefuses(t *testing.T) {
	for _, bad := range []string{"1", "1 2 3", "a 1", "-1 5", "0 -1", "9223372036854775807 1"} {
		err := new(rows).Map(nil, []byte(bad), emitter(func(_, _ []byte) {}))
		if want := fmt.Sprintf("%q is not a range of rows; write the first row and their number, such as 0 1000000", bad); err == nil || err.Error() != want {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestTerasortPassesRecords(t *testing.T) {
	block := strings.Join(someRows(t, "7 3"), "")
	keys, values := emitted(t, "terasort", mapreduce.Input{}, []byte(block))
	var got string
	for i := range keys {
		if len(keys[i]) != 10 {
			t.Fatalf("key %q", keys[i])
		}
		got += string(keys[i]) + string(values[i])
	}
	if got != block {
		t.Error("records come out otherwise than they went in")
	}
}

// validate runs teravalidate on files that are read in blocks of so many records.
func validate(t *testing.T, records int, files ...string) string {
	t.Helper()
	var sums keyed
	for i, f := range files {
		for at := 0; at < len(f); at += 100 * records {
			in := mapreduce.Input{Path: fmt.Sprintf("part-%d", i), Start: int64(at)}
			keys, values := emitted(t, "teravalidate", in, []byte(f[at:min(at+100*records, len(f))]))
			sums.keys, sums.values = append(sums.keys, keys...), append(sums.values, values...)
		}
	}
	var out strings.Builder
	c := mapreduce.NewContext(t.Context(), 0, 0, func() {})
	err := joinSums{c}.Reduce(nil, &sums, emitter(func(k, v []byte) { fmt.Fprintf(&out, "%s\t%s\n", k, v) }))
	if err != nil {
		t.Fatal(err)
	}
	if n := c.Counters().Get("teravalidate", "misordered places"); n != int64(strings.Count(out.String(), "misordered\t")) {
		t.Errorf("%d misordered places are counted of\n%s", n, &out)
	}
	return out.String()
}

type keyed struct {
	keys, values [][]byte
	n            int
}

func (k *keyed) Next() bool    { k.n++; return k.n <= len(k.keys) }
func (k *keyed) Value() []byte { return k.values[k.n-1] }
func (k *keyed) Key() []byte   { return k.keys[k.n-1] }

func TestTeravalidate(t *testing.T) {
	all := someRows(t, "0 60")
	unsorted := validate(t, 7, strings.Join(all, ""))
	if !strings.HasPrefix(unsorted, "misordered\t") || !strings.Contains(unsorted, "records\t60\n") {
		t.Errorf("unsorted records: %s", unsorted)
	}
	slices.Sort(all)
	a, b := strings.Join(all[:30], ""), strings.Join(all[30:], "")
	sorted := validate(t, 7, a, b)
	if strings.Contains(sorted, "misordered") || !strings.HasSuffix(unsorted, sorted) {
		t.Errorf("sorted records: %s\nand unsorted ones: %s", sorted, unsorted)
	}
	if got := validate(t, 1000, a, b); got != sorted {
		t.Errorf("in large blocks: %s", got)
	}
	if got := validate(t, 1000, b, a); !strings.Contains(got, "where a block of part-1 begins") {
		t.Errorf("parts in the wrong order: %s", got)
	}
	swapped := bytes.Replace([]byte(a), []byte(all[3]+all[4]), []byte(all[4]+all[3]), 1)
	if got := validate(t, 1000, string(swapped), b); !strings.Contains(got, "at byte 400 of part-0") {
		t.Errorf("two records swapped: %s", got)
	}
	if got := validate(t, 7, strings.Replace(a, "AAAA", "AAAB", 1), b); strings.HasSuffix(got, sorted[strings.Index(sorted, "checksum"):]) {
		t.Error("a changed record has the same checksum")
	}
}
