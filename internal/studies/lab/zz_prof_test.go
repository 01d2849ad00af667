package lab

import (
	"os"
	"runtime/pprof"
	"testing"

	"github.com/slackline/slackline/internal/studies/scenario"
)

func TestZZ(t *testing.T) {
	path := os.Getenv("ZZ")
	text, _ := os.ReadFile(path)
	s, err := scenario.Read(path, text)
	if err != nil {
		t.Fatal(err)
	}
	f, _ := os.Create("/tmp/cpu.prof")
	pprof.StartCPUProfile(f)
	if _, err := Run(t.Context(), Cells(s, []string{os.Getenv("ZP")}, []uint64{1})[0]); err != nil {
		t.Fatal(err)
	}
	pprof.StopCPUProfile()
}
