package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slackline/slackline/internal/files/codec/codectest"
)

// A door is a command that reads a file that somebody else wrote: IN stands for its name.
type door struct {
	name, args string
	yaml       string // that names IN, where the command reads IN.yaml
	file       string // a right one, below the examples, or its text; none: the command before makes one
	runs       bool   // jobs, so the answer is what they write
}

// aResult is what jobs of doors write.
const aResult = "out/part-r-00000"

const aScenario = "cluster: {nodes: 4, map_slots: 2, reduce_slots: 1%s}\nworkload: {jobs: [{id: a, class: a, maps: 4, map_time: 10s, reduces: 1, reduce_time: 5s}]}\n"

// aJoin is a job that reads a table and JSON lines.
const aJoin = "name: j\napp: join\nparams: {kind: left, left_key: id, right_key: user}\ninputs: [{name: left, path: CSV, format: csv}, {name: right, path: JSON, format: json}]\noutput: out\noutput_format: json\n"

// nsrdb is a file as NSRDB hands it out, of four days.
func nsrdb() string {
	text := "Source,Latitude,Longitude,Time Zone\nNSRDB,39.7,-105.2,-7\nYear,Month,Day,Hour,Minute,GHI,Wind Speed\n"
	for hour := range 96 {
		text += fmt.Sprintf("2023,6,%d,%d,30,%d,%d\n", 1+hour/24, hour%24, max(0, 100*(6-max(hour%24-12, 12-hour%24))), 3+hour%5)
	}
	return text
}

var doors = []door{
	{"text of a job", "run -q --overwrite IN.yaml", "name: j\napp: wordcount\ninput: IN\noutput: out\n", "traces/swim.tsv", true},
	{"CSV of a job", "run -q --overwrite IN.yaml", strings.NewReplacer("CSV", "IN", "JSON", "../tables/visits.jsonl").Replace(aJoin), "id,name\n1,Ann\n2,\"Bob, or Rob\"\n3,\n", true},
	{"JSON of a job", "run -q --overwrite IN.yaml", strings.NewReplacer("JSON", "IN", "CSV", "table.csv").Replace(aJoin), "tables/visits.jsonl", true},
	{"job file", "run -q --overwrite IN", "", "name: j\napp: wordcount\ninput: ../traces/swim.tsv\noutput: out\n", true},
	{"slots of a run", "run -q --overwrite --slots-trace IN IN.yaml", "name: j\napp: wordcount\ninput: ../traces/swim.tsv\noutput: out\n", "at,capacity\n0,1\n600,0.5\n", true},
	{"NSRDB", "forecast power IN --horizon 1h", "", nsrdb(), false},
	{"slackline trace", "workload stats IN", "", "traces/small.jsonl", false},
	{"swim", "workload import --format swim IN", "", "traces/swim.tsv", false},
	{"jhist", "profile learn IN", "", "traces/words.jhist", false},
	{"alibaba", "workload import --sort --format alibaba IN", "", "traces/alibaba.csv", false},
	{"trace of a scenario", "simulate --no-timing -o json IN.yaml", "cluster: {nodes: 4, map_slots: 2, reduce_slots: 1}\nworkload: {trace: {format: swim, file: IN}}\n", "traces/swim.tsv", false},
	{"arrivals of a stream", "simulate --no-timing -o json IN.yaml", "cluster: {nodes: 9, map_slots: 2, reduce_slots: 1}\nworkload: {streams: [{id: a, class: a, maps: 1, map_time: 1s, arrivals: {process: trace, format: swim, file: IN}}]}\n", "traces/swim.tsv", false},
	{"supply", "simulate --no-timing -o json IN.yaml", fmt.Sprintf(aScenario, ", supply_file: IN"), "supply.csv", false},
	{"forecast", "simulate --no-timing -o json IN.yaml", fmt.Sprintf(aScenario, ", forecasts: [{of: green, file: IN}]"), "green.csv", false},
	{"slots", "simulate --no-timing -o json IN.yaml", fmt.Sprintf(aScenario, ", slots: {file: IN, as: out}"), "slots.csv", false},
	{"weather of a scenario", "simulate --no-timing -o json IN.yaml", fmt.Sprintf(aScenario, ", slots: {as: out, weather: {file: IN}}"), "", false},
	{"profiles", "simulate --no-timing -o json IN.yaml", fmt.Sprintf(aScenario, "") + "profiles: IN\npolicies: [rtmr]\n", "", false},
	{"scenario", "simulate --no-timing -o json IN", "", "two-jobs.yaml", false},
	{"weather", "forecast power IN --horizon 1h", "", "weather.csv", false},
	{"capacity", "capacity IN -o json", "", "allocation.yaml", false},
	{"profile import", "profile import --replace IN", "", "", false},
	{"journal", "replay IN", "", "", false},
}

