package apps

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slackline/slackline/mapreduce"
)

// run runs an application on the lines of a text as one map and one reduce in memory. The combiner,
// if any, is run on every prefix of a key's values, as an engine might.
func run(name string, params map[string]string, text string) (string, error) {
	return runBy(name, params, lines(text), func(m mapreduce.Mapper, line string, emit mapreduce.Emitter) error {
		return m.Map(nil, []byte(line), emit)
	})
}

// runBlocks does the same with two blocks of many lines, if the application takes blocks.
func runBlocks(name string, params map[string]string, text string) (string, error) {
	blocks := []string{text}
	if i := strings.IndexByte(text[len(text)/2:], '\n'); i >= 0 {
		half := len(text)/2 + i + 1
		blocks = []string{text[:half], text[half:]}
	}
	return runBy(name, params, blocks, func(m mapreduce.Mapper, block string, emit mapreduce.Emitter) error {
		if b, ok := m.(mapreduce.BlockMapper); ok && block != "" {
			return b.MapBlock([]byte(block), 0, emit)
		}
		for _, line := range lines(block) {
			if err := m.Map(nil, []byte(line), emit); err != nil {
				return err
			}
		}
		return nil
	})
}

func runBy(name string, params map[string]string, pieces []string, feed func(m mapreduce.Mapper, piece string, emit mapreduce.Emitter) error) (string, error) {
	p, err := New(name, params)
	if err != nil {
		return "", err
	}
	c := mapreduce.NewContext(context.Background(), 0, 0, nil)
	mapper, err := p.NewMapper(c)
	if err != nil {
		return "", err
	}
	var reducer mapreduce.Reducer = mapreduce.Identity{}
	if p.NewReducer != nil {
		if reducer, err = p.NewReducer(c); err != nil {
			return "", err
		}
	}
	held := map[string]records{}
	emit := emitter(func(key, value []byte) { held[string(key)] = append(held[string(key)], value) })
	for _, piece := range pieces {
		if err := feed(mapper, piece, emit); err != nil {
			return "", err
		}
		if p.NewCombiner == nil {
			continue
		}
		combiner, err := p.NewCombiner(c)
		if err != nil {
			return "", err
		}
		all := held
		held = map[string]records{}
		for key, values := range all {
			if err := combiner.Reduce([]byte(key), &walk{rest: values}, emit); err != nil {
				return "", err
			}
		}
	}
	var out strings.Builder
	print := emitter(func(key, value []byte) {
		out.Write(key)
		if value != nil {
			out.WriteString("\t" + string(value))
		}
		out.WriteString("\n")
	})
	for _, key := range slices.Sorted(maps.Keys(held)) {
		if err := reducer.Reduce([]byte(key), &walk{rest: held[key]}, print); err != nil {
			return "", err
		}
	}
	return out.String(), nil
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

type records [][]byte

type emitter func(key, value []byte)

func (e emitter) Emit(key, value []byte) error {
	if value != nil {
		value = append([]byte{}, value...)
	}
	e(append([]byte{}, key...), value)
	return nil
}

type walk struct {
	rest records
	now  []byte
}

func (w *walk) Next() bool {
	if len(w.rest) == 0 {
		return false
	}
	w.now, w.rest = w.rest[0], w.rest[1:]
	return true
}

func (w *walk) Value() []byte { return w.now }

// counted prints how often each text occurs, as wordcount and grep do.
func counted(texts []string) string {
	n := map[string]int{}
	for _, t := range texts {
		n[t]++
	}
	var out strings.Builder
	for _, t := range slices.Sorted(maps.Keys(n)) {
		fmt.Fprintf(&out, "%s\t%d\n", t, n[t])
	}
	return out.String()
}

// The applications against what the standard library makes of the same text.
func TestAppsEqualOracle(t *testing.T) {
	asciiSpace := regexp.MustCompile(`[ \t\n\v\f\r]+`)
	alphabet := []rune("aabAÉ \t\v\f\r\n\n\u00a0é\x00")
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom(alphabet), 0, 100, -1).Draw(t, "text")
		var words, matches, texts, folded []string
		for _, w := range asciiSpace.Split(text, -1) {
			if w != "" {
				words = append(words, w)
			}
		}
		pattern := rapid.SampledFrom([]string{"a+b", "^$", "a*", "é$", "b", "A", "A|É"}).Draw(t, "pattern")
		for _, l := range lines(text) {
			if regexp.MustCompile(pattern).MatchString(l) {
				matches = append(matches, l)
			}
			if regexp.MustCompile("(?i)" + pattern).MatchString(l) {
				folded = append(folded, l)
			}
			for _, m := range regexp.MustCompile(pattern).FindAllString(l, -1) {
				if m != "" {
					texts = append(texts, m)
				}
			}
		}
		sorted := slices.Sorted(slices.Values(lines(text)))
		inOrder := ""
		for _, l := range sorted {
			inOrder += l + "\n"
		}
		for _, test := range []struct {
			app    string
			params map[string]string
			want   string
		}{
			{"wordcount", nil, counted(words)},
			{"grep", map[string]string{"pattern": pattern}, counted(matches)},
			{"grep", map[string]string{"pattern": pattern, "ignore_case": "true"}, counted(folded)},
			{"grep", map[string]string{"pattern": pattern, "only_matching": "true"}, counted(texts)},
			{"sort", nil, inOrder},
			{"loadgen", nil, inOrder},
			{"loadgen", map[string]string{"map_output": "0"}, ""},
		} {
			for how, run := range map[string]func(string, map[string]string, string) (string, error){"by line": run, "by block": runBlocks} {
				got, err := run(test.app, test.params, text)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Fatalf("%s %s with %v of %q (-want +got):\n%s", test.app, how, test.params, text, diff)
				}
			}
		}
	})
}

