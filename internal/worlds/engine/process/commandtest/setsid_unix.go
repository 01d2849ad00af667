//go:build unix

package commandtest

import (
	"os"
	"os/exec"
	"syscall"
)

func init() { commands["setsid"] = setsid }

// setsid must not lead a process group, as no background command of a script does.
func setsid(args []string) error {
	if _, err := syscall.Setsid(); err != nil {
		return err
	}
	path, err := exec.LookPath(args[0])
	if err != nil {
		return err
	}
	return syscall.Exec(path, args, os.Environ())
}
