//go:build unix && !linux

package process

import (
	"os"
	"os/exec"
	"syscall"

	"github.com/slackline/slackline/units"
)

// family is a command with all that it started and that stayed in its process group.
type family struct{ root int }

func (f *family) start(cmd *exec.Cmd, limits *Limits) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	limitFiles(cmd, limits.Files)
	if err := cmd.Start(); err != nil {
		return err
	}
	f.root = cmd.Process.Pid
	return nil
}

func (f *family) kill() { _ = syscall.Kill(-f.root, syscall.SIGKILL) }

func (f *family) end() error { return nil }

func (f *family) watch(units.Bytes, <-chan struct{}, func(error)) {}

func (f *family) verdict(*Limits) error { return nil }

func (f *family) taken(*os.ProcessState) Usage { return Usage{} }

func how() string { return "process groups; memory is not bounded on this system" }
