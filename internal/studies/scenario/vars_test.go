package scenario

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// nightVars are those of a run that was meant to begin at one on the first of March 2028.
func nightVars(t *testing.T) *Vars {
	t.Helper()
	t.Setenv("SHARD", "s7")
	t.Setenv("EMPTY", "")
	return &Vars{AsOf: time.Date(2028, 3, 1, 1, 5, 0, 0, time.Local), Set: map[string]string{"region": "eu"}}
}

func TestFill(t *testing.T) {
	v := nightVars(t)
	for _, c := range []struct{ path, text, want string }{
		{"input", "raw/{day}/x", "raw/2028-03-01/x"}, {"input[3]", "{yesterday}", "2028-02-29"}, {"output", "{tomorrow}{day+1}", "2028-03-022028-03-02"},
		{"output", "{day-1:%Y%m%d}-{day:%j}", "20280229-061"}, {"output", "{hour}/{hour-2:%F/%H}", "2028-03-01T01/2028-02-29/23"},
		{"output", "{month}/{month-1}/{year+1}/{week}/{week-9}", "2028-03/2028-02/2029/2028-W09/2027-W52"}, {"name", "x-{region}-${region}", "x-eu-eu"},
		{"input", "raw/${SHARD}", "raw/s7"}, {"input", "a$$b/{{day}}/${SHARD}$$", "a$b/{day}/s7$"}, {"output", "$HOME/x", "$HOME/x"}, {"input", "it`s", "it`s"}, {"params.pattern", "a$", "a$"}, {"by", "{day}T06:00", "2028-03-01T06:00"},
		{"map", `awk '{print $1, ${SHARD}, {x}}' {day} {{day}} $$`, `awk '{print $1, ${SHARD}, {x}}' 2028-03-01 {day} $$`},
		{"inputs[0].map", "sh -c 'echo $SHARD {region}'", "sh -c 'echo $SHARD eu'"}, {"params.pattern", `^a{2,3}\$x$ {day}`, `^a{2,3}\$x$ 2028-03-01`},
		{"env.OPTS", "-D$x ${SHARD} $${SHARD} {unknown}", "-D$x s7 ${SHARD} {unknown}"}, {"conf.x", "${hadoop.tmp}", "${hadoop.tmp}"},
	} {
		if got, err := v.fill(c.path, c.text); got != c.want || err != nil {
			t.Errorf("%s: %s: %q, %v, want %q", c.path, c.text, got, err, c.want)
		}
	}
	if v.Used["SHARD"] != "s7" || len(v.Used) != 1 || !slices.Equal(v.Args()[1:], []string{"--set=SHARD=s7", "--set=region=eu"}) {
		t.Errorf("%v, %v", v.Used, v.Args())
	}
	v.Set["wild"] = "{day}"
	t.Setenv("DOLLAR", "a$DAY")
	for _, c := range []struct{ path, text, want string }{
		{"output", "out/$DAY/w", `"out/$DAY/w": write ${DAY} for the variable, or $$DAY for a dollar`}, {"output", "out/${NONE_SUCH}", "${NONE_SUCH}: there is no such variable; set it"},
		{"env.X", "${NONE_SUCH}", "${NONE_SUCH}: there is no such variable"}, {"output", "${EMPTY}/x", "${EMPTY}: the variable is empty"}, {"output", "{dya}", `{dya}: there is no such date; did you mean "day"?`},
		{"output", "{qqq}", "{qqq}: there is no such date; there are {day},"}, {"output", "{SHARD}", "the variable is ${SHARD}"}, {"output", "${day}", "the date is {day}, without a dollar"},
		{"input", "x/{a,b}", "write a list of paths"}, {"input", "x/{day", "a single brace"}, {"input", "x}", "a single brace"}, {"input", "${", "write ${NAME}"}, {"input", "${a b}", "write ${NAME}"},
		{"output", "{day:%Q}", "there is no %Q"}, {"output", "{day:%}", "there is no %"}, {"output", "o/$(date)", `"o/$(date)": write ${NAME} for a variable`}, {"output", "o/a$", "or $$ for a dollar"}, {"input[0]", "o/$", "or $$ for a dollar"}, {"output", "$HOMES/x", "write ${HOMES}"},
		{"output", "o/`date`", "a date is {day}"}, {"inputs[1].path[0]", "`x`", "a date is {day}"}, {"output", "o/{day:}", "{day:}: nothing stands behind the colon; write a date as strftime does, such as {day:%Y%m%d}"},
		{"output", "o/{wild}", `${wild} is "{day}", which is taken as it is`}, {"output", "o/${wild}", `${wild} is "{day}"`}, {"output", "${DOLLAR}", `${DOLLAR} is "a$DAY"`},
		{"name", "{Day}", `did you mean "day"?`},
	} {
		if got, err := v.fill(c.path, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %s: %q, %v, want %s", c.path, c.text, got, err, c.want)
		}
	}
}

