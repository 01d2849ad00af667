package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// inRepository makes a folder with the examples, and some text where they look for it.
func inRepository(t *testing.T) *shell {
	t.Helper()
	s := newShell(t, map[string]string{
		"internal/a.txt": "the cat and the dog\n\n\tand the  end\nno 1 no 01\n", "internal/b/c.txt": "the end", "internal/d.txt": strings.Repeat("10 1e1 \xff\xfe é the\f\n", 100)})
	if err := os.CopyFS(s.path("examples"), os.DirFS("../../examples")); err != nil {
		t.Fatal(err)
	}
	return s
}

// need leaves a test out, loudly, where a tool is missing.
func need(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("NOT CHECKED: there is no %s on this machine", tool)
		}
	}
}

// parts reads the part files of a job one behind the other.
func (s *shell) parts(dir string) string {
	s.t.Helper()
	names, err := filepath.Glob(s.path(dir + "/part-*"))
	if err != nil || len(names) == 0 {
		s.t.Fatalf("%s: no parts (%v)", dir, err)
	}
	slices.Sort(names)
	var all strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			s.t.Fatal(err)
		}
		all.WriteString(filepath.Base(name) + "\n" + string(text))
	}
	return all.String()
}

// Whatever language counts the words, the output is that of the built-in application, byte for byte and part by part.
func TestStreamingWordcounts(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"python", "awk", "shell"} {
		t.Run(language, func(t *testing.T) {
			need(t, map[string][]string{"python": {"python3"}, "awk": {"awk"}, "shell": {"sh", "tr", "grep", "cut", "uniq", "sed", "awk", "head"}}[language]...)
			s := inRepository(t)
			s.write("built-in.yaml", "app: wordcount\ninput: internal/\noutput: out/built-in\nreduces: 2\n")
			s.must(0, "run", "examples/streaming/"+language+".yaml", "built-in.yaml")
			if got, want := s.parts("out/"+language+"-words"), s.parts("out/built-in"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if language == "shell" {
				if top := s.parts("out/shell-top"); !strings.HasPrefix(top, "part-r-00000\n104\tthe\n100\t") || strings.Count(top, "\n") != 11 {
					t.Errorf("the most frequent words:\n%s", top)
				}
			}
		})
	}
}

