package streaming

import (
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWords(t *testing.T) {
	for line, want := range map[string][]string{
		`python3 m.py`:                  {"python3", "m.py"},
		`  awk -F'\t' "{ print }" `:     {"awk", `-F\t`, "{ print }"},
		`a ''`:                          {"a", ""},
		"sh -c 'a | b \"c\"'\t":         {"sh", "-c", `a | b "c"`},
		`sh -c "echo \"$x\""`:           {"sh", "-c", `echo "$x"`},
		"a \"\\$x \\`y\\` \\\\ \\\nz\"": {"a", "$x `y` \\ z"},
		`a "\t\'"`:                      {"a", `\t\'`},
		"a \xff$x *":                    {"a", "\xff$x", "*"},
	} {
		if got, err := Words(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", line, got, err)
		}
	}
	for line, want := range map[string]string{"a 'b": "the quote ' is not closed", `a "b\"`: `the quote " is not closed`, " ": "there is no command"} {
		if _, err := Words(line); err == nil || err.Error() != want {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// What only a shell would know is refused, and nothing that somebody may mean as it stands.
func TestCommandsOfAShell(t *testing.T) {
	for line, sign := range map[string]string{"cat | tr a b": "|", "cat >out": ">", "cat 2>&1": ">", "cat <in": "<", "cat;cat": ";", "cat &": "&", "python3 ~/w.py": "~",
		"~/w.py": "~", `python3 "$HOME/w.py"`: "$", "python3 $HOME/w.py": "$", "${HOME}/w": "$", `a ""$x`: ""} {
		words, err := Command(line)
		if sign == "" && err == nil || err != nil && strings.Contains(err.Error(), "no shell to interpret "+sign+"; put the whole line into sh -c '…'") {
			continue
		}
		t.Errorf("%s: %q, %v", line, words, err)
	}
	for _, line := range []string{`sh -c 'cat | tr a b; echo "$HOME" >&2'`, `sh -c "cat | tr a b"`, `a '~/w' "~/w" x~ '$HOME' a$ $ "\$HOME" \~ \| "|" x=$y $1 grep.*`} {
		words, err := Command(line)
		if want, e := Words(line); err != nil || e != nil || !slices.Equal(words, want) {
			t.Errorf("%s: %q, %v", line, words, err)
		}
	}
}

func TestWordsOutsideOfQuotes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a backslash separates the names of a path here")
	}
	if got, err := Words(`a\ b \"c\" \\ \''d'\` + "\n" + `e`); err != nil || !slices.Equal(got, []string{"a b", `"c"`, `\`, `'de`}) {
		t.Errorf("%q, %v", got, err)
	}
	for line, want := range map[string]string{`awk -F\t x`: `a shell reads \t as t`, `a \`: `nothing follows the \`} {
		if _, err := Words(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// A shell splits the same lines in the same way, where nothing in them has a meaning that Words does not know.
func TestWordsAsAShell(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil || runtime.GOOS == "windows" {
		t.Skip("NOT CHECKED: there is no sh on this machine")
	}
	rapid.Check(t, func(t *rapid.T) {
		line := "x" + strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", " ", "'", `"`, `\`, `\$`, "\\`", "\n", "\t", "é", "."}), 1, 12).Draw(t, "line"), "")
		words, err := Words(line)
		if err != nil || strings.Contains(line, "\n") && !strings.ContainsAny(line, `"'`) { // a line of its own would be a command of its own
			return
		}
		for rest := line; ; { // nor may a line end stand outside of quotes
			i := strings.IndexByte(rest, '\n')
			if i < 0 {
				break
			}
			if before := line[:len(line)-len(rest)+i]; !escapes(before) && !open(before) {
				return
			}
			rest = rest[i+1:]
		}
		if strings.ContainsAny(unescaped(line), "$`") {
			return
		}
		out, err := exec.Command("sh", "-c", "printf '%s\\0' "+line).Output()
		if want := strings.Join(words, "\x00") + "\x00"; err != nil || string(out) != want {
			t.Fatalf("%q: a shell says %q (%v), Words %q", line, out, err, words)
		}
	})
}

// escapes tells whether the line ends in a backslash that no other one takes the meaning from.
func escapes(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

// open tells whether a quote is open at the end.
func open(line string) bool {
	_, err := Words(line + " x")
	return err != nil && strings.Contains(err.Error(), "is not closed")
}

// unescaped is the line without signs behind a backslash.
func unescaped(line string) string {
	return strings.NewReplacer(`\\`, "", `\$`, "", "\\`", "").Replace(line)
}

func FuzzWords(f *testing.F) {
	f.Add(`python3 m.py 'a b' "c"`)
	f.Fuzz(func(t *testing.T, line string) {
		words, err := Words(line)
		if (err == nil) == (len(words) == 0) {
			t.Errorf("%q: %q, %v", line, words, err)
		}
	})
}

// A command is shown as a line that means the same words.
func TestLineOfWords(t *testing.T) {
	for want, argv := range map[string][]string{
		"python3 m.py":                {"python3", "m.py"},
		"sh -c 'cat; echo \"x\" >&2'": {"sh", "-c", `cat; echo "x" >&2`},
		`'it'"'"'s' ''`:               {"it's", ""},
	} {
		if got := Line(argv); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		argv := rapid.SliceOfN(rapid.StringOf(rapid.Rune().Filter(func(r rune) bool { return r != 0 })), 1, 4).Draw(t, "argv")
		if got, err := Words(Line(argv)); err != nil || !slices.Equal(got, argv) {
			t.Fatalf("%q: %q, %v", Line(argv), got, err)
		}
	})
}
