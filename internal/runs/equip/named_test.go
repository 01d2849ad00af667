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
	script := filepath.Join(dir, "mapper")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ncat\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for _, command := range []string{"mapper", "env X=1 mapper -v", "sh -c 'cat | mapper'", "sh -c 'X=1 mapper;true'"} {
		if got := named(command); !slices.Equal(got, []string{script}) {
			t.Errorf("%s: %q", command, got)
		}
	}
	if got := named("sh " + dir + " " + file + "x"); got != nil {
		t.Errorf("%q", got)
	}
}
