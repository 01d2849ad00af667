package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"
	"unsafe"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/slackline/slackline/units"
)

// pseudoTerminal opens both ends of one.
func pseudoTerminal(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("NOT CHECKED: there are no pseudo-terminals here:", err)
	}
	t.Cleanup(func() { ours.Close() })
	var unlock, number int32
	raw, err := ours.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) {
		for request, to := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlock, syscall.TIOCGPTN: &number} {
			if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(unsafe.Pointer(to))); errno != 0 {
				err = errno
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip("NOT CHECKED: there are no pseudo-terminals here:", err)
	}
	if theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		t.Skip("NOT CHECKED: there are no pseudo-terminals here:", err)
	}
	return ours, theirs
}

// onTerminal runs slackline with both its streams on a terminal, and returns what came there and the exit code.
func (s *shell) onTerminal(args ...string) (string, int) {
	s.t.Helper()
	ours, theirs := pseudoTerminal(s.t)
	cmd := s.command(args...)
	cmd.Env = append(cmd.Env, "TERM=xterm")
	cmd.Stdout, cmd.Stderr = theirs, theirs
	err := cmd.Start()
	theirs.Close()
	if err != nil {
		s.t.Fatal(err)
	}
	var text bytes.Buffer
	// EIO says that the other end is closed
	if _, err := io.Copy(&text, ours); err != nil && !errors.Is(err, syscall.EIO) {
		s.t.Error(err)
	}
	err = cmd.Wait()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		s.t.Fatal(err)
	}
	return strings.ReplaceAll(text.String(), "\r\n", "\n"), cmd.ProcessState.ExitCode()
}

// What users' code says cannot command a terminal: not in a run, not in its summary, not later. In
// a pipe logs has it as it was said.
func TestControlCharactersOnATerminal(t *testing.T) {
	need(t, "sh")
	s := newShell(t, map[string]string{"in": "x\n", "said": "\x1b[31mred\a\ttab\n\x1b]0;title\a \x9b2J end\n", "words": "s\x1b[7m\n"})
	s.write("bad.yaml", `name: bad
class: "c\e[35m"
map: sh -c 'cat said words >&2; echo reporter:status:"$(cat words)" >&2; echo "reporter:counter:g\e[8m,n,1" >&2; exit 1'
files: [said, words]
input: in
output: out
`)
	s.env = append(s.env, "NO_COLOR=1") // all colours are theirs
	check := func(what, text string) {
		t.Helper()
		for _, bad := range []string{"\x1b[31m", "\x1b]0;", "\x9b", "\a", "\x1b[7m", "\x1b[8m", "\x1b[35m"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s: %q reaches the terminal in\n%q", what, bad, text)
			}
		}
	}
	text, code := s.onTerminal("run", "bad.yaml")
	check("run", text)
	if code != 1 || !strings.Contains(text, `\x1b[31mred\a`) || !strings.Contains(text, `c\x1b[35m`) {
		t.Errorf("%d: %q", code, text)
	}
	for _, c := range []struct{ args, want string }{
		{"jobs -o wide", `c\x1b[35m`},
		{"show 1", `\x1b[31mred\a`},
		{"logs 1", "failed   the map command "},
		{"logs 1 map-1", "\n\\x1b[31mred\\a\ttab\n\\x1b]0;title\\a ?2J end\n"},
		{"logs 1 --text", "\n\\x1b[31mred\\a\ttab\n"},
	} {
		text, code := s.onTerminal(strings.Fields(c.args)...)
		check(c.args, text)
		if code != 0 || !strings.Contains(strings.ReplaceAll(text, "        ", "\t"), c.want) {
			t.Errorf("%s: %d, want %q in\n%q", c.args, code, c.want, text)
		}
	}
	r := s.run("logs", "1", "map-1", "--text", "--limit", "1")
	if want := "map-1, try 1:\n\x1b[31mred\a\ttab\n\x1b]0;title\a ?2J end\ns\x1b[7m\n"; r.stdout != want {
		t.Errorf("in a pipe: %q, want %q", r.stdout, want)
	}
}

// screen is what a terminal shows in the end of what came to it, which never moves but up, to erase from there.
func screen(text string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		for {
			_, rest, found := strings.Cut(line, "\x1b[")
			n := 0
			if _, err := fmt.Sscanf(rest, "%dA\r\x1b[J", &n); !found || err != nil {
				break
			}

			lines = lines[:max(0, len(lines)-n)] // and what stands in this one
			_, line, _ = strings.Cut(rest, "\x1b[J")
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// What is told of a run in the meantime is broken into lines that fit, also where a frame stands below.
func TestLongLinesOnATerminal(t *testing.T) {
	ours, theirs := pseudoTerminal(t)
	sentence := strings.TrimSpace(strings.Repeat("it is late, ", 30))
	newLog(theirs).say(units.Time(117*units.Second), "%s", sentence)
	newLog(aboveFrame{&live{frame: frame{out: theirs}}}).say(0, "%s", sentence)
	theirs.Close()
	var text bytes.Buffer
	_, _ = io.Copy(&text, ours)
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(text.String(), "\r\n", "\n")), "\n")
	for i, line := range lines {
		if first := i == 0 || i == len(lines)/2; utf8.RuneCountInString(line) > 100 || !first && !strings.HasPrefix(line, "             ") {
			t.Errorf("%d: %q", i, line)
		}
	}
	if got := strings.Join(strings.Fields(text.String()), " "); len(lines) < 8 || got != "1:57 min "+sentence+" 0.0 s "+sentence {
		t.Errorf("%q", got)
	}
}

