package journal

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"pgregory.net/rapid"
)

// bare takes numbers and sums off the lines of a journal, and seal puts them back: a forger's
// tools, which let a fuzzer get past the sums.
func bare(text []byte) []string {
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i, l := range lines {
		_, l, _ = strings.Cut(l, " ")
		lines[i] = l[:len(l)-len(" #00000000")]
	}
	return lines
}

func seal(lines []string) []byte {
	var out []byte
	for i, l := range lines {
		from := len(out)
		out = append(append(strconv.AppendInt(out, int64(i+1), 10), ' '), l...)
		out = appendSum(out, crc32.Checksum(out[from:], castagnoli))
	}
	return out
}

func TestSealIsWhatTheWriterWrites(t *testing.T) {
	if text := record(t, 1); !bytes.Equal(seal(bare(text)), text) {
		t.Fatal("a journal that is taken apart and put together again is another one")
	}
}

// What a policy or the ledger made, and what frames it, cannot be altered, added, lost or moved
// without its line being named. What the world said can: then another run was recorded, and it
// differs where that first mattered.
func TestForgedLinesAreNamed(t *testing.T) {
	whole := bare(record(t, 4))
	var made []int
	for i, l := range whole {
		if word, rest, _ := strings.Cut(l, " "); word == "plan" || word == "item" || word == "end" || strings.Contains(rest, " derived ") {
			made = append(made, i)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		lines := append([]string{}, whole...)
		at := rapid.SampledFrom(made).Draw(t, "line")
		named := []int{at + 1}
		how := rapid.SampledFrom([]string{"byte", "digit", "field", "lost", "twice"}).Draw(t, "how")
		switch how {
		case "byte":
			b := []byte(lines[at])
			b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] ^= byte(1 << rapid.IntRange(0, 6).Draw(t, "bit"))
			if bytes.IndexByte(b, '\n') >= 0 {
				t.Skip("it is two lines now")
			}
			lines[at] = string(b)
		case "digit":
			b := []byte(lines[at])
			var digits []int
			for i, c := range b {
				if c >= '0' && c <= '9' {
					digits = append(digits, i)
				}
			}
			if len(digits) == 0 {
				t.Skip("no digit")
			}
			i := rapid.SampledFrom(digits).Draw(t, "at")
			b[i] = '0' + (b[i]-'0'+byte(rapid.IntRange(1, 9).Draw(t, "by")))%10
			lines[at] = string(b)
		case "field":
			f := strings.Fields(lines[at])
			i := rapid.IntRange(0, len(f)-1).Draw(t, "at")
			lines[at] = strings.Join(append(f[:i], f[i+1:]...), " ")
		case "lost", "twice":
			if how == "lost" {
				lines = append(lines[:at], lines[at+1:]...)
			} else {
				lines = append(lines[:at+1], append([]string{lines[at]}, lines[at+1:]...)...)
			}
			if strings.HasPrefix(whole[at], "end") && how == "lost" {
				t.Skip("that is a run cut off")
			}
			if whole[at] == "plan items=0" && how == "lost" {
				t.Skip("an empty plan is none")
			}
		}
		if how == "lost" || how == "twice" || strings.HasPrefix(whole[at], "event ") {
			// The line that announced it, the one now in its place, or one between them.
			for i := at; i == at || !strings.HasPrefix(whole[i+1], "round "); i-- {
				named = append(named, i+1)
			}
			named = append(named, at+2)
		}
		_, err := again(seal(lines), plain{})
		var line *LineError
		if !errors.As(err, &line) {
			t.Fatalf("line %d, %q, became %q: %v", at+1, whole[at], lines[min(at, len(lines)-1)], err)
		}
		for _, n := range named {
			if line.Line == int64(n) {
				return
			}
		}
		t.Fatalf("line %d, %q, became %q: %v, want one of lines %d", at+1, whole[at], lines[min(at, len(lines)-1)], err, named)
	})
}

