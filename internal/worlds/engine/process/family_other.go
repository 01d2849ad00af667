//go:build !unix

package process

import (
	"os"
	"os/exec"

	"github.com/slackline/slackline/units"
)

// family is a command alone: what it started is not found here.
type family struct{ cmd *exec.Cmd }

func (f *family) start(cmd *exec.Cmd, _ *Limits) error {
	f.cmd = cmd
	return cmd.Start()
}

func (f *family) kill() { _ = f.cmd.Process.Kill() }

func (f *family) end() error { return nil }

func (f *family) watch(units.Bytes, <-chan struct{}, func(error)) {}

func (f *family) verdict(*Limits) error { return nil }

func (f *family) taken(*os.ProcessState) Usage { return Usage{} }

func how() string {
	return "single processes; neither memory nor open files are bounded on this system"
}

// overFileSize is unknown here: there is no such limit.
func overFileSize(*os.ProcessState) bool { return false }

// largest is not known.
func largest(*os.ProcessState) units.Bytes { return 0 }
