package task

// Report says how far an attempt is that runs in another process, and that it is alive.
func (m *Meter) Report(done float64) { m.set(done) }
