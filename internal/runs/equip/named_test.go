package equip

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Files that a command names are found wherever a shell finds them.
func TestNamed(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "m.sh")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"sh FILE", "sh -c 'sh FILE; true'", `sh -c "cat|FILE"`, "sh -c 'cat<FILE'", "awk -fFILE", "grep --file=FILE", `sh "FILE"`} {
		if got := named(strings.Replace(command, "FILE", file, 1)); !slices.Equal(got, []string{file}) {
			t.Errorf("%s: %q", command, got)
		}
	}
	if got := named("sh " + dir + " " + file + "x"); got != nil {
		t.Errorf("%q", got)
	}
}
