package lab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/engine"
)

// What no attempt could be given is told before anything runs.
func TestCommandsRefuse(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{"in.txt", "big.py", "x/a", "y/a"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for more, want := range map[string]string{
		"files: [in.txt#a, big.py#a]\n": `"in.txt#a" and "big.py#a" would both be "a"`,
		"files: [x/a, y/a]\n":           `"x/a" and "y/a" would both be "a"`,
		"env: {\"A=B\": x}\n":           `"A=B" cannot be a variable`,
	} {
		f, err := scenario.ReadJob("f.yaml", []byte("map: cat\ninput: [in]\noutput: out\n"+more))
		if err != nil {
			t.Fatal(err)
		}
		err = equip(&engine.Job{}, f, 1, 1, time.Unix(1, 0))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "f.yaml:") {
			t.Errorf("%s: %v, want %s", more, err, want)
		}
	}
}
