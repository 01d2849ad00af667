package page

// mix knows which job took most of some time, with three counters after Misra and Gries ("Finding
// repeated elements", 1982): what it says of a job's share is a lower bound, and a job with more
// than a quarter of the time is among the counters.
type mix struct {
	jobs    [3]int32
	weights [3]int64 // 0: the counter is free
}

// add counts time of a job.
func (m *mix) add(job int32, weight int64) {
	for weight > 0 {
		free, least := -1, weight
		for i := range m.jobs {
			switch {
			case m.weights[i] == 0:
				free = i
			case m.jobs[i] == job:
				m.weights[i] += weight
				return
			default:
				least = min(least, m.weights[i])
			}
		}
		if free >= 0 {
			m.jobs[free], m.weights[free] = job, weight
			return
		}
		for i := range m.weights {
			m.weights[i] -= least
		}
		weight -= least
	}
}

// join adds what another one counted.
func (m *mix) join(o *mix) {
	for i := range o.jobs {
		m.add(o.jobs[i], o.weights[i])
	}
}

// top returns the job with most of the time and how much that is at least.
func (m *mix) top() (job int32, weight int64) {
	best := 0
	for i := range m.weights {
		if m.weights[i] > m.weights[best] || m.weights[i] == m.weights[best] && m.jobs[i] < m.jobs[best] {
			best = i
		}
	}
	return m.jobs[best], m.weights[best]
}
