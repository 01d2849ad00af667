package apps

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slackline/slackline/mapreduce"
)

// streamed runs an application over files, by streams as Hadoop does: one map for each file, one reduce.
func streamed(t rapid.TB, name string, params map[string]string, files map[string]string) string {
	p, err := New(name, params)
	if err != nil {
		t.Fatalf("%v", err)
	}
	var lines []string
	for _, path := range slices.Sorted(maps.Keys(files)) {
		var out strings.Builder
		input, _, _ := strings.Cut(path, "/") // the name of the input stands in front
		env := map[string]string{"mapreduce_map_input_file": path, "slackline_input_name": input}
		if input == path {
			env["slackline_input_name"] = ""
		}
		err := p.Stream(context.Background(), mapreduce.MapRole, mapreduce.Streams{In: strings.NewReader(files[path]), Out: &out, Env: func(n string) string { return env[n] }})
		if err != nil {
			t.Fatalf("map of %s: %v", path, err)
		}
		lines = slices.AppendSeq(lines, strings.Lines(out.String()))
	}
	slices.SortStableFunc(lines, func(a, b string) int {
		a, _, _ = strings.Cut(strings.TrimSuffix(a, "\n"), "\t")
		b, _, _ = strings.Cut(strings.TrimSuffix(b, "\n"), "\t")
		return strings.Compare(a, b)
	})
	var out strings.Builder
	if err := p.Stream(context.Background(), mapreduce.ReduceRole, mapreduce.Streams{In: strings.NewReader(strings.Join(lines, "")), Out: &out}); err != nil {
		t.Fatalf("reduce: %v", err)
	}
	return out.String()
}

func TestIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[ab]{1,2}`)
		files := map[string]string{}
		want := map[string]map[string]int{}
		for i := range rapid.IntRange(0, 4).Draw(t, "files") {
			path := fmt.Sprintf("f%d:x", i)
			for range rapid.IntRange(0, 4).Draw(t, "lines") {
				words := rapid.SliceOf(word).Draw(t, "words")
				files[path] += strings.Join(words, " ") + "\n"
				for _, w := range words {
					if want[w] == nil {
						want[w] = map[string]int{}
					}
					want[w][path]++
				}
			}
		}
		var all strings.Builder
		for _, w := range slices.Sorted(maps.Keys(want)) {
			all.WriteString(w)
			for _, path := range slices.Sorted(maps.Keys(want[w])) {
				fmt.Fprintf(&all, "\t%s:%d", path, want[w][path])
			}
			all.WriteString("\n")
		}
		if got := streamed(t, "index", nil, files); got != all.String() {
			t.Fatalf("%q, want %q", got, all.String())
		}
	})
}

// Names of files do not reach a terminal raw.
func TestIndexQuotesNames(t *testing.T) {
	for path, want := range map[string]string{"a b é": "a b é", "a\x1b[31mred": `"a\x1b[31mred"`, "bell\a": `"bell\a"`, "del\x7f": `"del\x7f"`, "tab\t": `"tab\t"`,
		"\xff": `"\xff"`, "c1\u009b31m": `"c1\u009b31m"`, `"a"`: `"\"a\""`} {
		if got := streamed(t, "index", nil, map[string]string{path: "x\n"}); got != "x\t"+want+":1\n" {
			t.Errorf("%q: %q", path, got)
		}
	}
}

func TestTopByCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.StringMatching(`[abc]{0,2}`)).Draw(t, "lines")
		k := rapid.IntRange(1, 8).Draw(t, "k")
		smallest := rapid.Bool().Draw(t, "smallest")
		n := map[string]int{}
		for _, l := range lines {
			n[l]++
		}
		items := slices.SortedFunc(maps.Keys(n), func(a, b string) int {
			by := cmp.Compare(n[b], n[a])
			if smallest {
				by = -by
			}
			return cmp.Or(by, cmp.Compare(a, b))
		})
		var want strings.Builder
		for _, item := range items[:min(k, len(items))] {
			fmt.Fprintf(&want, "%s\t%d\n", item, n[item])
		}
		params := map[string]string{"k": strconv.Itoa(k), "smallest": strconv.FormatBool(smallest)}
		files := map[string]string{"a": "", "b": ""}
		for i, l := range lines {
			files[string("ab"[i%2])] += l + "\n"
		}
		if got := streamed(t, "topk", params, files); got != want.String() {
			t.Fatalf("%q, want %q", got, want.String())
		}
	})
}

func TestTopByValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(
			rapid.Map(rapid.Int64Range(-3, 3), func(n int64) string { return strconv.FormatInt(n, 10) }),
			rapid.Map(rapid.Int64Range(1<<53, 1<<53+3), func(n int64) string { return strconv.FormatInt(n, 10) }),
			rapid.SampledFrom([]string{"0.5", "-1e300", "1e300", "9007199254740992.0", "2.0", "-Inf"}))
		type row struct{ item, number string }
		rows := rapid.SliceOf(rapid.Custom(func(t *rapid.T) row {
			return row{rapid.StringMatching(`[ab]{0,1}`).Draw(t, "item"), number.Draw(t, "number")}
		})).Draw(t, "rows")
		k := rapid.IntRange(1, 8).Draw(t, "k")
		files := map[string]string{"a": "", "b": "", "c": ""}
		for i, r := range rows {
			files[string("abc"[i%3])] += r.item + "\t" + r.number + "\n"
		}
		// By exact comparison of decimals: whole numbers as such, what is not whole is never near 2^53 here.
		value := func(s string) (float64, int64) {
			x, err := strconv.ParseFloat(s, 64)
			if err != nil {
				panic(err)
			}
			n, err := strconv.ParseInt(strings.TrimSuffix(s, ".0"), 10, 64)
			if err != nil {
				n = int64(max(min(x, 9e18), -9e18))
			}
			return x, n
		}
		slices.SortFunc(rows, func(a, b row) int {
			ax, an := value(a.number)
			bx, bn := value(b.number)
			by := cmp.Compare(bx, ax)
			if ax == bx {
				by = cmp.Compare(bn, an)
			}
			return cmp.Or(by, cmp.Compare(a.item, b.item), cmp.Compare(a.number, b.number))
		})
		var want strings.Builder
		for _, r := range rows[:min(k, len(rows))] {
			want.WriteString(r.item + "\t" + r.number + "\n")
		}
		if got := streamed(t, "topk", map[string]string{"k": strconv.Itoa(k), "by": "value"}, files); got != want.String() {
			t.Fatalf("%q, want %q", got, want.String())
		}
	})
}

// Of equal numbers of one item the one whose text comes first, whichever was read first. A CR
// before the line end is no part of a number.
func TestTopTiesByText(t *testing.T) {
	texts := []string{"10", "10.0", "1e1"}
	for first := range texts {
		in := ""
		for i := range texts {
			in += "a\t" + texts[(first+i)%len(texts)] + "\r\n"
		}
		for i, want := range []string{"a\t10\n", "a\t10\na\t10.0\n", "a\t10\na\t10.0\na\t1e1\n"} {
			k := i + 1
			if got := streamed(t, "topk", map[string]string{"k": strconv.Itoa(k), "by": "value"}, map[string]string{"a": in}); got != want {
				t.Errorf("the first %d of %q: %q, want %q", k, in, got, want)
			}
		}
	}
}

// joined is the join as two loops.
func joined(kind string, left, right [][2]string, missing string, both func(l, r string) string) string {
	var rows []string
	add := func(key, l, r string) { rows = append(rows, key+"\t"+both(l, r)+"\n") }
	matched := map[int]bool{}
	for _, l := range left {
		found := false
		for i, r := range right {
			if l[0] == r[0] {
				add(l[0], l[1], r[1])
				found, matched[i] = true, true
			}
		}
		if !found && (kind == "left" || kind == "outer") {
			add(l[0], l[1], missing)
		}
	}
	for i, r := range right {
		if !matched[i] && (kind == "right" || kind == "outer") {
			add(r[0], missing, r[1])
		}
	}
	slices.SortStableFunc(rows, func(a, b string) int {
		a, _, _ = strings.Cut(a, "\t")
		b, _, _ = strings.Cut(b, "\t")
		return strings.Compare(a, b)
	})
	return strings.Join(rows, "")
}

func TestJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]string {
			return [2]string{rapid.StringMatching(`[abc]{0,1}`).Draw(t, "key"), rapid.StringMatching(`[xy](\t[xy])?`).Draw(t, "rest")}
		}), 0, 8)
		left, right := rows.Draw(t, "left"), rows.Draw(t, "right")
		kind := rapid.SampledFrom([]string{"inner", "left", "right", "outer"}).Draw(t, "kind")
		var l, r string
		for _, row := range left {
			l += row[0] + "\t" + row[1] + "\n"
		}
		for _, row := range right { // whose key stands second
			first, rest, more := strings.Cut(row[1], "\t")
			r += first + "\t" + row[0]
			if more {
				r += "\t" + rest
			}
			r += "\n"
		}
		params := map[string]string{"kind": kind, "right_key": "2", "missing": "none"}
		files := map[string]string{"left/1": l, "right/1": r}
		if rapid.Bool().Draw(t, "by path") {
			params["right_path"] = "of-right"
			files = map[string]string{"1": l, "2-of-right": r}
		}
		want := joined(kind, left, right, "none", func(l, r string) string { return l + "\t" + r })
		if got := streamed(t, "join", params, files); got != want {
			t.Fatalf("%s join of %q and %q: %q, want %q", kind, l, r, got, want)
		}
	})
}

// jsonKeys are keys as they stand in JSON, with the texts that they are equal by. Nothing equals null.
var jsonKeys = map[string]string{
	`null`: "null", `""`: "", `"a"`: "a", `"\u0061"`: "a", `"null"`: "null", `true`: "true",
	`1`: "1", `1.0`: "1", `1e0`: "1", `10E-1`: "1", `0.1e+1`: "1", `"1"`: "1", `"1.0"`: "1.0", `"01"`: "01", `-1`: "-1",
	`0`: "0", `-0`: "0", `0.000`: "0", `0e99999999999999999999`: "0", `0.5`: "0.5", `5e-1`: "0.5", `-0.50`: "-0.5", `12.50`: "12.5", `0.0125e3`: "12.5",
	`12345678901234567890`: "12345678901234567890", `12345678901234567891`: "12345678901234567891", `1.234567890123456789e19`: "12345678901234567890",
	`100`: "100", `1e2`: "100", `1e40`: "1" + strings.Repeat("0", 40), `1e41`: "1e41", `10e40`: "1e41", `1.5e400`: "1.5e400",
	`1e-40`: "0." + strings.Repeat("0", 39) + "1", `1e-41`: "0." + strings.Repeat("0", 40) + "1", `1e-42`: "1e-42", `15e-300`: "1.5e-299",
}

func TestJoinJSON(t *testing.T) {
	forms := slices.Sorted(maps.Keys(jsonKeys))
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfNDistinct(rapid.SampledFrom(forms), 1, 6, rapid.ID).Draw(t, "forms")
		side := rapid.SliceOfN(rapid.SampledFrom(append(some, "null", "1", "1.0", `"1"`)), 0, 5)
		kind := rapid.SampledFrom([]string{"inner", "left", "right", "outer"}).Draw(t, "kind")
		keeps := map[string][]string{"left": {"left"}, "right": {"right"}, "outer": {"left", "right"}}[kind]
		var nulls []string // rows of them
		texts := func(column, side string, keys []string) (rows [][2]string, text string) {
			for i, key := range keys {
				row := fmt.Sprintf(`{"n":%d,%q: %s }`, i, column, key)
				if key != "null" {
					rows = append(rows, [2]string{jsonKeys[key], row})
				} else if slices.Contains(keeps, side) {
					nulls = append(nulls, map[string]string{"left": "\t" + `{"left":` + row + `,"right":null}`, "right": "\t" + `{"left":null,"right":` + row + `}`}[side])
				}
				text += row + "\n"
			}
			return rows, text
		}
		left, l := texts("id", "left", side.Draw(t, "left"))
		right, r := texts("user", "right", side.Draw(t, "right"))
		want := joined(kind, left, right, "null", func(l, r string) string { return `{"left":` + l + `,"right":` + r + `}` })
		if len(nulls) > 0 {
			want = strings.Join(nulls, "\n") + "\n" + want
		}
		if got := streamed(t, "join", map[string]string{"kind": kind, "left_key": "id", "right_key": "user"}, map[string]string{"left/1": l, "right/1": r}); got != want {
			t.Fatalf("%s join of %q and %q: %q, want %q", kind, l, r, got, want)
		}
	})
}

func TestTablesRefuse(t *testing.T) {
	for want, c := range map[string]struct {
		app    string
		params map[string]string
	}{
		`"by": "size" is neither count nor value`:                 {"topk", map[string]string{"by": "size"}},
		`"k": 0 is not a whole number`:                            {"topk", map[string]string{"k": "0"}},
		`"k": 1.5 is not a whole number`:                          {"topk", map[string]string{"k": "1.5"}},
		`"kind": "cross" is not inner, left, right`:               {"join", map[string]string{"kind": "cross"}},
		`"left_key": "0" is neither the number`:                   {"join", map[string]string{"left_key": "0"}},
		`left_key is "id" and right_key "1"; either both are num`: {"join", map[string]string{"left_key": "id"}},
	} {
		if _, err := New(c.app, c.params); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for want, c := range map[string]struct {
		app, text string
		params    map[string]string
	}{
		`f is on neither side`:                {"join", "a\n", nil},
		`"a" has no field 2`:                  {"join", "a\n", map[string]string{"left_key": "2", "right_path": "g"}},
		`a is not a JSON object`:              {"join", "a\n", map[string]string{"left_key": "id", "right_key": "id", "right_path": "g"}},
		`{} has no column "id"`:               {"join", "{}\n", map[string]string{"left_key": "id", "right_key": "id", "right_path": "g"}},
		`"id" is not UTF-8`:                   {"join", "{\"id\":\"\xff\"}\n", map[string]string{"left_key": "id", "right_key": "id", "right_path": "g"}},
		`has half a character`:                {"join", `{"id":"\ud800"}` + "\n", map[string]string{"left_key": "id", "right_key": "id", "right_path": "g"}},
		`its exponent is too large`:           {"join", `{"id":1e99999999999999999999}` + "\n", map[string]string{"left_key": "id", "right_key": "id", "right_path": "g"}},
		`"a" has no TAB followed by a number`: {"topk", "a\n", map[string]string{"by": "value"}},
		`"x" of the item "a" is not`:          {"topk", "a\tx\n", map[string]string{"by": "value"}},
	} {
		p, err := New(c.app, c.params)
		if err != nil {
			t.Fatal(err)
		}
		env := map[string]string{"mapreduce_map_input_file": "f"}
		var out strings.Builder
		err = p.Stream(context.Background(), mapreduce.MapRole, mapreduce.Streams{In: strings.NewReader(c.text), Out: &out, Env: func(n string) string { return env[n] }})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Records of a key that are larger together than what is kept for the next one are joined like others.
func TestJoinOfLongRecords(t *testing.T) {
	var left, right, want strings.Builder
	for k := range 3 { // of which the second is long
		for i := range 5 {
			fmt.Fprintf(&left, "k%d\tl%d%s\n", k, i, strings.Repeat("x", k%2*mostHeld/3))
		}
		fmt.Fprintf(&right, "k%d\tr%s\n", k, strings.Repeat("y", k%2*2*mostHeld))
		for i := range 5 {
			fmt.Fprintf(&want, "k%d\tl%d%s\tr%s\n", k, i, strings.Repeat("x", k%2*mostHeld/3), strings.Repeat("y", k%2*2*mostHeld))
		}
	}
	if got := streamed(t, "join", nil, map[string]string{"left/a": left.String(), "right/b": right.String()}); got != want.String() {
		t.Errorf("%d bytes, want %d", len(got), want.Len())
	}
}
