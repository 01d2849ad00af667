package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/units"
)

// limits are the flags of commands that run jobs on this machine: how much of it they may take, and
// how safe output has to be.
type limits struct {
	memory string
	sync   string
}

func bindLimits(cmd *cobra.Command) *limits {
	l := &limits{}
	f := cmd.Flags()
	f.StringVar(&l.memory, "memory", "", "memory that jobs may take, such as 256MiB; your own commands and programs use more on top of it (default a quarter of the machine's)")
	f.StringVar(&l.sync, "sync", "output", "what survives a power failure: output (all of it is on the disk before _SUCCESS says so), all (finished tasks of running jobs, too), or off")
	return l
}

// apply lets the machine, and this process, keep to the limits.
func (l *limits) apply(m *runs.Machine) error {
	switch l.sync {
	case "output":
		m.Sync = outdir.SyncOutput
	case "all":
		m.Sync = outdir.SyncAll
	case "off":
		m.Sync = outdir.SyncNothing
	default:
		return fmt.Errorf("--sync is %q, it must be output, all or off", l.sync)
	}
	m.Memory = defaultMemory()
	if l.memory != "" {
		var err error
		if m.Memory, err = units.ParseBytes(l.memory); err != nil {
			return fmt.Errorf("--memory: %w", err)
		}
		if m.Memory < engine.MinMemory {
			return fmt.Errorf("--memory is %v, it must be at least %v", m.Memory, units.Bytes(engine.MinMemory))
		}
	}
	// The collector works harder from there on, so that garbage does not go beyond it.
	debug.SetMemoryLimit(int64(m.Memory) * 9 / 10)
	return nil
}

// defaultMemory is a quarter of the machine's memory, or 1 GB where that is not known.
func defaultMemory() units.Bytes {
	if all := runs.PhysicalMemory(); all > 0 {
		return max(all/4, engine.MinMemory)
	}
	return units.GB
}