// open makes the files of the door, and returns the command, and what the file holds.
func (d door) open(s *shell, file string) (args []string, text string) {
	s.t.Helper()
	switch d.name {
	case "journal":
		s.must(0, "simulate", "../two-jobs.yaml", "--policy", "fifo", "--seed", "1", "--journal", "made")
	case "profile import", "profiles":
		s.must(0, "profile", "learn", "../traces/words.jhist", "--to", "made")
	case "weather of a scenario":
		s.must(0, "forecast", "weather", "--days", "4", "--to", "made")
	}
	s.write("table.csv", "id,name\n1,Ann\n2,Bob\n")
	switch {
	case d.file == "":
		text = s.read("made")
		if err := os.Remove(s.path("made")); err != nil {
			s.t.Fatal(err)
		}
	case strings.Contains(d.file, "\n"):
		text = d.file
	default:
		text = s.read("../" + d.file)
	}
	args = strings.Fields(strings.ReplaceAll(d.args, "IN", file))
	if d.yaml != "" {
		s.write(file+".yaml", strings.ReplaceAll(d.yaml, "IN", file))
	}
	return args, text
}

// answer runs the command, and puts what its job has written in place of what it said.
func (d door) answer(s *shell, args []string) result {
	r := s.run(args...)
	if d.runs {
		r.stdout = ""
		if r.code == 0 {
			r.stdout = s.read(aResult)
		}
	}
	return r
}

// besideExamples is a folder for a command, next to the examples.
func besideExamples(t *testing.T) *shell {
	t.Helper()
	s := newShell(t, nil)
	if err := os.CopyFS(s.dir, os.DirFS("../../examples")); err != nil {
		t.Fatal(err)
	}
	s.dir = filepath.Join(s.dir, "here")
	if err := os.Mkdir(s.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return s
}

func packed(t *testing.T, kind, text string) string {
	t.Helper()
	b, err := codectest.Pack(kind, [][]byte{[]byte(text[:len(text)/3]), []byte(text[len(text)/3:])})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func utf16le(text string) string {
	wide := []byte("\xff\xfe")
	for _, c := range []byte(text) {
		wide = append(wide, c, 0)
	}
	return string(wide)
}

// panicked is how a program of Go ends that does not say what is wrong.
var panicked = regexp.MustCompile(`(?m)^(panic|fatal error|goroutine \d+)`)

// Every door takes the same text in any packing and with any ends of lines for the same, and says in
// one sentence what else a file is.
func TestDoors(t *testing.T) {
	t.Parallel()
	for _, d := range doors {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			s := besideExamples(t)
			args, text := d.open(s, "in")
			s.write("in", text)
			first := d.answer(s, args)
			if first.code != 0 || first.stdout == "" {
				t.Fatalf("exit code %d, %q: %s", first.code, first.stdout, first.stderr)
			}
			want, lf := first.stdout, strings.ReplaceAll(text, "\r\n", "\n")
			for name, same := range map[string]string{
				"gzip": packed(t, "gzip", text), "zstd": packed(t, "zstd", text), "bzip2": packed(t, "bzip2", text),
				"byte order mark": "\ufeff" + text, "CR LF": strings.ReplaceAll(lf, "\n", "\r\n"), "CR": strings.ReplaceAll(lf, "\n", "\r"),
				"packed CR LF with a byte order mark": packed(t, "gzip", "\ufeff"+strings.ReplaceAll(lf, "\n", "\r\n")),
			} {
				s.write("in", same)
				if got := d.answer(s, args); got.code != 0 || got.stdout != want {
					t.Errorf("%s: exit code %d, %s\n%s\nwant %s", name, got.code, got.stderr, got.stdout, want)
				}
			}
			whole := packed(t, "gzip", text)
			for _, c := range []struct{ name, text, says string }{
				{"UTF-16", utf16le(text), "it is in UTF-16, which is not read; save it as UTF-8"},
				{"Parquet", "PAR1\x15\x04\x15\x80" + text, "it is a Parquet file, which is not read"},
				{"xz", "\xfd7zXZ\x00\x00", "it is packed with xz, which is not read"},
				{"cut off", whole[:len(whole)-9], "in the middle of its gzip data"},
				{"empty", "", ""}, // each has its own sentence
				{"folder", "", "in is a folder; name a file"},
				{"missing", "", "there is no such file"},
			} {
				if err := os.RemoveAll(s.path("in")); err != nil {
					t.Fatal(err)
				}
				data := strings.HasSuffix(d.name, " of a job") // which may read a folder, and what is empty
				switch c.name {
				case "missing":
				case "folder":
					if err := os.Mkdir(s.path("in"), 0o777); err != nil {
						t.Fatal(err)
					}
				default:
					s.write("in", c.text)
				}
				r := d.answer(s, args)
				if data && (c.name == "empty" || c.name == "folder") {
					if r.code > 3 || panicked.MatchString(r.stderr) {
						t.Errorf("%s: exit code %d, %s", c.name, r.code, r.stderr)
					}
					continue
				}
				if r.code != 2 && !(data && c.name == "cut off") || r.code == 0 || r.stdout != "" || !strings.Contains(r.stderr, c.says) || strings.Count(r.stderr, "\n") != 1 && c.name != "cut off" || !strings.Contains(r.stderr, "in") {
					t.Errorf("%s: exit code %d, %q, %s\nwant %s", c.name, r.code, r.stdout, r.stderr, c.says)
				}
			}
		})
	}
}

