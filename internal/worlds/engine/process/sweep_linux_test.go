package process

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// A cgroup is young until its maker had time to lock it, unless the maker is dead.
func TestMakerDied(t *testing.T) {
	dead := exec.Command("/bin/true")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		fmt.Sprintf("%s%d-1", cgroupPrefix, dead.Process.Pid): true,
		fmt.Sprintf("%s%d-1", cgroupPrefix, os.Getpid()):      false,
		cgroupPrefix + "1-1": false, // lives, whoever's it is
		cgroupPrefix + "x-1": false,
		cgroupPrefix:         false,
	} {
		if got := makerDied(name); got != want {
			t.Errorf("the maker of %s is dead: %v", name, got)
		}
	}
}
