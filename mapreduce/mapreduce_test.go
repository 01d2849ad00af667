package mapreduce

import (
	"context"
	"testing"

	"pgregory.net/rapid"
)

// The default partitioner decides which part a key's output stands in, so its values are part of
// the promise "the same bytes".
func TestHashIsFixed(t *testing.T) {
	// The published test vectors of xxHash64 with seed 0.
	for key, hash := range map[string]uint64{"": 0xef46db3751d8e999, "a": 0xd24ec4f1a98c6e5b, "abc": 0x44bc2cf5ad770999} {
		if got, want := Hash([]byte(key), 1000), int(hash%1000); got != want {
			t.Errorf("Hash(%q, 1000) = %d, want %d", key, got, want)
		}
	}
}

func TestHashStaysInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SliceOf(rapid.Byte()).Draw(t, "key")
		parts := rapid.IntRange(1, 1000).Draw(t, "parts")
		if p := Hash(key, parts); p < 0 || p >= parts || p != Hash(key, parts) {
			t.Fatalf("Hash(%q, %d) = %d", key, parts, p)
		}
	})
}

func TestOffsetRoundTrip(t *testing.T) {
	var buf [8]byte
	for _, at := range []int64{0, 1, 1 << 40} {
		if got := Offset(OffsetKey(&buf, at)); got != at {
			t.Errorf("Offset of the key of %d is %d", at, got)
		}
	}
	if got := Offset([]byte("short")); got != -1 {
		t.Errorf("Offset of a key that is none is %d, want -1", got)
	}
}

func TestCountersMergeAndPrintInOrder(t *testing.T) {
	a, b := NewCounters(), NewCounters()
	a.Counter("g", "x").Add(2)
	b.Counter("g", "x").Add(3)
	b.Counter("f", "y").Add(1)
	a.Merge(b)
	if got, want := a.String(), "f.y=1\ng.x=5\n"; got != want {
		t.Errorf("counters print as %q, want %q", got, want)
	}
	if got := a.Get("none", "at all"); got != 0 {
		t.Errorf("an unknown counter is %d, want 0", got)
	}
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	beats := 0
	c := NewContext(ctx, 3, 1, func() { beats++ })
	c.Progress()
	c.Counter("g", "n").Add(1)
	if c.Task() != 3 || c.Attempt() != 1 || beats != 1 || c.Counters().Get("g", "n") != 1 || c.Stopped() {
		t.Errorf("context of attempt 1 of task 3: task %d, attempt %d, %d beats, %v", c.Task(), c.Attempt(), beats, c.Counters())
	}
	cancel()
	<-c.Done()
	if !c.Stopped() {
		t.Error("a cancelled context says that it goes on")
	}
	NewContext(t.Context(), 0, 0, nil).Progress()
}
