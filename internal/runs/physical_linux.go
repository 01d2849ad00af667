package runs

import (
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/slackline/slackline/units"
)

// PhysicalMemory returns the memory of this machine, or of the container that this process runs in;
// 0 if it is not known.
func PhysicalMemory() units.Bytes {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return 0
	}
	all := units.Bytes(uint64(info.Totalram) * uint64(info.Unit))
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
			all = min(all, units.Bytes(n))
		}
	}
	return all
}
