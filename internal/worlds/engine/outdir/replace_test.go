package outdir

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/slackline/slackline/internal/worlds/engine/success"
)

// A power cut between the log and the folder that it lay in leaves a _temporary beside a finished output: it is
// cleared away where the output is replaced, as where it is resumed or discarded.
func TestReplaceableClearsWhatIsLeft(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	for name, text := range map[string]string{
		"part-r-00000": "a\t1\n", "_temporary/1/part-m-00000": "x",
		SuccessFile: string(success.Text([]success.Part{{Name: "part-r-00000", Size: 4}})),
	} {
		path := filepath.Join(out, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if whole, err := Replaceable(out); !whole || err != nil {
		t.Fatal(whole, err)
	}
	if _, err := os.Lstat(filepath.Join(out, "_temporary")); !os.IsNotExist(err) {
		t.Error("_temporary is left: ", err)
	}
}
