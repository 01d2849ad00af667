package referee_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/referee"
)

// An alteration makes a journal wrong in one place. It returns nil where it finds none, and the
// line from which the referee may notice.
type alteration struct {
	name   string
	policy string
	alter  func(r *rand.Rand, lines []string) (altered []string, at int)
}

// some returns the index of one of the lines that match, -1 if none does.
func some(r *rand.Rand, lines []string, pattern string) int {
	re := regexp.MustCompile(pattern)
	var found []int
	for i, l := range lines {
		if re.MatchString(l) {
			found = append(found, i)
		}
	}
	if len(found) == 0 {
		return -1
	}
	return found[r.IntN(len(found))]
}

// replace alters one line that matches.
func replace(pattern, with string) func(*rand.Rand, []string) ([]string, int) {
	re := regexp.MustCompile(pattern)
	return func(r *rand.Rand, lines []string) ([]string, int) {
		i := some(r, lines, pattern)
		if i < 0 {
			return nil, 0
		}
		altered := slices.Clone(lines)
		altered[i] = re.ReplaceAllString(lines[i], with)
		return altered, i + 1
	}
}

// one adds one to the number in a line that matches.
func one(pattern string) func(*rand.Rand, []string) ([]string, int) {
	re := regexp.MustCompile(pattern)
	return func(r *rand.Rand, lines []string) ([]string, int) {
		i := some(r, lines, pattern)
		if i < 0 {
			return nil, 0
		}
		at := re.FindStringSubmatchIndex(lines[i])
		var n int64
		fmt.Sscan(lines[i][at[2]:at[3]], &n)
		altered := slices.Clone(lines)
		altered[i] = fmt.Sprintf("%s%d%s", lines[i][:at[2]], n+1, lines[i][at[3]:])
		return altered, i + 1
	}
}

// missing leaves out a line that matches.
func missing(pattern string) func(*rand.Rand, []string) ([]string, int) {
	return func(r *rand.Rand, lines []string) ([]string, int) {
		i := some(r, lines, pattern)
		if i < 0 {
			return nil, 0
		}
		from, _ := round(lines, i)
		return slices.Delete(slices.Clone(lines), i, i+1), from + 1
	}
}

// Policies of which little is seen where they are asked for less.
const (
	starving = "fair(pool=user)+preempt(fair_timeout=4s,interval=1s)"
	slow     = "fifo+speculate(lag=2s,gap=10,interval=1s)"
	sleepy   = "fifo+sleep(idle=4s)"
)

// word finds the value of a field.
func word(l, key string) string {
	if m := regexp.MustCompile(` ` + key + `=([^ ]+)`).FindStringSubmatch(l); m != nil {
		return m[1]
	}
	return ""
}

// round returns where the round of a line begins and the next one does.
func round(lines []string, i int) (from, to int) {
	begins := func(i int) bool {
		_, after, _ := strings.Cut(lines[i], " ")
		return strings.HasPrefix(after, "round ") || strings.HasPrefix(after, "end ")
	}
	for from = i; !begins(from); from-- {
	}
	for to = i + 1; to < len(lines)-1 && !begins(to); to++ {
	}
	return from, to
}

// without leaves an item out, and all that tells of its attempt.
func without(lines []string, item int) []string {
	id := word(lines[item], "id")
	var out []string
	attempt, gone := "", false
	for i, l := range lines {
		switch {
		case i == item:
			continue
		case strings.Contains(l, " event started ") && word(l, "item") == id:
			attempt = word(l, "attempt")
			continue
		case attempt != "" && !gone && strings.Contains(l, " event ended ") && word(l, "attempt") == attempt:
			gone = true
			continue
		}
		out = append(out, l)
	}
	return out
}

