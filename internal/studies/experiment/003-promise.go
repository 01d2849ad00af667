package experiment

import "fmt"

// promise003 is ours: one order for all jobs and a statement for each, on streams that nobody prepared.
func promise003() *Experiment {
	e := &Experiment{Name: "003-promise", Paper: "ours, beside paper 003, chapter 5", Took: "45 min",
		About: "jobs in time, promises kept and chances stated on 19 streams, beside orders without promises and other ways to foretell"}
	met, work := value("in time", "%"), value("work in time", "%")
	const order = "edf(feasible)+slowstart"
	orders := []struct{ name, policy string }{{"its order alone", order}, {"fair", "fair+slowstart"}, {"edf-p", "edf-p+slowstart"}}
	peers := []struct{ name, by string }{{"past responses", "responses"}, {"a moving average", "average"}, {"plays with drawn times", "draws"}}
	metrics := []Metric{met, work, ratio("promised", "promised", "jobs"), ratio("kept", "kept", "promised"), ratio("done by 50 %", "done 50", "told 50"),
		ratio("by 90 %", "done 90", "told 90"), ratio("by 99 %", "done 99", "told 99"), value("99 % by, over half by", "times")}
	all := func(load int, policy string) (rows Rows) {
		for _, k := range streams {
			rows = append(rows, play(k.name, "streams.yaml", fmt.Sprintf("%s, %d: %s", k.name, load, policy)))
		}
		return rows
	}
	for _, load := range []int{50, 80, 95} {
		at := func(text string) string { return fmt.Sprintf("%d %% busy: %s", load, text) }
		rows, knows := all(load, "promise"), all(load, rehearsed+"promise")
		var beside []Rows
		for _, o := range orders {
			beside = append(beside, all(load, o.policy))
		}
		e.ours(at("by count, 98 % of the best of its order alone, fair and edf-p, with late reduces"), partOf(0.98, met, rows, beside...))
		e.ours(at("by work, 97 % of it"), partOf(0.97, work, rows, beside...))
		e.ours(at("promises at 99 % are kept"), keeps(0.99, rows))
		e.ours(at("stated chances are within a point on average, and within three in each tenth (three and six where most classes are new)"), tellsTrue(rows))
		e.ours(at("99 % of the jobs are done by what is told for 99 %"), doneBy("99", 0.005, rows))
		least := 0.9
		if load > 80 {
			least = 0.8
		}
		e.ours(at(fmt.Sprintf("it promises %g %% of what it promises where it knows all laws before", least*100)),
			partOf(least, ratio("promised", "promised", "jobs"), rows, knows))
		e.table(at("promise"), metrics, rows)
		e.table(at("promise, which knows the laws"), metrics, knows)
		for i, o := range orders {
			e.table(at(o.name), metrics[:2], beside[i])
		}
		for _, p := range peers {
			rows := all(load, order+"+foretell(by="+p.by+")")
			e.ours(at(p.name+": promises at 99 % are kept"), keeps(0.99, rows))
			e.ours(at(p.name+": chances are within a point"), tellsTrue(rows))
			e.table(at(p.name), metrics, rows)
		}
	}
	return e
}
