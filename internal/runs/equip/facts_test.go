package equip

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/studies/scenario"
)

// Whatever changes the output of a job of commands changes its facts: a run that was interrupted
// must not go on with another program.
func TestFactsChangeWithTheJob(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	read := func(more string) string {
		t.Helper()
		src := "map: sh m.sh\ninput: " + dir + "/x\noutput: y\nfiles: [" + dir + "/m.sh, " + dir + "/tree]\n" + more
		f, err := scenario.ReadJob("f.yaml", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := Jobs([]*scenario.Job{f}, Options{Block: 100, Now: time.Unix(1, 0)})
		if err != nil {
			t.Skip("NOT CHECKED:", err) // no sh
		}
		return fmt.Sprint(jobs[0].Facts)
	}
	write("x", "")
	write("m.sh", "cat")
	write("tree/a", "a")
	seen := map[string]string{read(""): "nothing"}
	if read("") != read("name: other\n") {
		t.Error("a name decides the output")
	}
	see := func(what, got string) {
		if other, twice := seen[got]; twice {
			t.Errorf("%s and %s are the same: %s", what, other, got)
		}
		seen[got] = what
	}
	for _, more := range []string{"reduce: cat\n", "combine: cat\n", "key_fields: 2\n", "key_fields: 2\npartition_fields: 1\n", "env: {a: b}\n", "conf: {a: b}\n", "one_command: true\n"} {
		see(strings.TrimSpace(more), read(more))
	}
	for _, line := range []string{"reduce: cat DIR/script\n", "reduce: sh -c 'exec cat DIR/script'\n"} {
		line = strings.ReplaceAll(line, "DIR", dir)
		write("script", "1")
		see(line, read(line))
		write("script", "2")
		see(line+"with another script", read(line))
	}
	write("m.sh", "tac")
	see("another mapper", read(""))
	write("tree/b", "")
	see("another side file", read(""))
}
