package conform

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// Every word of the contract is sent and answered while the suite runs: one that is not has no place
// in it. Events, controls, supplies and codes count over all worlds together, verbs in each world that
// can do them. A part of the suite says nothing about that.
//
// The race detector learns nothing from worlds of one goroutine, and takes ten times as long: it
// watches the engine alone.
func TestMain(m *testing.M) {
	flag.Parse()
	if run := flag.Lookup("test.run").Value; raced && run.String() == "" {
		_ = run.Set("^TestEngine$")
	}
	code := m.Run()
	if whole := flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == "" && flag.Lookup("test.list").Value.String() == ""; whole && code == 0 {
		for _, what := range said.missing() {
			fmt.Fprintln(os.Stderr, "--- FAIL: "+what)
			code = 1
		}
	}
	os.Exit(code)
}