// Where loadgen is to write less than it reads, it writes no line twice: not even a short one behind
// a long one, which leaves much to write.
func TestLoadgenRepeatsNoLine(t *testing.T) {
	text := "a line that is rather long\nab\ncd\n"
	got, err := run("loadgen", map[string]string{"map_output": "0.5", "map_cpu": "1us", "reduce_cpu": "1us"}, text)
	if err != nil || got != "ab\ncd\n" {
		t.Errorf("it writes %q, %v", got, err)
	}
}

// Over many records loadgen's output has the ratio that was asked for, to less than one record each for map and reduce.
func TestLoadgenKeepsItsRatio(t *testing.T) {
	text := strings.Repeat("0123456\n", 1000)
	for _, test := range []struct{ mapOut, reduceOut string }{{"0.3", "1"}, {"1", "0.25"}, {"2.5", "0.5"}, {"0.1", "7"}} {
		got, err := run("loadgen", map[string]string{"map_output": test.mapOut, "reduce_output": test.reduceOut, "map_cpu": "1us", "reduce_cpu": "1us"}, text)
		if err != nil {
			t.Fatal(err)
		}
		var m, r float64
		fmt.Sscan(test.mapOut, &m)
		fmt.Sscan(test.reduceOut, &r)
		want := m * r * float64(len(text))
		if low, high := want-8*(r+1), want+8; float64(len(got)) < low || float64(len(got)) > high {
			t.Errorf("map_output %s, reduce_output %s: %d bytes of %d, want about %.0f", test.mapOut, test.reduceOut, len(got), len(text), want)
		}
		if strings.ReplaceAll(got, "0123456\n", "") != "" {
			t.Error("loadgen changed a line")
		}
	}
}

// A stopped attempt does not compute on, however much CPU time a record asks for.
func TestLoadgenStops(t *testing.T) {
	p, err := New("loadgen", map[string]string{"map_cpu": "10000d"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	beats := 0
	m, err := p.NewMapper(mapreduce.NewContext(ctx, 0, 0, func() {
		if beats++; beats == 3 {
			cancel()
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Map(nil, []byte("x"), emitter(func(_, _ []byte) {})); err != nil || beats != 3 {
		t.Errorf("it ends with %v after %d slices, want 3", err, beats)
	}
}

func TestMistakes(t *testing.T) {
	for _, test := range []struct {
		app    string
		params map[string]string
		want   string
	}{
		{"wordcont", nil, `there is no application "wordcont"; did you mean "wordcount"?`},
		{"WordCount", nil, `there is no application "WordCount"; did you mean "wordcount"?`},
		{"pi", nil, `there is no application "pi"; there are: grep, index, join, loadgen, sort, teragen, terasort, teravalidate, topk, wordcount`},
		{"", nil, `there is no application ""; there are: grep, index, join, loadgen, sort, teragen, terasort, teravalidate, topk, wordcount`},
		{"grep", nil, `application grep needs the parameter "pattern": regular expression in Go's syntax (RE2), found anywhere in the line`},
		{"grep", map[string]string{"patern": "x"}, `application grep has no parameter "patern"; did you mean "pattern"?`},
		{"grep", map[string]string{"pattern": "("}, "application grep, parameter \"pattern\": \"(\" is not a regular expression: missing closing ): `(`"},
		{"grep", map[string]string{"pattern": "x", "only_matching": "yes"}, `application grep, parameter "only_matching": "yes" is neither true nor false`},
		{"sort", map[string]string{"b": "x", "a": "x"}, `application sort has no parameter "a"`},
		{"loadgen", map[string]string{"cpu": "1ms"}, `application loadgen has no parameter "cpu"; did you mean "map_cpu"?`},
		{"loadgen", map[string]string{"map_cpu": "5"}, `application loadgen, parameter "map_cpu": "5" is not a span of time; write a number with a unit (ns, us, ms, s, m, h, d), such as 90s, 10m or 1h30m`},
		{"loadgen", map[string]string{"map_cpu": "-5s"}, `application loadgen, parameter "map_cpu": -5s is negative`},
		{"loadgen", map[string]string{"map_output": "-1"}, `application loadgen, parameter "map_output": -1 is negative`},
		{"loadgen", map[string]string{"map_output": "NaN"}, `application loadgen, parameter "map_output": "NaN" is not a number`},
	} {
		if _, err := New(test.app, test.params); err == nil || err.Error() != test.want {
			t.Errorf("%s %v says\n%v\nwant\n%s", test.app, test.params, err, test.want)
		}
	}
}

// The catalogue describes what is there: sorted, documented, defaults that parse.
func TestCatalogue(t *testing.T) {
	all := All()
	if !slices.IsSortedFunc(all, func(a, b App) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("the catalogue is not in order of name")
	}
	for _, a := range all {
		if a.Doc == "" || a.Output == "" || strings.Contains(a.Doc+a.Output, "\n") {
			t.Errorf("%s: doc and output are one line each", a.Name)
		}
		for _, p := range a.Params {
			if p.Doc == "" {
				t.Errorf("%s: parameter %s has no doc", a.Name, p.Name)
			}
			if _, err := p.Type.parse(p.Default); err != nil && !p.Required {
				t.Errorf("%s: default of %s: %v", a.Name, p.Name, err)
			}
		}
	}
}

// What is printed as JSON has a list of parameters for each application, though it may be empty.
func TestJSON(t *testing.T) {
	text, err := json.Marshal(All())
	if err != nil || bytes.Contains(text, []byte(`"params":null`)) {
		t.Errorf("%s, %v", text, err)
	}
}
