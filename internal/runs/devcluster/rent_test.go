package devcluster

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/worlds/cloud"
)

// What is rented has one NodeManager for each token until it is given back: then the ResourceManager is told, and when
// the NodeManager has ended for that its name can be rented again. Here a script stands for Java.
func TestRentedNodeManagers(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	const java = `#!/bin/sh
excluded() { while read -r name || [ -n "$name" ]; do [ "$name" != "$node" ] || return 0; done <"$EXCLUDED"; return 1; }
case "$*" in
*-format*) ;;
*nodemanager.NodeManager*) for a; do case $a in -Dsl.node=*) node=${a#*=} ;; esac; done
	echo "$node" >>"$STARTS"
	while [ -f "$EXCLUDED" ] && ! excluded; do sleep 0.05; done ;;
*cli.RMAdmin*) echo "$*" >>"$STARTS.admin" ;;
*) exec sleep 1000 ;;
esac
`
	if err := os.WriteFile(filepath.Join(bin, "java"), []byte(java), 0o700); err != nil {
		t.Fatal(err)
	}
	c := &Cluster{Dir: dir}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("STARTS", filepath.Join(dir, "starts"))
	t.Setenv("EXCLUDED", c.excluded())
	for name, text := range map[string]string{"nodes": "7\n", "conf/exclude": ""} {
		if err := write(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := Renting{c}
	say := func(call string) string {
		t.Helper()
		var out bytes.Buffer
		if err := cloud.Answer(t.Context(), r, strings.NewReader(call), &out); err != nil {
			return err.Error()
		}
		return strings.TrimSpace(out.String())
	}
	if got := say(`{"do":"list"}`); !strings.HasPrefix(got, "no cluster is running") {
		t.Errorf("it answers %s", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error)
	go func() { over <- Host(ctx, dir) }()
	defer func() { cancel(); <-over }()
	until := func(what string, done func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal(what, say(`{"do":"list"}`))
			}
		}
	}
	started := func(node string) bool {
		text, _ := os.ReadFile(filepath.Join(dir, "starts")) // none has started yet
		return strings.Contains(string(text), node+"\n")
	}
	until("the cluster does not run", c.Runs)
	for call, want := range map[string]string{`{"do":"list"}`: `{"nodes":[]}`, `{"do":"rent"}`: "it is asked to do", "x": "standard input has no JSON",
		`{"do":"give-back","token":"none"}`: "{}"} {
		if got := say(call); !strings.HasPrefix(got, want) {
			t.Errorf("%s: it answers %s", call, got)
		}
	}
	for _, token := range []string{"a", "a", "b"} {
		if got := say(`{"do":"rent","token":"` + token + `"}`); got != "{}" {
			t.Errorf("it answers %s", got)
		}
	}
	if got := say(`{"do":"rent","token":"c"}`); !strings.HasPrefix(got, "all 9 nodes") {
		t.Errorf("there are names for nine, and it answers %s", got)
	}
	until("they do not start", func() bool { return started("n8") && started("n9") })
	say(`{"do":"give-back","token":"a"}`)
	say(`{"do":"give-back","token":"a"}`)
	until("it is not given back", func() bool { return say(`{"do":"list"}`) == `{"nodes":[{"token":"b","up":false,"name":"n9"}]}` })
	if text, err := os.ReadFile(filepath.Join(dir, "starts.admin")); err != nil || !strings.Contains(string(text), "-refreshNodes -g") {
		t.Errorf("the ResourceManager is told %q, %v", text, err)
	}
	if got := say(`{"do":"rent","token":"d"}`); got != "{}" {
		t.Errorf("its name cannot be rented again: %s", got)
	}
	until("it does not start", func() bool {
		text, _ := os.ReadFile(filepath.Join(dir, "starts"))
		return strings.Count(string(text), "n8") == 2
	})
}