// Placeholders may stand where YAML would see a mapping, and what is wrong behind them is still found
// at its place.
func TestFilledFiles(t *testing.T) {
	v := nightVars(t)
	for _, in := range []string{"{day}/raw", "[{day}/raw]", "[ 'x', {day}/raw ]", "[x, \"{day}/raw\"]", "\n  - x\n  - {day:%Y-%m-%d}/raw", "[${SHARD}/raw, {day}/raw]"} {
		_, err := v.Read("j.yaml", []byte("name: \"{region}-{day}\"\napp: wordcount\ninput: "+in+"\noutput: {day}\nreduces: ${SHARD_COUNT}\n"))
		if err == nil || !strings.HasSuffix(err.Error(), ":10: reduces: ${SHARD_COUNT}: there is no such variable; set it in the environment, or by --set SHARD_COUNT=VALUE") {
			t.Fatalf("%s: %v", in, err)
		}
		t.Setenv("SHARD_COUNT", "3")
		jobs, err := v.Read("j.yaml", []byte("name: \"{region}-{day}\"\napp: wordcount\ninput: "+in+"\noutput: {day}\nreduces: ${SHARD_COUNT}\n"))
		if err != nil {
			t.Fatal(err)
		}
		os.Unsetenv("SHARD_COUNT")
		if j := jobs[0]; j.Input[len(j.Input)-1] != "2028-03-01/raw" || j.Output != "2028-03-01" || j.Name != "eu-2028-03-01" || j.Reduces != 3 {
			t.Errorf("%s: %+v", in, j)
		}
	}
	// A command in backticks is told where nothing else is to be filled, and in a value.
	v.Set["wild"] = "`x`"
	for _, output := range []string{"o/`date`", "o/{wild}"} {
		if _, err := v.Read("j.yaml", []byte("app: wordcount\ninput: i\noutput: "+output+"\n")); err == nil || !strings.Contains(err.Error(), "`") {
			t.Errorf("%s: %v", output, err)
		}
	}
	_, err := v.Read("j.yaml", []byte("app: wordcount\ninput: [{day}/a, {day}/b, s3://x]\noutput: o\n"))
	if err == nil || !strings.HasPrefix(err.Error(), `j.yaml:2:27: input[2]: "s3://x" is an address`) {
		t.Error(err)
	}
}

// Whatever stands in a path: it is filled without a rest, or refused; it never names what it was to
// be filled with.
func TestNothingIsHalfFilled(t *testing.T) {
	v := nightVars(t)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "/", "$", "{", "}", "day", "SHARD", "-1", ":%Y", "region", "${", "{{", "}}", "$$", "HOME"})).Draw(t, "text"), "")
		got, err := v.fill("output", text)
		if err != nil || strings.HasPrefix(text, "$HOME") {
			return
		}
		literal := strings.NewReplacer("$$", "", "{{", "", "}}", "").Replace(text)
		if plain := !strings.ContainsAny(literal, "{}"); plain && !strings.ContainsAny(text, "{}$") && got != text {
			t.Fatalf("%q became %q", text, got)
		}
		if !strings.Contains(text, "{{") && strings.ContainsAny(got, "{}") {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

// FuzzFill: nothing that stands in a job file makes it panic.
func FuzzFill(f *testing.F) {
	for _, text := range []string{"{day-1:%Y}", "$${x}", "{{{}}}", "${", "{day+99999}", "$"} {
		f.Add("output", text)
		f.Add("map", text)
		f.Add("env.x", text)
	}
	f.Fuzz(func(t *testing.T, path, text string) {
		_, _ = (&Vars{Now: time.Unix(0, 0)}).fill(path, text)
	})
}

func TestSetVar(t *testing.T) {
	v := &Vars{}
	for text, want := range map[string]string{"a=b": "", "x": "write NAME=VALUE", "1=b": "write NAME=VALUE", "day=2": "--as-of sets that", "b=": "the value is empty"} {
		if err := v.SetVar(text); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := v.SetVar("a=c"); err == nil || v.Set["a"] != "b" {
		t.Errorf("%v, %v", v.Set, err)
	}
}

// A job of every night is of one class, whatever its date: what one night teaches is for the next.
func TestNightsAreOfOneClass(t *testing.T) {
	v := nightVars(t)
	for name, want := range map[string]string{
		"s-{day}": "s-{day}", "{region}-{day-1:%F}-x": "{region}-{day-1:%F}-x", "s": "s", "s-{region}": "s-{region}",
	} {
		jobs, err := v.Read("j.yaml", []byte("name: \""+name+"\"\nmap: cat\ninput: x\noutput: y\n"))
		if err != nil {
			t.Fatal(err)
		}
		if want = strings.ReplaceAll(want, "{region}", v.Set["region"]); jobs[0].Class != want || strings.Contains(jobs[0].Name, "{") {
			t.Errorf("%s: a job %s of class %s, want %s", name, jobs[0].Name, jobs[0].Class, want)
		}
	}
}
