package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/studies/trace"
)

// untried are commands of the documents that the test does not run, and why.
var untried = map[string]string{
	"CGO_ENABLED=0 go install ./cmd/slackline": "it may need the network; this binary is that command",
	"go test ./...": "it is this test, among others",
	"mvn -q -DskipTests -f yarn/plugin/pom.xml package":                 "it needs Java and the network; step plugin of .ci/run does as much",
	"slackline yarn dev up":                                             "it needs Java, Maven and a cluster's time",
	"slackline yarn serve --policy edf-p+matchmaking --heartbeat 200ms": "it serves until it is stopped; TestYarnServe does that",
	"slackline demo":                      "it takes half a minute; its own test runs it on less text",
	"slackline reproduce 003-matchmaking": "it takes a minute; make reproduce runs it",
}

// pages are the documents of which every command is run, with the tools that they need besides sh.
func pages(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{"README.md": nil}
	found, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(found) == 0 {
		t.Fatal("no documents", err)
	}
	for _, page := range found {
		all["docs/"+filepath.Base(page)] = nil
	}
	all["docs/streaming.md"] = []string{"go", "python3", "awk", "sort"}
	all["docs/jobs.md"] = []string{"go"}
	all["docs/nights.md"] = []string{"awk"}
	return all
}

// A reader who pastes the commands of a page into a shell, one after the other and at the top of a
// fresh checkout, sees what the page shows.
//
// In a block marked console, commands stand behind a "$ ". They end with exit code 0, or with the
// one that a comment behind them tells ("# exit code 3"). What follows a command, there or in a
// block marked text, is found in what it prints, with … for what may differ or is left out; line
// breaks and the width of columns do not count. Numbers count, but not those of runs of real jobs,
// nor whether such a job was earlier or later.
//
// A block of another kind begins with the name of a file in a comment: it says the same as that
// file of the checkout, or else it is written to that file for the commands below it.
func TestDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("real jobs run in real time")
	}
	tried := map[string]bool{}
	for page, tools := range pages(t) {
		d := readDocument(t, page)
		for _, c := range d.commands {
			tried[c.text] = true
		}
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			need(t, append(tools, "sh")...)
			d.run(checkout(t))
			for _, mistake := range d.mistakes {
				t.Error(mistake)
			}
		})
	}
	for command := range untried {
		if !tried[command] {
			t.Errorf("no document has %q", command)
		}
	}
}

// withoutTests is a folder of the checkout without its tests: a third of the text that jobs of the documents read.
type withoutTests struct{ fs.FS }

func (w withoutTests) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(w.FS, name)
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool {
		return strings.HasSuffix(e.Name(), "_test.go") || e.Name() == "testdata"
	}), err
}

// checkout is a shell in a copy of the checkout.
func checkout(t *testing.T) *shell {
	t.Helper()
	s := newShell(t, nil)
	entries, err := os.ReadDir("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case strings.HasPrefix(name, "."), slices.Contains([]string{"bin", "dist", "out", "results", "slackline"}, name):
		case e.IsDir():
			if err := os.CopyFS(s.path(name), withoutTests{os.DirFS("../../" + name)}); err != nil {
				t.Fatal(err)
			}
		case slices.Contains([]string{".md", ".mod", ".sum"}, filepath.Ext(name)):
			text, err := os.ReadFile("../../" + name)
			if err != nil {
				t.Fatal(err)
			}
			s.write(name, string(text))
		}
	}
	// The compiler finds in its cache what it compiled in another folder.
	s.env = append(s.env, "GOFLAGS=-trimpath")
	return s
}

// document is a page as it is run.
type document struct {
	page     string
	commands []*documented
	files    []*documented
	mistakes []string
}

func readDocument(t *testing.T, page string) *document {
	t.Helper()
	text, err := os.ReadFile("../../" + page)
	if err != nil {
		t.Fatal(err)
	}
	d := &document{page: page}
	d.parse(string(text))
	return d
}

func (d *document) wrong(line int, format string, args ...any) {
	d.mistakes = append(d.mistakes, fmt.Sprintf("%s:%d: ", d.page, line)+fmt.Sprintf(format, args...))
}

// documented is a command and what the page shows of it, or a file and what the page says is in it.
type documented struct {
	line  int
	text  string
	code  int
	shown string
}

var (
	saidCode = regexp.MustCompile(`\s#.*\bexit code (\d+)`)
	comment  = regexp.MustCompile(`\s+#.*`)
	inFile   = regexp.MustCompile(`^(?:#|//) ([\w./-]+\.[a-z]+)\n`)
)

// parse reads the blocks of a page.
func (d *document) parse(text string) {
	var kind string
	var block []string
	start := 0
	for n, line := range strings.Split(text, "\n") {
		fence, fenced := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case fenced && kind == "":
			kind, block, start = fence, nil, n+1
			if kind == "" {
				kind = "no kind"
			}
		case fenced:
			d.block(kind, start, block)
			kind = ""
		default:
			block = append(block, line)
		}
	}
	if kind != "" {
		d.wrong(start, "the block does not end")
	}
}

