package process

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// A cgroup is young until its maker had time to lock it, unless the maker is dead.
func TestMakerDied(t *testing.T) {
	dead := exec.Command("sh", "-c", "exit 0")
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

// A maker that was killed and that nobody has waited for yet is dead too: its number is still in use.
func TestZombieIsDead(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("%s%d-1", cgroupPrefix, cmd.Process.Pid)
	if makerDied(name) {
		t.Error("the maker lives, and counts as dead")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); !makerDied(name); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Error("the maker was killed, and counts as alive")
			break
		}
	}
	_ = cmd.Wait() // which says that it was killed
}