var alterations = []alteration{
	{"two starts of a plan are swapped", "fifo", func(r *rand.Rand, lines []string) ([]string, int) {
		var at []int
		says := func(line string) string { return regexp.MustCompile(`^\d+ | id=\d+| #.*`).ReplaceAllString(line, "") }
		for i := range lines[1:] { // two that say the same, as one that only watches does, are no others when swapped
			if strings.Contains(lines[i], " item start ") && strings.Contains(lines[i+1], " item start ") && says(lines[i]) != says(lines[i+1]) {
				at = append(at, i)
			}
		}
		if at == nil {
			return nil, 0
		}
		i := at[r.IntN(len(at))]
		altered := slices.Clone(lines)
		altered[i], altered[i+1] = altered[i+1], altered[i]
		return altered, i + 1
	}},
	{"a later job goes first", "edf-p", func(r *rand.Rand, lines []string) ([]string, int) {
		return later(r, lines, "map")
	}},
	{"another task of the job, no nearer, goes first", "fair", replace(`^(\d+ item start .*stage=map .*)tasks=\d+:`, "${1}tasks=1:")},
	{"a local task is told to be remote", "fifo", replace(`:node #`, ":remote #")},
	{"a start is left out that was possible", "fifo", func(r *rand.Rand, lines []string) ([]string, int) {
		i := some(r, lines, `^\d+ item start `)
		if i < 0 {
			return nil, 0
		}
		from, _ := round(lines, i)
		return without(lines, i), from + 1
	}},
	{"a node that has room for what waits does not beat", "edf-p", func(r *rand.Rand, lines []string) ([]string, int) {
		i := some(r, lines, `^\d+ event heartbeat `)
		if i < 0 {
			return nil, 0
		}
		from, to := round(lines, i)
		if strings.Contains(lines[0], `"heartbeat":0`) || !strings.Contains(lines[from], "events=1 ") {
			return nil, 0
		}
		out := slices.Clone(lines)
		for j := to - 1; j > from; j-- {
			if strings.Contains(out[j], " item start ") {
				out = without(out, j)
			}
		}
		return slices.Delete(out, from, from+3), 0
	}},
	{"a node is served before its beat", "fifo", func(r *rand.Rand, lines []string) ([]string, int) {
		i := some(r, lines, `^\d+ event heartbeat `)
		if i < 0 || strings.Contains(lines[0], `"heartbeat":0`) {
			return nil, 0
		}
		from, _ := round(lines, i)
		if !strings.Contains(lines[from], "events=1 ") || word(lines[from], "at") == "0" {
			return nil, 0
		}
		altered := slices.Clone(lines)
		var at int64
		fmt.Sscan(word(lines[from], "at"), &at)
		altered[from] = strings.Replace(altered[from], fmt.Sprintf("at=%d ", at), fmt.Sprintf("at=%d ", at-1), 1)
		return altered, from + 2
	}},
	{"an attempt ends late", "fifo", func(r *rand.Rand, lines []string) ([]string, int) {
		i := some(r, lines, `^\d+ event ended .*outcome=committed read=`)
		if i < 0 {
			return nil, 0
		}
		from, _ := round(lines, i)
		altered := slices.Clone(lines)
		var at int64
		fmt.Sscan(word(lines[from], "at"), &at)
		altered[from] = strings.Replace(altered[from], fmt.Sprintf("at=%d ", at), fmt.Sprintf("at=%d ", at+2), 1)
		return altered, from + 2
	}},
	{"a job is let in that a bound keeps out", "edf-n", replace(`item hold (.*) reason=over-limit:1,1`, "item admit $1 reason=slot-of-order:0,1")},
	{"a job waits that may run", "edf-n", replace(`item admit (.*) reason=slot-of-order:0,1`, "item hold $1 reason=over-limit:1,1")},
	{"a verdict is not given", "edf-p", missing(`^\d+ item admit `)},
	{"a job is let in that would be late", "rtmr", replace(`item reject id=(\d+) job=(\d+) .*reason=deadline:`, "item admit id=$1 job=$2 reason=promised:")},
	{"a job is refused that would be in time", "rtmr", replace(`item admit id=(\d+) job=(\d+) .*reason=promised:`, "item reject id=$1 job=$2 reason=deadline:")},
	{"a job is let in for which slots are taken", "dc", replace(`item reject id=(\d+) job=(\d+) reason=(map|reduce)-slots-taken:.*`, "item admit id=$1 job=$2 reason=promised")},
	{"a promised finish is a nanosecond off", "rtmr", one(`by=(\d+) reason=promised`)},
	{"an offered deadline is a nanosecond off", "rtmr", one(`item reject .* by=(\d+)`)},
	{"a minimum of map slots is one too high", "dc", one(`item set-slots .*count=(\d+)`)},
	{"a slot that falls due is not taken back", "rtmr", missing(`^\d+ item kill `)},
	{"reduces of a promised job are not held back", "rtmr", missing(`^\d+ item withhold `)},
	{"a pool that starves gets nothing", starving, missing(`^\d+ item kill .*reason=fair-share`)},
	{"another task than the youngest dies", starving, one(`item kill .*attempts=(\d+)`)},
	{"a pool starves for longer than it does", starving, one(`item kill .*reason=fair-share:\d+,\d+,(\d+)`)},
	{"a slow task gets no second attempt", slow, missing(`^\d+ item speculate `)},
	{"a second attempt goes to another node", slow, one(`item speculate .*node=(\d+)`)},
	{"a task that is not slow gets a second attempt", slow, one(`item speculate .* task=(\d+)`)},
	{"a node is not put to sleep", sleepy, missing(`^\d+ item sleep `)},
	{"another node is woken", sleepy, one(`item wake .*node=(\d+)`)},
	{"a node sleeps that has just run something", sleepy, one(`item sleep .*reason=node-idle:(\d+)`)},
	{"a slot that promises leave is not lent", "rtmr", missing(`^\d+ item start .*reason=left-over`)},
	{"a task of a job starts that was cancelled", "capacity", func(r *rand.Rand, lines []string) ([]string, int) {
		i := some(r, lines, `^\d+ item start `)
		if i < 0 {
			return nil, 0
		}
		from, _ := round(lines, i)
		return slices.Insert(slices.Clone(lines), from+1, fmt.Sprintf("%d event job-cancelled job=%s", from+2, word(lines[i], "job"))), from + 1
	}},
	{"an amended job is not judged again", "rtmr", func(r *rand.Rand, lines []string) ([]string, int) {
		return judgedAgain(r, lines, func(lines []string, _, verdict int) []string { return slices.Delete(lines, verdict, verdict+1) })
	}},
	{"an amended job is judged by another deadline", "rtmr", func(r *rand.Rand, lines []string) ([]string, int) {
		return judgedAgain(r, lines, func(lines []string, amended, _ int) []string {
			lines[amended] = regexp.MustCompile(`"deadline":(\d)`).ReplaceAllString(lines[amended], `"deadline":1$1`)
			return lines
		})
	}},
	{"the policy is not asked", "fifo", func(r *rand.Rand, lines []string) ([]string, int) {
		i := some(r, lines, `^\d+ plan items=[1-9]`)
		if i < 0 {
			return nil, 0
		}
		from, to := round(lines, i)
		return slices.Delete(slices.Clone(lines), i, to), from + 1
	}},
}