// A forger who adds or takes away an item and mends the count above it is found out too.
func TestForgedCounts(t *testing.T) {
	whole := bare(record(t, 5))
	for i, l := range whole {
		n, err := parseCount(strings.TrimPrefix(l, "plan "), "items")
		if err != nil || n == 0 {
			continue
		}
		end := i + 1 + int(n)
		count := func(n int64) string { return fmt.Sprint("plan items=", n) }
		for want, lines := range map[int][]string{
			end + 1: slices.Concat(whole[:i], []string{count(n + 1)}, whole[i+1:end], []string{"item wake-me id=99 at=99"}, whole[end:]),
			i + 1:   slices.Concat(whole[:i], []string{count(n - 1)}, whole[i+1:end-1], whole[end:]),
		} {
			_, err := again(seal(lines), plain{})
			var line *LineError
			if !errors.As(err, &line) || line.Line != int64(want) {
				t.Fatalf("line %d, %s: %v, want line %d", i+1, l, err, want)
			}
		}
	}
}

// A plan that is left out is missed, but for an empty one: a round in which nothing was wanted is
// one in which nobody was asked.
func TestPlansLeftOut(t *testing.T) {
	whole := bare(record(t, 5))
	empty := func(l string) bool { return l == "plan items=0" }
	if was, err := again(seal(whole), plain{}); err != nil || !slices.ContainsFunc(whole, empty) {
		t.Fatalf("%+v, %v; it must have empty plans", was, err)
	}
	whole = slices.DeleteFunc(whole, empty)
	if _, err := again(seal(whole), plain{}); err != nil {
		t.Errorf("without empty plans: %v", err)
	}
	for i, l := range whole {
		if n, err := parseCount(strings.TrimPrefix(l, "plan "), "items"); err == nil {
			_, err := again(seal(slices.Concat(whole[:i], whole[i+1+int(n):])), plain{})
			if want := fmt.Sprintf("line %d: a plan is missing here: the policy is now asked in this round, and was not when it was recorded", i+1); err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Fatalf("%s: %v, want %s", l, err, want)
			}
		}
	}
}

