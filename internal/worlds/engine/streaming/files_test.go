package streaming

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A script that was saved on Windows is there, and what its first line names is not.
func TestScriptWithCR(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.sh")
	if err := os.WriteFile(path, []byte("#!/bin/sh\r\ncat\r\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	want := `m.sh cannot be run: its first line names "/bin/sh\r", which does not exist; save it with LF as line end, and it names /bin/sh`
	if _, err := Runnable("m.sh", path); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
