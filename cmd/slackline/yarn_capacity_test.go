package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Nodes follow a trace until the command is interrupted, and have all again then.
func TestYarnCapacity(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	memory, asked := 4096, []int{}
	var lock sync.Mutex // each connection has a goroutine of its own
	manager := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lock.Lock()
		defer lock.Unlock()
		if r.Method == http.MethodGet {
			if len(asked) == 2 {
				interrupt()
			}
			fmt.Fprintf(w, `{"nodes":{"node":{"id":"n:1","state":"RUNNING","usedMemoryMB":0,"availMemoryMB":%d,"usedVirtualCores":0,"availableVirtualCores":%d}}}`,
				memory, memory/1024)
			return
		}
		var body struct{ Resource struct{ Memory int } }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		memory = body.Resource.Memory
		asked = append(asked, memory)
		fmt.Fprint(w, `{}`)
	}))
	defer manager.Close()
	file := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(file, []byte("at,capacity\n0s,0.5\n100ms,0.25\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, said bytes.Buffer
	code := Main(ctx, []string{"yarn", "capacity", manager.URL, "--trace", file, "--every", "5ms", "--store", t.TempDir()}, &out, &said)
	if got := fmt.Sprint(asked); code != exitOK || got != "[2048 1024 4096]" {
		t.Errorf("exit code %d, asked for %s MB\n%s", code, got, &said)
	}
	for _, want := range []string{"0.5 of all: 1 node changed", "0.25 of all: 1 node changed", "all nodes have all again"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, &said)
		}
	}
	for args, want := range map[string]string{
		"--command exit":                  "it must be a number from 0 to 1",
		"--trace nothing.csv":             "--trace: nothing.csv: there is no such file",
		"--command echo --every 0s":       "--every is 0s, it must be above 0",
		"--cgroup nothing":                "cpu.max cannot be read",
		"":                                "at least one of the flags",
		"--trace a --command b":           "",
		"--prometheus http://127.0.0.1:1": "",
		"--prometheus http://127.0.0.1:1 --query x": "refused",
	} {
		said.Reset()
		list := append([]string{"yarn", "capacity", manager.URL, "--store", t.TempDir()}, strings.Fields(args)...)
		if code := Main(t.Context(), list, &out, &said); code != exitBadInput || !strings.Contains(said.String(), want) {
			t.Errorf("%s: exit code %d, %s", args, code, &said)
		}
	}
}