// Bytes of a file that are changed at random give a sentence or an answer, at every door; nothing is
// lost by it, and what is packed is never taken for something else.
func TestOddFiles(t *testing.T) {
	t.Parallel()
	for _, d := range doors {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			s := besideExamples(t)
			args, text := d.open(s, "in")
			s.write("in", text)
			want := d.answer(s, args).stdout
			n := 4
			if os.Getenv("SLACKLINE_LONG") != "" {
				n = 60
			}
			for seed := range n {
				odd := rapid.Custom(func(t *rapid.T) [2]string {
					kind := rapid.SampledFrom([]string{"none", "none", "gzip", "zstd", "bzip2"}).Draw(t, "packing")
					b, err := codectest.Pack(kind, [][]byte{[]byte(text)})
					if err != nil {
						t.Fatal(err)
					}
					for range rapid.IntRange(1, 4).Draw(t, "changes") {
						first := 0
						if kind != "none" && d.runs { // without its first bytes it would be text, with a warning
							if first = 10; len(b) <= first {
								break
							}
						}
						at := rapid.IntRange(first, len(b)-1).Draw(t, "at")
						switch rapid.IntRange(0, 3).Draw(t, "change") {
						case 0:
							b = b[:at+1]
						case 1:
							b[at] = rapid.Byte().Draw(t, "byte")
						case 2:
							b = slices.Delete(b, at, min(len(b), at+rapid.IntRange(1, 9).Draw(t, "less")))
						case 3:
							b = slices.Insert(b, at, rapid.SampledFrom([]byte(",;\r\n\x00\"{}-9e")).Draw(t, "more"))
						}
						if len(b) == 0 {
							b = []byte("\n")
						}
					}
					return [2]string{kind, string(b)}
				}).Example(seed)
				s.write("in", odd[1])
				before := s.files()
				r := d.answer(s, args)
				same := odd[0] == "none" || r.stdout == want || r.stdout == "" || r.code != 0
				if r.code > 3 || panicked.MatchString(r.stderr) || r.code != 0 && r.stderr == "" || !same {
					t.Errorf("seed %d (%s): exit code %d\n%s", seed, odd[0], r.code, r.stderr)
				}
				after := s.files()
				lost := slices.ContainsFunc(before, func(file string) bool { return !slices.Contains(after, file) })
				left := len(after) > len(before) && !d.runs // a job file may name another output
				if lost || left || s.read("in") != odd[1] {
					t.Errorf("seed %d: files are lost or left: %v", seed, after)
				}
			}
		})
	}
}

// A result that cannot be written is told by every command, also by those whose text the library prints.
func TestFullOutput(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("NOT CHECKED: there is no /dev/full here")
	}
	defer full.Close()
	s := newShell(t, nil)
	for _, args := range []string{"", "help", "help run", "run --help", "version", "--version", "policies", "schema job", "completion bash"} {
		cmd := s.command(strings.Fields(args)...)
		var said strings.Builder
		cmd.Stdout, cmd.Stderr = full, &said
		if cmd.Run(); cmd.ProcessState.ExitCode() != exitFailed || strings.Count(said.String(), "\n") != 1 || !strings.Contains(said.String(), "no space left") {
			t.Errorf("%s: exit code %d, %s", args, cmd.ProcessState.ExitCode(), said.String())
		}
	}
}