func (d *document) block(kind string, start int, lines []string) {
	switch kind {
	case "console":
		for n, line := range lines {
			if command, is := strings.CutPrefix(line, "$ "); is {
				c := &documented{line: start + n + 1, text: strings.TrimSpace(comment.ReplaceAllString(command, ""))}
				if m := saidCode.FindStringSubmatch(command); m != nil {
					c.code, _ = strconv.Atoi(m[1])
				}
				d.commands = append(d.commands, c)
			} else if n == 0 {
				d.wrong(start, "the block does not begin with a command")
			} else if last := d.commands[len(d.commands)-1]; strings.HasSuffix(last.text, "\\") {
				last.text = strings.TrimSuffix(last.text, "\\") + strings.TrimSpace(strings.TrimPrefix(line, ">"))
			} else {
				last.shown += line + "\n"
			}
		}
	case "text":
		if len(d.commands) == 0 || d.commands[len(d.commands)-1].shown != "" {
			d.wrong(start, "no command printed this")
			return
		}
		d.commands[len(d.commands)-1].shown = strings.Join(lines, "\n")
	default:
		all := strings.Join(lines, "\n") + "\n"
		name := inFile.FindStringSubmatch(all)
		if name == nil {
			d.wrong(start, "the block does not say in its first line which file it is")
			return
		}
		d.files = append(d.files, &documented{line: start, text: name[1], shown: all})
	}
}

