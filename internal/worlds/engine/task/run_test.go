package task

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

type record struct{ Key, Value []byte }

func readRun(r *run) ([]record, error) {
	var all []record
	for {
		ok, err := r.next()
		if err != nil || !ok {
			return all, err
		}
		all = append(all, record{append([]byte{}, r.key...), append(r.val[:0:0], r.val...)})
	}
}

// What is written comes back, from file and from memory, with records longer than any buffer among them.
func TestRunRoundTrip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.IntRange(1, 4).Draw(t, "parts")
		field := rapid.OneOf(
			rapid.SliceOfN(rapid.Byte(), 0, 20),
			rapid.Map(rapid.IntRange(0, 3*bufferSize), func(n int) []byte { return bytes.Repeat([]byte{'x'}, n) }),
		)
		want := make([][]record, parts)
		w, err := createRun(filepath.Join(dir, "run"), parts)
		if err != nil {
			t.Fatal(err)
		}
		for p := range parts {
			n := rapid.IntRange(0, 5).Draw(t, "records")
			for range n {
				r := record{field.Draw(t, "key"), field.Draw(t, "value")}
				if rapid.Bool().Draw(t, "nil") {
					r.Value = nil
				}
				want[p] = append(want[p], r)
				if err := w.add(p, r.Key, r.Value); err != nil {
					t.Fatal(err)
				}
			}
		}
		out, _, err := w.finish()
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(out.Path)
		if err != nil {
			t.Fatal(err)
		}
		if int(out.Size()) != len(b) {
			t.Fatalf("segments say %d bytes, the file has %d", out.Size(), len(b))
		}
		for p, seg := range out.Segments {
			disk, err := readRun(openRun(bytes.NewReader(b), seg))
			if err != nil {
				t.Fatal(err)
			}
			memory, err := readRun(memoryRun(b[seg.Offset : seg.Offset+seg.Length]))
			if err != nil {
				t.Fatal(err)
			}
			if int(seg.Records) != len(want[p]) {
				t.Fatalf("segment %d says %d records, want %d", p, seg.Records, len(want[p]))
			}
			for _, got := range [][]record{disk, memory} {
				if !equal(want[p], got) {
					t.Fatalf("part %d (-want +got):\n%s", p, cmp.Diff(want[p], got))
				}
			}
		}
	})
}

// equal tells nil from empty, as the shuffle has to.
func equal(a, b []record) bool {
	return slices.EqualFunc(a, b, func(x, y record) bool {
		return bytes.Equal(x.Key, y.Key) && bytes.Equal(x.Value, y.Value) && (x.Value == nil) == (y.Value == nil)
	})
}

// A flipped bit anywhere is noticed.
func TestRunChecksum(t *testing.T) {
	w, err := createRun(filepath.Join(t.TempDir(), "run"), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"a", "bb", "ccc"} {
		if err := w.add(0, []byte(k), []byte("value")); err != nil {
			t.Fatal(err)
		}
	}
	out, _, err := w.finish()
	if err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(out.Path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 * len(good) {
		bad := slices.Clone(good)
		bad[i/8] ^= 1 << (i % 8)
		if _, err := readRun(openRun(bytes.NewReader(bad), out.Segments[0])); !errors.Is(err, errSum) && !errors.Is(err, errTorn) {
			t.Fatalf("bit %d flipped: %v", i, err)
		}
	}
	if _, err := readRun(openRun(bytes.NewReader(good[:len(good)-1]), out.Segments[0])); err == nil {
		t.Error("a file that ends too early is read without an error")
	}
}

// FuzzRun: bytes that are no segment give an error, never a panic, and what is read without one has
// the length of the bytes.
func FuzzRun(f *testing.F) {
	f.Add([]byte{})
	f.Add(appendRecord(appendRecord(nil, []byte("key"), []byte("value")), []byte("key"), nil))
	f.Add([]byte{1, 0})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		records, err := readRun(memoryRun(b))
		if err != nil {
			return
		}
		var again []byte
		for _, r := range records {
			again = appendRecord(again, r.Key, r.Value)
		}
		if len(again) > len(b) {
			t.Errorf("%d bytes gave records of %d", len(b), len(again))
		}
	})
}

// A merge is a stable sort of the runs one behind the other.
func TestMergeIsAStableSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var runs []*run
		var want []record
		n := rapid.IntRange(0, 6).Draw(t, "runs")
		for i := range n {
			keys := rapid.SliceOf(rapid.StringOfN(rapid.SampledFrom([]rune("a\x00ÿ")), 0, 10, -1)).Draw(t, "keys")
			slices.Sort(keys)
			var b []byte
			for _, k := range keys {
				r := record{[]byte(k), []byte{byte(i)}}
				want = append(want, r)
				b = appendRecord(b, r.Key, r.Value)
			}
			runs = append(runs, memoryRun(b))
		}
		slices.SortStableFunc(want, func(a, b record) int { return bytes.Compare(a.Key, b.Key) })
		m, err := newMerger(runs)
		if err != nil {
			t.Fatal(err)
		}
		var got []record
		for {
			ok, err := m.next()
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			got = append(got, record{append([]byte{}, m.top().key...), append([]byte{}, m.top().val...)})
		}
		if !equal(want, got) {
			t.Fatalf("merged (-want +got):\n%s", cmp.Diff(want, got))
		}
	})
}