// judgedAgain alters a round in which a job is amended and judged.
func judgedAgain(r *rand.Rand, lines []string, alter func(lines []string, amended, verdict int) []string) ([]string, int) {
	var found [][2]int
	for i, l := range lines {
		if !strings.Contains(l, " event job-amended ") || !strings.Contains(l, `"deadline":`) {
			continue
		}
		_, to := round(lines, i)
		for k := i; k < to; k++ {
			if strings.Contains(lines[k], " item admit ") && strings.Contains(lines[k], " reason=promised:") && word(lines[k], "job") == word(l, "job") {
				found = append(found, [2]int{i, k})
			}
		}
	}
	if found == nil {
		return nil, 0
	}
	at := found[r.IntN(len(found))]
	return alter(slices.Clone(lines), at[0], at[1]), at[0]
}

// later gives the task of a start to a job that came later and has one like it.
func later(r *rand.Rand, lines []string, stage string) ([]string, int) {
	i := some(r, lines, `^\d+ item start .*stage=`+stage)
	if i < 0 {
		return nil, 0
	}
	var n int
	fmt.Sscan(word(lines[i], "job"), &n)
	altered := slices.Clone(lines)
	for _, l := range lines[:i] {
		var other int
		fmt.Sscan(word(l, "job"), &other)
		if strings.Contains(l, " event job-arrived ") && other > n && strings.Contains(l, `"kind":"map"`) {
			altered[i] = strings.Replace(altered[i], fmt.Sprintf("job=%d ", n), fmt.Sprintf("job=%d ", other), 1)
			altered[i] = regexp.MustCompile(`tasks=\d+:`).ReplaceAllString(altered[i], "tasks=1:")
			return altered, i + 1
		}
	}
	return nil, 0
}