// run writes the files, runs the commands in one shell, as a reader would, and compares.
func (d *document) run(s *shell) {
	for _, f := range d.files {
		if there, err := os.ReadFile(s.path(f.text)); err != nil {
			text := f.shown
			if ext := filepath.Ext(f.text); ext == ".csv" || strings.HasPrefix(ext, ".json") { // which have no comments
				_, text, _ = strings.Cut(text, "\n")
			}
			s.write(f.text, text)
		} else if got, want := bare(f.shown), bare(string(there)); got != want {
			d.wrong(f.line, "this is not what %s says:\n%s\nbut:\n%s", f.text, got, want)
		}
	}
	dir := s.t.TempDir()
	file := func(n int, kind string) string { return filepath.Join(dir, fmt.Sprint(n, ".", kind)) }
	if err := os.Symlink(os.Args[0], filepath.Join(dir, "slackline")); err != nil {
		s.t.Fatal(err)
	}
	var script strings.Builder
	fmt.Fprintf(&script, "PATH='%s':$PATH\n", dir)
	for n, c := range d.commands {
		if untried[c.text] == "" {
			// go run would build this binary once more.
			text := strings.Replace(c.text, "go run ./cmd/slackline ", "slackline ", 1)
			fmt.Fprintf(&script, "{ %s\n} >'%s' 2>'%s'\necho $? >'%s'\n",
				text, file(n, "out"), file(n, "err"), file(n, "code"))
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	shell := exec.CommandContext(ctx, "sh", "-c", script.String())
	shell.Dir, shell.Env = s.dir, s.env
	if said, err := shell.CombinedOutput(); err != nil {
		d.wrong(0, "%v\n%s", err, said)
	}
	for n, c := range d.commands {
		if why := untried[c.text]; why != "" {
			s.t.Logf("%s:%d: %s is not run: %s", d.page, c.line, c.text, why)
			continue
		}
		var said []string
		for _, kind := range []string{"out", "err", "code"} {
			text, _ := os.ReadFile(file(n, kind))
			said = append(said, string(text))
		}
		if code := strings.TrimSpace(said[2]); code != strconv.Itoa(c.code) {
			d.wrong(c.line, "%s\nexit code %q, not %d:\n%s%s", c.text, code, c.code, said[0], said[1])
		} else if missing := c.missing(said[0] + "\n" + said[1]); missing != "" {
			d.wrong(c.line, "%s\ndoes not print\n%s\nbut\n%s%s", c.text, missing, said[0], said[1])
		}
	}
}

// bare is what a file says without its comments and empty lines.
func bare(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(regexp.MustCompile(`(^|\s+)(#|//).*`).ReplaceAllString(strings.TrimRight(line, "\n"), "$1"))
		if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

var (
	realRun = regexp.MustCompile(`\bslackline (run|resume|discard|submit|wait|cancel|close|jobs|show|logs|profile|validate)\b`)
	number  = regexp.MustCompile(`-?\d[\d.:]*( (ns|µs|ms|s|min|h|B|kB|MB|GB|kB/s|MB/s|J|k|M|%)\b)?( (earlier|later)\b)?`)
	rule    = regexp.MustCompile(`─+`)
)

// missing is the first part of what the page shows that the command did not print.
func (c *documented) missing(printed string) string {
	plain := func(text string) string {
		text = rule.ReplaceAllString(text, "─")
		if realRun.MatchString(c.text) {
			text = number.ReplaceAllString(text, "#")
		}
		return strings.Join(strings.Fields(text), " ")
	}
	printed = plain(printed)
	for part := range strings.SplitSeq(plain(c.shown), "…") {
		part = strings.TrimSpace(part)
		_, after, found := strings.Cut(printed, part)
		if !found {
			return part
		}
		printed = after
	}
	return ""
}

// A page with mistakes is found out, and a page without any is not blamed.
func TestMistakesInDocuments(t *testing.T) {
	need(t, "sh")
	const page = `
~~~yaml
# docs/pool.yaml
cluster: {nodes: 2}
~~~

~~~console
$ slackline version                   # prints more than this
slackline …
$ slackline versoin                   # exit code 2
$ slackline versoin
$ slackline version
slickline
$ cat docs/pool.yaml
cluster:  {nodes:
  2}
~~~

~~~yaml
# examples/words.yaml
app: grep
~~~

~~~yaml
no: name
~~~

~~~text
printed by nobody
~~~
`
	d := document{page: "page.md"}
	d.parse(strings.ReplaceAll(page, "~~~", "```"))
	s := newShell(t, map[string]string{"examples/words.yaml": "app: wordcount  # counts\n", "docs/index.md": ""})
	d.run(s)
	var got []string
	for _, mistake := range d.mistakes {
		first, _, _ := strings.Cut(mistake, "\n")
		got = append(got, first)
	}
	want := []string{
		"page.md:24: the block does not say in its first line which file it is",
		"page.md:28: no command printed this",
		"page.md:19: this is not what examples/words.yaml says:",
		"page.md:11: slackline versoin",
		"page.md:12: slackline version",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The manual names every command, policy, part of one, application, form of a trace, key of a job,
// and key of a simulated cluster.
func TestDocumentsNameEverything(t *testing.T) {
	all := map[string]string{}
	for page := range pages(t) {
		text, err := os.ReadFile("../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		all[page] = string(text)
		all["any"] += string(text)
	}
	named := func(page, what, name string) {
		if !regexp.MustCompile("`" + regexp.QuoteMeta(name) + `\b`).MatchString(all[page]) {
			t.Errorf("%s does not name the %s %q", page, what, name)
		}
	}
	for _, c := range newRoot().Commands() {
		if c.IsAvailableCommand() && !strings.Contains(all["any"], "slackline "+c.Name()) {
			t.Errorf("no document shows slackline %s", c.Name())
		}
	}
	s := newShell(t, nil)
	var entries []struct{ Name, Kind string }
	for _, list := range []string{"policies", "apps"} {
		if err := json.Unmarshal([]byte(s.must(0, list, "-o", "json")), &entries); err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			named(map[string]string{"policies": "docs/policies.md", "apps": "docs/jobs.md"}[list], list, e.Name)
		}
	}
	for _, f := range trace.Formats() {
		named("docs/traces.md", "format", f.Name)
	}
	var schema struct{ Properties map[string]any }
	if err := json.Unmarshal([]byte(s.must(0, "schema", "job")), &schema); err != nil || len(schema.Properties) == 0 {
		t.Fatal(err)
	}
	all["docs/jobs.md or docs/streaming.md"] = all["docs/jobs.md"] + all["docs/streaming.md"]
	for key := range schema.Properties {
		if !regexp.MustCompile(`\b` + key + `\b`).MatchString(all["docs/jobs.md or docs/streaming.md"]) {
			named("docs/jobs.md or docs/streaming.md", "key", key)
		}
	}
	if err := json.Unmarshal([]byte(s.must(0, "schema", "scenario")), &schema); err != nil {
		t.Fatal(err)
	}
	cluster, _ := schema.Properties["cluster"].(map[string]any)
	keys, _ := cluster["properties"].(map[string]any)
	if len(keys) == 0 {
		t.Fatal("a cluster has no keys")
	}
	for key := range keys {
		named("docs/simulation.md", "key of a cluster", key)
	}
}

// Every link of a document leads to a file that is there, and to a heading in it. The README fits a
// few screens, and a page is no book.
func TestDocumentLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for page := range pages(t) {
		text, err := os.ReadFile("../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		most := 220
		if page == "README.md" {
			most = 120
		}
		if lines := strings.Count(string(text), "\n"); lines > most {
			t.Errorf("%s has %d lines, it may have %d", page, lines, most)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.HasPrefix(m[1], "https://") {
				continue
			}
			name, anchor, _ := strings.Cut(m[1], "#")
			file := filepath.Join("../..", filepath.Dir(page), name)
			if name == "" {
				file = "../../" + page
			}
			if info, err := os.Stat(file); err != nil {
				t.Errorf("%s: %v", page, err)
			} else if anchor != "" && (info.IsDir() || !slices.Contains(anchors(t, file), anchor)) {
				t.Errorf("%s: %s has no heading %q", page, name, anchor)
			}
		}
	}
}

// anchors are what links call the headings of a page.
func anchors(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(text)) {
		if title := strings.TrimLeft(line, "#"); title != line {
			kept := regexp.MustCompile(`[^\w\s-]`).ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			all = append(all, strings.ReplaceAll(kept, " ", "-"))
		}
	}
	return all
}
