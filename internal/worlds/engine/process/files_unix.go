//go:build unix

package process

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// overFileSize tells whether a command was killed as it wrote more to a file than its limits allow.
func overFileSize(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGXFSZ
}

// limitFiles bounds the open files of a command. Only a process itself can do that before it
// begins: a shell does, and becomes the command.
func limitFiles(cmd *exec.Cmd, most int) {
	if most > 0 {
		script := "ulimit -n " + strconv.Itoa(most) + ` && exec "$@"`
		cmd.Args = append([]string{"/bin/sh", "-c", script, "sh", cmd.Path}, cmd.Args[1:]...)
		cmd.Path = "/bin/sh"
	}
}
