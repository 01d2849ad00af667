package devcluster

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A daemon that is killed is started again, and its log goes on; one that ends by itself is the end of the
// cluster. Here a script stands for Java: its ResourceManager is killed twice, and fails at its third start.
func TestDaemonsThatAreKilledComeBack(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	const java = `#!/bin/sh
case "$*" in
*-format*) echo formatted; exit 0 ;;
*ResourceManager*)
	echo start >>` + "\"$STARTS\"" + `
	echo up
	[ "$(wc -l <"$STARTS")" -gt 2 ] && exit 7
	kill -9 $$ ;;
*) exec sleep 1000 ;;
esac
`
	if err := os.WriteFile(filepath.Join(bin, "java"), []byte(java), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("STARTS", filepath.Join(dir, "starts"))
	for name, text := range map[string]string{"nodes": "1\n", "logs/resourcemanager.log": "of the day before\n"} {
		if err := write(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel() // the others end
	if err := Host(ctx, dir); err == nil || !strings.Contains(err.Error(), "resourcemanager has ended: exit status 7") {
		t.Errorf("the cluster ended with %v", err)
	}
	log, err := os.ReadFile(filepath.Join(dir, "logs", "resourcemanager.log"))
	if err != nil || string(log) != "up\nup\nup\n" {
		t.Errorf("the log has %q, %v", log, err)
	}
}