// How many runs of a grid are done is drawn again and again in one line, which is gone in the end.
func TestBarOnATerminal(t *testing.T) {
	s := newShell(t, map[string]string{"s.yaml": "cluster: {nodes: 2}\nworkload: {jobs: [{id: a, maps: 20000, map_time: 10s}]}\npolicies: [fifo, fair]\n"})
	text, code := s.onTerminal("simulate", "s.yaml", "--seed", "1..20")
	if code != 0 || !strings.Contains(text, " of 40 runs") {
		t.Errorf("%d: nothing was drawn: %q", code, text)
	}
	if left := screen(text); strings.Contains(left, " of 40 runs") {
		t.Errorf("what was drawn is left: %q", left)
	}
}

// What somebody does at a terminal pauses a run: Ctrl-C, which commands and workers do not get, and
// closing the window, after which nothing can be told any more.
func TestPauseAtATerminal(t *testing.T) {
	need(t, "sh", "sleep")
	for _, how := range []string{"Ctrl-C", "the window closes"} {
		t.Run(how, func(t *testing.T) {
			s := newShell(t, map[string]string{"long.yaml": "name: long\nmap: sh -c 'sleep 100; cat'\ninput: in\noutput: out/long\n", "in": "x\n",
				"quick.yaml": "name: long\nmap: cat\ninput: in\noutput: out/long\n"})
			ours, theirs := pseudoTerminal(t)
			cmd := s.command("run", "long.yaml")
			cmd.Env = append(cmd.Env, "TERM=xterm")
			cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			err := cmd.Start()
			theirs.Close()
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			buf := make([]byte, 4096)
			for !strings.Contains(text.String(), "maps 0 of 1") || len(s.jobs("--state", "running").Jobs) == 0 {
				n, err := ours.Read(buf)
				if text.Write(buf[:n]); err != nil {
					t.Fatalf("%v: %s", err, text.String())
				}
			}
			if how == "Ctrl-C" {
				if _, err := ours.Write([]byte{3}); err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(&text, ours)
				if !strings.HasSuffix(screen(text.String()), "\nslackline: stopping; press again to stop at once\njob \"long\" is interrupted: 0 of 1 maps and 0 of 1 reduces are done\nslackline: interrupted; slackline resume out/long continues it\n") {
					t.Errorf("%q", text.String())
				}
			} else {
				ours.Close()
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != exitInterrupt {
				t.Errorf("exit code %d, want %d", code, exitInterrupt)
			}
			if left := s.jobs("--state", "interrupted").Jobs; len(left) != 1 || left[0].Failures != 0 {
				t.Errorf("jobs: %+v", left)
			}
			out := s.must(0, "discard", "out/long")
			if !strings.HasPrefix(out, "out/long: discarded 0 maps and 0 reduces that were done, in 2 files of ") || !strings.HasSuffix(out, ", and the directory\n") {
				t.Errorf("discard: %q", out)
			}
		})
	}
}

// On a terminal nothing is wider than that, what is late stands out unless nobody wants colours, and -o wide has all
// columns.
func TestTablesFitTheTerminal(t *testing.T) {
	example, err := os.ReadFile("../../examples/two-jobs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s := newShell(t, map[string]string{"two-jobs.yaml": string(example)})
	args := []string{"simulate", "two-jobs.yaml", "--seed", "1"}
	fitted, _ := s.onTerminal(args...)
	for line := range strings.SplitSeq(fitted, "\n") {
		if n := text.StringWidthWithoutEscSequences(line); n > 100 { // what a terminal has that does not say
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, want := range []string{"\x1b[31mLATE by 57.5 s\x1b[0m", "not shown: class, maps, reduces, submitted; -o wide has all"} {
		if !strings.Contains(fitted, want) {
			t.Errorf("%q is not in\n%s", want, fitted)
		}
	}
	wide, _ := s.onTerminal(append(args, "-o", "wide", "--color", "never")...)
	if strings.Contains(wide, "not shown") || strings.Contains(wide, "\x1b[31m") || !strings.Contains(wide, "reduces  submitted") {
		t.Error(wide)
	}
	piped := s.must(0, args...)
	if strings.Contains(piped, "not shown") || strings.Contains(piped, "\x1b") {
		t.Error(piped)
	}
	if r := s.run(append(args, "--color", "always")...); !strings.Contains(r.stdout, "\x1b[31mLATE") || strings.Contains(r.stdout, "not shown") {
		t.Error(r.stdout)
	}
	s.env = append(s.env, "NO_COLOR=1")
	if plain, _ := s.onTerminal(args...); strings.Contains(plain, "\x1b[31m") {
		t.Error(plain)
	}
	if r := s.run(append(args, "--color", "red")...); r.code != 2 || !strings.Contains(r.stderr, `--color "red": it must be auto, always or never`) {
		t.Error(r)
	}
}
