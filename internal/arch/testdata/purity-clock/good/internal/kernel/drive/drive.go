// Package drive is handed a stopwatch.
package drive

import "time"

type loop struct{ stopwatch func() time.Duration }

func (l loop) spent(since time.Duration) time.Duration { return l.stopwatch() - since }

func parse(s string) (time.Time, error) { return time.Parse(time.RFC3339, s) }
