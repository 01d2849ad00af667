package experiment

import "github.com/slackline/slackline/internal/maths/each"

// bounds000 is about soft and hard deadlines.
func bounds000() *Experiment {
	e := &Experiment{Name: "000-bounds", Paper: "paper 000, section 6.2 (figure 9)", Took: "15 s",
		About: "soft and hard deadlines: wordcount, grep, terasort, Hive, in a cluster whose capacity changes"}
	rds := func(file string) Row { return play("RDS", file, "rds") }
	for _, how := range []string{"scale-up", "scale-out"} {
		file := map[string]string{"scale-up": "up.yaml", "scale-out": "out.yaml"}[how]
		classes := []string{"wordcount", "grep", "terasort", "hive"}
		for _, class := range classes {
			e.claim(how+", "+class, how+": at most half of the jobs of "+class+" that are late by the soft deadline are late by the hard one",
				below(0.5, hardOfSoft(class), rds(file)))
		}
		for _, class := range classes[:3] {
			e.claim(how+", hive below "+class, how+": more jobs of "+class+" than of hive miss the soft deadline",
				moreOf(softLate(class), rds(file).called(class), softLate("hive"), rds(file).called("hive")))
		}
		if how == "scale-out" {
			up, out := rds("up.yaml").called("RDS, scale-up"), rds("out.yaml").called("RDS, scale-out")
			e.claim("wordcount out", "wordcount misses more soft deadlines in scale-out", more(softLate("wordcount"), out, up))
			e.claim("grep out", "grep misses more soft deadlines in scale-out", more(softLate("grep"), out, up))
			e.claim("hive out", "Hive misses more soft deadlines in scale-out", more(softLate("hive"), out, up))
			e.claim("terasort up", "terasort misses more soft deadlines in scale-up", more(softLate("terasort"), up, out))
		}
		all := Rows{rds(file), play("Fair", file, "fair"), play("EDF-P", file, "edf-p")}
		e.table(how+": late by the soft deadline", each.Of(classes, softLate), all)
		e.table(how+": late by the hard deadline", each.Of(classes, late), all)
	}
	return e
}
