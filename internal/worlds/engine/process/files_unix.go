//go:build unix

package process

import (
	"os/exec"
	"strconv"
)

// limitFiles bounds the open files of a command. Only a process itself can do that before it begins: a shell does, and becomes the
// command.
func limitFiles(cmd *exec.Cmd, most int) {
	if most > 0 {
		script := "ulimit -n " + strconv.Itoa(most) + ` && exec "$@"`
		cmd.Args = append([]string{"/bin/sh", "-c", script, "sh", cmd.Path}, cmd.Args[1:]...)
		cmd.Path = "/bin/sh"
	}
}