func TestStreamingJoin(t *testing.T) {
	t.Parallel()
	need(t, "awk")
	s := inRepository(t)
	s.must(0, "run", "examples/streaming/join.yaml")
	lines := slices.Collect(strings.Lines(s.parts("out/join")))
	slices.Sort(lines)
	if got, want := strings.Join(lines, ""), "Ann\t/help\nAnn\t/home\nBob\t/cart\nBob\t/home\npart-r-00000\npart-r-00001\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The example in Go and the one by the raw API, built as a user would build them, count as the
// built-in application does.
func TestOwnProgram(t *testing.T) {
	t.Parallel()
	need(t, "go")
	s := inRepository(t)
	for _, name := range []string{"words", "rawwords"} {
		build := exec.Command("go", "build", "-o", s.path("bin/"+name)+exeSuffix(), "./examples/"+name)
		build.Dir = "../.."
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if runtime.GOOS == "linux" { // elsewhere names are text
		s.write("internal/\xff\xfe.txt", "a name that is no UTF-8\n")
	}
	s.write("built-in.yaml", "app: wordcount\ninput: internal/\noutput: out/built-in\nreduces: 2\n")
	s.must(0, "run", "--block", "300B", "examples/words/job.yaml", "examples/rawwords/job.yaml", "built-in.yaml")
	want := s.parts("out/built-in")
	for _, name := range []string{"my-words", "raw-words"} {
		if got := s.parts("out/" + name); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
	s.write("none.yaml", "app: bin/words\ninput: internal/\noutput: out/none\nreduces: 0\n")
	if r := s.run("run", "none.yaml"); r.code != 2 || !strings.Contains(r.stderr, "none.yaml:4:10: reduces and app contradict each other: bin/words reduces or combines, and reduces is 0") {
		t.Errorf("without reduces: exit code %d, %s", r.code, r.stderr)
	}
}

func exeSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// What is wrong with a job of commands, or of a program, is told before anything runs.
func TestBadCommands(t *testing.T) {
	need(t, "cat", "sh")
	for src, want := range map[string]string{
		"app: wordcount\nmap: cat\n":                     "job.yaml:2:6: app and map contradict each other",
		"map: cat\nreduce: cat\nreduces: 0\n":            "job.yaml:3:10: reduces and reduce contradict each other",
		"map: cat\npartition_fields: 3\nkey_fields: 2\n": "job.yaml:2:19: partition_fields and key_fields contradict each other",
		"reduce: cat\n":                                  "job.yaml:1:9: reduce needs map: a job runs commands, with map as the first, or an application, named by app; the key for the number of reduces is reduces",
		"combine: cat\n":                                 "job.yaml:1:10: combine needs map",
		"app: wordcount\nreduce: cat\n":                  "job.yaml:2:9: reduce and app contradict each other",
		"map: no-such-command -x\n":                      "job.yaml:1:6: map: there is no command no-such-command",
		"map: ./mapper.sh\n":                             "job.yaml:1:6: map: ./mapper.sh is not among the side files",
		"map: ./silent.txt\nfiles: [silent.txt]\n":       "job.yaml:1:6: map: ./silent.txt cannot be run: its permissions do not allow it; chmod +x ",
		"map: cat\nreduce: d/none\nfiles: [d]\n":         "job.yaml:2:9: reduce: d/none cannot be run: there is no such file",
		"map: /no/such/command\n":                        "job.yaml:1:6: map: /no/such/command cannot be run: there is no such file",
		"map: \"cat 'x\"\n":                              "job.yaml:1:6: map: the quote ' is not closed",
		"map: cat\nfiles: [in, none.txt]\n":              `job.yaml:2:13: files: "none.txt": no such file or directory`,
		"map: cat\nfiles: in#../../x\n":                  `job.yaml:2:8: files: "in#../../x": its name in the working directory`,
		"app: ./nothing\n":                               "job.yaml:1:6: app: ./nothing cannot be run: there is no such file",
		"app: ./silent.txt\n":                            "job.yaml:1:6: app: ./silent.txt cannot be run: its permissions do not allow it; chmod +x ./silent.txt",
		"app: ./d\n":                                     "job.yaml:1:6: app: ./d cannot be run: it is a directory",
		"app: ./lost.sh\n":                               "job.yaml:1:6: app: ./lost.sh cannot be run: its first line names /no/such/sh, and there is no such file",
		"map: ./lost.sh\nfiles: [lost.sh]\n":             "job.yaml:1:6: map: ./lost.sh cannot be run: its first line names /no/such/sh, and there is no such file",
		"map: cat | tr a b\n":                            "job.yaml:1:6: map: there is no shell to interpret |; put the whole line into sh -c '…'",
		"map: sh ~/w.sh\n":                               "job.yaml:1:6: map: there is no shell to interpret ~; put",
		"app: ./silent.sh\n":                             "it is not a worker: its main function must call run.Main",
		"app: ./silent.sh a b\n":                         "only the name of a program may follow its path",
		"app: words\n":                                   "give your own program by its path, such as ./words",
		"map: cat\nlimits: {open_files: -1}\n":           "open_files is -1, it must be above 0",
		"map: cat\n---\nname: two\nmap: cat\nafter: one\noutput: out2\ninput: in\n": `job "two" waits for job "one", which does not exist`,
	} {
		s := newShell(t, map[string]string{"in": "x\n", "silent.sh": "#!/bin/sh\necho nothing to say\n", "silent.txt": "#!/bin/sh\n", "lost.sh": "#! /no/such/sh -x\n", "d/some": ""})
		for _, name := range []string{"silent.sh", "lost.sh"} {
			if err := os.Chmod(s.path(name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		first, rest, more := strings.Cut(src, "---\n")
		src = first + "input: in\noutput: out\n"
		if more {
			src += "---\n" + rest
		}
		s.write("job.yaml", src)
		r := s.run("run", "job.yaml")
		if r.code != 2 || !strings.Contains(r.stderr, want) || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("exit code %d, want %q, in\n%s\n%s", r.code, want, src, r.stderr)
		}
		if _, err := os.Stat(s.path("out")); err == nil {
			t.Errorf("there is output of\n%s", src)
		}
	}
}

// Whatever Slackline tells commands by the environment no job can set otherwise.
func TestNamesThatSlacklineSets(t *testing.T) {
	need(t, "sh", "env")
	s := newShell(t, map[string]string{"in": "x\n"})
	const job = "map: sh -c 'env; cat >/dev/null'\ncombine: cat\nreduce: sh -c 'cat; env'\nkey_fields: 2\npartition_fields: 1\noutput: out\n"
	s.write("job.yaml", job+"inputs: [{path: in, name: left}]\nconf: {my.own: 1}\nenv: {MINE: 2}\n")
	s.must(0, "run", "job.yaml")
	names := map[string]bool{}
	for line := range strings.Lines(s.parts("out")) {
		name, _, _ := strings.Cut(line, "=")
		if strings.HasPrefix(name, "mapre") || strings.HasPrefix(name, "stream_") || name == "slackline_input_name" {
			names[name] = true
		}
	}
	if len(names) < 25 || names["my_own"] {
		t.Fatalf("commands get %v", names)
	}
	s.again()
	for name := range names {
		s.write("job.yaml", job+"input: in\nenv: {"+name+": 99}\n")
		if r := s.run("run", "job.yaml"); r.code != 2 || !strings.Contains(r.stderr, "job.yaml:8:") || !strings.Contains(r.stderr, name) {
			t.Errorf("%s: exit code %d, %s", name, r.code, r.stderr)
		}
	}
}

// A combiner runs where many maps may run at once for each reduce.
func TestCombineWhereItPays(t *testing.T) {
	need(t, "sed", "cat")
	for nodes, combined := range map[string]bool{"2": false, "3": true} {
		s := newShell(t, map[string]string{"in": "a\t1\n", "job.yaml": "map: cat\ncombine: sed s/1/2/\nreduce: cat\ninput: in\noutput: out\n"})
		s.must(0, "run", "job.yaml", "--nodes", nodes, "--slots", "1")
		if out, want := s.parts("out"), map[bool]string{false: "part-r-00000\na\t1\n", true: "part-r-00000\na\t2\n"}[combined]; out != want {
			t.Errorf("%s nodes: %q, want %q", nodes, out, want)
		}
	}
}

// Of a script that a command names and its job does not list a warning tells before it is missed, with -q too.
func TestUnlistedFiles(t *testing.T) {
	need(t, "sh")
	s := newShell(t, map[string]string{"in": "x\n", "m.sh": "cat\n", "listed.sh": "cat\n", "jobs/beside.sh": "cat\n",
		"jobs/j.yaml": "map: sh m.sh listed.sh beside.sh -x nothing\nfiles: [listed.sh]\ninput: in\noutput: out\n"})
	r := s.run("run", "-q", "jobs/j.yaml")
	for name, want := range map[string]int{"m.sh": 1, "beside.sh": 1, "listed.sh": 0, "nothing": 0} {
		if n := strings.Count(r.stderr, fmt.Sprintf(`warning: job "j": a command names %s, which is here and not listed under files, so the command will not find it; add files: [%s]`, name, name)); n != want {
			t.Errorf("%s: %d warnings in\n%s", name, n, r.stderr)
		}
	}
}