// TestAltered is the negative control: each journal is right until one thing in it is altered, and
// the referee has to notice each.
func TestAltered(t *testing.T) {
	if !testing.Short() && !fuller() {
		t.Skip("in the gate")
	}
	for _, a := range slices.Concat(alterations, statements, horizons) {
		t.Run(a.name, func(t *testing.T) {
			tried := 0
			for s := uint64(1); s <= 400 && tried < 6; s++ {
				_, text := record(t, a.policy, s)
				r := rand.New(rand.NewPCG(s, 2))
				altered, at := a.alter(r, strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"))
				if altered == nil || strings.Join(altered, "\n")+"\n" == string(text) {
					continue
				}
				tried++
				rep, err := referee.Judge([]byte(strings.Join(altered, "\n")+"\n"), referee.Options{Plain: true})
				if err != nil {
					continue // such a journal cannot even be read
				}
				if rep.Count == 0 {
					t.Errorf("seed %d: it was not noticed near line %d", s, at)
				} else if d, near := rep.Differences[0], at+40; at != 0 {
					if _, end := round(altered, at); end > near {
						near = end // a resync is long
					}
					if d.Line >= at && d.Line <= near {
						continue
					}
					t.Errorf("seed %d: altered in line %d, noticed in line %d: %s", s, at, d.Line, d)
				}
			}
			if tried < 5 {
				t.Errorf("only %d journals could be altered so", tried)
			}
		})
	}
}

// TestSetDeadline adds deadlines to a plan that no rule wants. The item itself is one difference.
// Its job's own deadline changes nothing else, and an earlier one brings others, as jobs go first
// that did not.
func TestSetDeadline(t *testing.T) {
	earlier := 0
	for s := uint64(1); s <= 60; s++ {
		_, text := record(t, "edf-p", s)
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		last := ""
		for _, l := range lines {
			if strings.Contains(l, " event job-arrived ") {
				last = l
			}
			if strings.Contains(l, " event job-amended ") {
				last = ""
				break
			}
		}
		own := regexp.MustCompile(`"deadline":(\d+)`).FindStringSubmatch(last)
		if own == nil {
			continue
		}
		job := word(last, "job")
		at := slices.Index(lines, last)
		at += slices.IndexFunc(lines[at:], func(l string) bool { return strings.Contains(l, " item admit ") && word(l, "job") == job })
		for _, deadline := range []string{own[1], "1"} {
			item := fmt.Sprintf("%d item set-deadline job=%s at=%s", at+2, job, deadline)
			_, to := round(lines, at)
			rep, err := referee.Judge([]byte(strings.Join(slices.Insert(slices.Clone(lines), to, item), "\n")+"\n"), referee.Options{Plain: true})
			switch {
			case err != nil || rep.Count == 0 || !strings.Contains(rep.Differences[0].Have, "set-deadline"):
				t.Fatalf("seed %d: the item was not noticed: %v %v", s, rep, err)
			case deadline != "1" && rep.Count != 1:
				t.Errorf("seed %d: its own deadline changes something: %v", s, rep.Differences)
			case deadline == "1" && rep.Count > 1:
				earlier++
			}
		}
	}
	if earlier < 5 {
		t.Errorf("an earlier deadline changed something in %d games only", earlier)
	}
}

// TestWrongRule judges journals by the rule of another policy.
func TestWrongRule(t *testing.T) {
	for _, c := range []struct{ played, judged string }{
		{"fifo", "fair"}, {"edf-p", "fifo"}, {"edf-n", "edf-p"}, {"fair", "fifo"}, {"capacity", "fair"}, {"capacity", "capacity(elastic=false)"},
		{"fifo+matchmaking", "fifo"}, {"fifo+matchmaking", "edf-p+matchmaking"}, {"fifo+delay", "fifo+matchmaking"}, {"fifo+delay(D=4.5s)", "fifo+delay(D=4s)"},
		{"fifo", "fifo+greedy(nonlocal=2)"}, {"fifo", "fifo+greedy(reduces=2)"}, {"fair", "fair(jobs=fifo)"},
		{"rtmr", "rtmr(feedback=false)"}, {"dc", "dc(cost=worst)"}, {"rtmr(skew=200)", "rtmr"},
		{starving, "fair(pool=user)"}, {starving, "fair(pool=user)+preempt(fair_timeout=4s,interval=2s)"},
		{slow, "fifo"}, {slow, "fifo+speculate(lag=2s,gap=12,interval=1s)"}, {sleepy, "fifo"}, {sleepy, "fifo+sleep(idle=4500ms)"},
	} {
		caught, tried := 0, 0
		for ; tried < 200 && caught < 3; tried++ {
			_, text := record(t, c.played, uint64(tried+1))
			from, to := fmt.Sprintf("%q:%q", "policy", header(t, text)), fmt.Sprintf("%q:%q", "policy", c.judged)
			rep, err := referee.Judge([]byte(strings.Replace(string(text), from, to, 1)), referee.Options{Plain: true})
			if err != nil {
				t.Fatal(err)
			}
			if rep.Count > 0 {
				caught++
			}
		}
		t.Logf("%s judged as %s: caught in %d of %d", c.played, c.judged, caught, tried)
		if caught < 3 {
			t.Errorf("%s passes for %s", c.played, c.judged)
		}
	}
}

// header returns the policy that a journal names.
func header(t *testing.T, text []byte) string {
	m := regexp.MustCompile(`"policy":"([^"]+)"`).FindSubmatch(text)
	if m == nil {
		t.Fatal("the header names no policy")
	}
	return string(m[1])
}
