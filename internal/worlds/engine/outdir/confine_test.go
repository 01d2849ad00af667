package outdir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/worlds/engine/task"
)

// What an attempt left in its directory does not lead a commit out of the output directory.
func TestCommitFollowsNoLinks(t *testing.T) {
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "part-r-00000"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		leave func(dir string) error
		parts []task.Part
		want  string
	}{
		"nothing wrong": {func(dir string) error { return os.WriteFile(filepath.Join(dir, "part-r-00000"), []byte("x"), 0o666) }, []task.Part{{Name: "part-r-00000", Size: 1}}, ""},
		"a link": {func(dir string) error {
			return os.Symlink(filepath.Join(outside, "part-r-00000"), filepath.Join(dir, "part-r-00000"))
		}, []task.Part{{Name: "part-r-00000"}}, "is not a plain file"},
		"a directory": {func(dir string) error { return os.Mkdir(filepath.Join(dir, "part-r-00000"), 0o777) }, []task.Part{{Name: "part-r-00000"}}, "is not a plain file"},
		"its directory is a link": {func(dir string) error {
			if err := os.Remove(dir); err != nil {
				return err
			}
			return os.Symlink(outside, dir)
		}, []task.Part{{Name: "part-r-00000"}}, "is no longer a directory"},
		"a name that leads out": {func(string) error { return nil }, []task.Part{{Name: "../../../../part-r-00000"}}, "is not a file name"},
		"a name of nothing":     {func(string) error { return nil }, []task.Part{{Name: "part-r-00000"}}, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			committer := at(filepath.Join(t.TempDir(), "out"))
			setUp(t, committer)
			dir := committer.AttemptDir(of(true, 0), 0)
			if err := os.MkdirAll(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := c.leave(dir); err != nil {
				t.Skip("NOT CHECKED:", err)
			}
			err := committer.CommitTask(&Commit{Task: of(true, 0), Parts: c.parts}, 0)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if _, err := os.Stat(filepath.Join(outside, "part-r-00000")); err != nil {
				t.Fatal("a file outside is gone")
			}
		})
	}
}
