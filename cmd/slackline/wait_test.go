//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// held is the map of a job that goes on once nothing holds it, by the last folder of its output, however fast or
// slow the machine is.
const held = `map: sh -c 'h="$` + holds + `/${mapreduce_output_fileoutputformat_outputdir##*/}"; ` +
	`while [ -e "$h" ] && [ -e "$(cat "$h")" ]; do sleep 0.01; done; cat'`

// hold holds such jobs once there is this file, where one is named. Release lets them go on.
func (s *shell) hold(folder, once string) {
	s.t.Helper()
	need(s.t, "sh", "sleep", "cat")
	s.write("holds/"+folder, s.path(once))
}

func (s *shell) release(folder string) {
	s.t.Helper()
	if err := os.Remove(s.path("holds/" + folder)); err != nil {
		s.t.Fatal(err)
	}
}

// awaits waits until something is so.
func (s *shell) awaits(what string, is func() bool) {
	s.t.Helper()
	for began := time.Now(); !is(); time.Sleep(time.Millisecond) {
		if time.Since(began) > time.Minute {
			s.t.Fatalf("a minute later it is not so that %s", what)
		}
	}
}

// begun waits until a job has begun to write to an output.
func (s *shell) begun(output string) {
	s.t.Helper()
	s.awaits("a job writes to "+output, func() bool {
		log, err := os.ReadFile(filepath.Join(s.path(output), "_temporary", "log"))
		return err == nil && strings.HasSuffix(string(log), "\n")
	})
}

// finishes waits until a job of that name has finished, by what jobs says.
func (s *shell) finishes(name string) {
	s.t.Helper()
	s.awaits("job "+name+" has finished", func() bool { return len(s.jobs("--name", name, "--state", "finished").Jobs) > 0 })
}
