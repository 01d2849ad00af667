package experiment

import "github.com/slackline/slackline/internal/maths/each"

// completion000 is about completion times of the jobs of table 3.
func completion000() *Experiment {
	e := &Experiment{Name: "000-completion", Paper: "paper 000, section 6.1 (figure 8)", Took: "10 s",
		About: "completion time: RDS, EDF-N, EDF-P, Fair, in a cluster whose capacity changes"}
	for _, c := range []struct{ how, file, letter string }{
		{"scale-up", "../000-penalty/up.yaml", "a"}, {"scale-out", "../000-penalty/out.yaml", "b"},
	} {
		fair, edfN := play("Fair", c.file, "fair"), play("EDF-N", c.file, "edf-n")
		edfP, rds := play("EDF-P", c.file, "edf-p"), play("RDS", c.file, "rds")
		for _, than := range []Row{fair, edfN, edfP} {
			e.claim(c.how+", "+than.Policy, c.how+": jobs take less time under RDS than under "+than.Name,
				less(completion(allJobs), rds, than))
		}
		e.figure(Figure{Title: c.how + ": completion time", Source: "000 figure 8" + c.letter, Bars: true, Metric: completion(allJobs)},
			line("Fair", 0, fair), line("EDF-N", 1, edfN), line("EDF-P", 2, edfP), line("RDS", 3, rds))
		jobs := []string{allJobs, "J1", "J2", "J3", "J4", "J5", "J6", "J7", "J8", "J9"}
		e.table(c.how+": completion time (figure 8"+c.letter+")", each.Of(jobs, completion), fair, edfN, edfP, rds)
	}
	return e
}