// No door that makes a file makes it over what it reads, by whatever name, nor over a stranger's
// file; a run that fails leaves what was there.
func TestDoorsOut(t *testing.T) {
	t.Parallel()
	const scenario = "cluster: {nodes: 2}\nworkload: {trace: {format: swim, file: in}}\n"
	for _, c := range []struct{ name, args, in, file string }{
		{"import", "workload import --format swim in --to OUT", "traces/swim.tsv", ""},
		{"trace of a forecast", "forecast power in --trace OUT", "weather.csv", ""},
		{"profiles", "profile learn in --to OUT", "traces/words.jhist", ""},
		{"page", "simulate s.yaml --html OUT", "traces/swim.tsv", "page"},
		{"journal", "simulate s.yaml --policy fifo --journal OUT", "traces/swim.tsv", "journal"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := besideExamples(t)
			in := s.read("../" + c.in)
			s.write("in", in)
			s.write("s.yaml", scenario)
			s.write("notes.txt", "mine\n")
			run := func(out string, more ...string) result {
				return s.run(append(strings.Fields(strings.ReplaceAll(c.args, "OUT", out)), more...)...)
			}
			names := []string{"in", "./in", "../here/in"}
			if os.Symlink("in", s.path("soft")) == nil && os.Link(s.path("in"), s.path("hard")) == nil {
				names = append(names, "soft", "hard")
			}
			for _, out := range names {
				for _, more := range [][]string{nil, {"--overwrite"}} {
					if r := run(out, more...); r.code != 2 || !strings.Contains(r.stderr, "is what the command reads; name another file") {
						t.Errorf("over %s, %v: exit code %d, %s", out, more, r.code, r.stderr)
					}
				}
			}
			not := ""
			if c.file != "" {
				not = " and is not a " + c.file
			}
			if r := run("notes.txt"); r.code != 2 || !strings.Contains(r.stderr, "notes.txt exists already"+not+"; name another file, or replace it with --overwrite") || s.read("notes.txt") != "mine\n" {
				t.Errorf("over a stranger's file: exit code %d, %s", r.code, r.stderr)
			}
			if s.read("in") != in {
				t.Error("the input is another")
			}
			before := s.files()
			if _, err := os.Stat("/dev/full"); err == nil {
				if r := run("/dev/full"); r.code == 0 || !strings.Contains(r.stderr, "no space left") {
					t.Errorf("a full disk: exit code %d, %s", r.code, r.stderr)
				}
				if r := run("/dev/null"); r.code != 0 {
					t.Errorf("/dev/null: exit code %d, %s", r.code, r.stderr)
				}
			}
			if r := run("no/out"); r.code == 0 || !strings.Contains(r.stderr, "no/out cannot be written: there is no folder no") {
				t.Errorf("no folder: exit code %d, %s", r.code, r.stderr)
			}
			if after := s.files(); len(after) != len(before) {
				t.Errorf("something is left behind: %v", after)
			}
			if r := run("notes.txt", "--overwrite"); r.code != 0 || s.read("notes.txt") == "mine\n" {
				t.Errorf("with --overwrite: exit code %d, %s", r.code, r.stderr)
			}
			made := s.read("notes.txt")
			if r := run("out"); r.code != 0 || (c.file == "" || c.file == "page" && c.name != "page") && s.read("out") != made {
				t.Errorf("exit code %d, %s", r.code, r.stderr)
			}
			if r := run("out"); (r.code == 0) != (c.file != "") {
				t.Errorf("over its own: exit code %d, %s", r.code, r.stderr)
			}
			s.write("in", in+"\x00\x01garbage,,,\n")
			s.write("s.yaml", scenario+"nonsense: 1\n")
			if r := run("out", "--overwrite"); r.code == 0 || s.read("out") == "" {
				t.Errorf("of bad input: exit code %d", r.code)
			}
		})
	}
}

// What a command reads, it does not append to either.
func TestStandardOutputOverInput(t *testing.T) {
	t.Parallel()
	const text = "a\t1\t1\t1\t1\t1\n"
	s := newShell(t, map[string]string{"t.tsv": text})
	out, err := os.OpenFile(s.path("t.tsv"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := s.command("workload", "import", "--format", "swim", "t.tsv")
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = out, &said
	if err := cmd.Run(); err == nil || !strings.Contains(said.String(), "t.tsv: standard output goes to it, which the command reads; send that to another file") || s.read("t.tsv") != text {
		t.Errorf("%v: %s", err, said.String())
	}
}