func TestForgedFrames(t *testing.T) {
	head := `journal {"version":3,"scenario":"s","world":{"bind":true},"policy":"p","seed":1}`
	for _, c := range []struct{ want, lines string }{
		{"line 2: found \"item\" where a round or the end was expected", "item admit"},
		{"line 2: round 2 follows round 0", "round 2 at=0 events=0"},
		{"line 2: the round is written as \"01 at=0 events=0\", it must be \"1 at=0 events=0\"", "round 01 at=0 events=0"},
		{"line 2: the round is \"9999999999999999999999\", it must be a whole number of 64 bits", "round 9999999999999999999999 at=0 events=0"},
		{"line 2: at is \"9999999999999999999999\", it must be a whole number of 64 bits", "round 1 at=9999999999999999999999 events=0"},
		{"line 2: a round, its time or the number of its events is negative", "round 1 at=-1 events=0"},
		{"line 2: there is no field \"evnts\" of a round", "round 1 at=0 evnts=0"},
		{"line 2: it announces 2 lines \"event\", line 4 after 1 of them is \"plan\"", "round 1 at=0 events=2\nevent tick\nplan items=0"},
		{"line 4: it says \"items=x\", it must be items= and a number", "round 1 at=0 events=1\nevent tick\nplan items=x"},
		{"line 4: it repeats 2 pieces of advice, only 0 stand", "round 1 at=0 events=1\nevent tick\nplan items=0 repeated=2"},
		{"line 4: it says \"repeated=0\", which is left out", "round 1 at=0 events=1\nevent tick\nplan items=0 repeated=0"},
		{"line 4: it says \"again=1\", it must be repeated= and a number", "round 1 at=0 events=1\nevent tick\nplan items=0 again=1"},
		{"line 5: time 1 follows time 2, but must not run backwards", "round 1 at=2 events=1\nevent tick\nplan items=0\nround 2 at=1 events=0"},
		{"line 3: the journal has 1 rounds, but its end says 2", "round 1 at=0 events=0\nend rounds=2"},
		{"line 4: a plan was recorded, but nothing in the round asks for one", "round 1 at=0 events=1\nevent discrepancy\nplan items=1\nitem wake-me id=1 at=9\nend rounds=1"},
		{"line 3: there is no line \"evnt\"; there are: journal, round, event, plan, item, end", "round 1 at=0 events=1\nevnt tick"},
		{"line 3: the run no longer has the event: tick derived", "round 1 at=0 events=1\nevent tick derived\nend rounds=1"},
		{"line 3: handle 2147483647 comes after 0 events, handles must be dense", "round 1 at=0 events=1\nevent heartbeat node=2147483647\nend rounds=1"},
		{"line 3: a handle is negative, it must be 0 or more", "round 1 at=0 events=1\nevent heartbeat node=-1\nend rounds=1"},
		{"line 3: node \"n\": it has no class", "round 1 at=0 events=1\nevent node-up node=1 detail={\"node\":{\"name\":\"n\",\"rack\":1,\"class\":null}}\nend rounds=1"},
		{"line 3: job \"j\": ", "round 1 at=0 events=1\nevent job-arrived job=1 detail={\"job\":{\"id\":\"j\",\"class\":\"\",\"arrive\":0,\"soft\":0,\"deadline\":0,\"weight\":0,\"stages\":null,\"slow_start\":0}}\nend rounds=1"},
	} {
		_, err := again(seal(strings.Split(head+"\n"+c.lines, "\n")), plain{})
		var line *LineError
		if !errors.As(err, &line) || !strings.HasPrefix(line.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.lines, err, c.want)
		}
	}
	for header, want := range map[string]string{
		`{"version":1}`: "line 1: the journal has format 1, this build reads format 3; slackline before 0.1.0 (revision 93031db) reads it",
		`{"version":4}`: "line 1: the journal has format 4, this build reads format 3; a newer build reads it",
		`{"version"`:    "line 1: what the journal is of cannot be read: ",
	} {
		if _, err := again(seal([]string{"journal " + header}), plain{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", header, err, want)
		}
	}
}

// FuzzReplay: no lines crash it, not even those of a forger, under any order.
func FuzzReplay(f *testing.F) {
	policies := []string{"fifo+greedy", "edf+greedy", "fair+greedy", "capacity+greedy"}
	for i := range policies {
		lines := bare(record(f, uint64(i)))
		f.Add(uint8(i), strings.Join(lines[:min(60, len(lines))], "\n"))
	}
	f.Add(uint8(9), "journal {}")
	for i := range policies {
		lines := bare(recordLate(f, uint64(i), i%2 > 0))
		f.Add(uint8(i), strings.Join(lines[:min(60, len(lines))], "\n"))
	}
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		var p sched.Policy = plain{}
		if int(which) < len(policies) {
			var err error
			if p, err = catalog.New(policies[which], queues.Config{}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := again(seal(strings.Split(text, "\n")), p); err != nil && err.Error() == "" {
			t.Fatal("an error without words")
		}
	})
}

// FuzzReader: no bytes crash it, and what it takes for whole lines are those that were sealed.
func FuzzReader(f *testing.F) {
	f.Add(record(f, 1)[:3000])
	f.Add([]byte("1 journal {} #00000000\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := NewReader(bytes.NewReader(text))
		for err == nil {
			var l Line
			if l, err = r.Next(); err == nil && !bytes.Contains(text, []byte(fmt.Sprintf("%d %s", l.Number, l.Word))) {
				t.Fatalf("it read %+v", l)
			}
		}
		if err.Error() == "" {
			t.Fatal("an error without words")
		}
	})
}
