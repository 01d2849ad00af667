// Package experiment runs published evaluations again and says whether their claims hold.
//
// An experiment is a file here, named as its folder below experiments. The file has the claims: each is a sentence,
// a key of what was published, and a check, such as less(penalty("J1"), rds, fair), which is a function from the
// results to a verdict with its numbers. The series that claims, figures and tables look at are what is played. The
// folder has the data: scenario files in their ordinary form, published.json with what was published,
// assumptions.yaml with what the paper leaves open, and a README.
//
//	000-….go        the experiments, by paper
//	experiment.go   what an experiment is, and the list of them
//	series.go       what policies do in scenario files, with names
//	assumed.go      what was assumed, from the folder
//	computed.go     series that are computed and not run: plans of random instances, bounds
//	ahead.go        the same: forecasts of capacity
//	workflows.go    the same: random workflows, and the least that they cost
//	published.go    what was published, from the folder
//	watch.go        the sink: what a run shows beyond its report
//	metric.go       numbers of a run
//	claim.go        checks of values, and how they are judged
//	order.go        checks that one thing is more than another
//	knowledge.go    runs of schedulers that know less from the start
//	believing.go    rds that is told what will come, or is wrong by as much as an experiment says
//	calibrate.go    a joint grid of what the paper leaves open, fitted on one table
//	plan.go         the grid of an experiment and of its variations, run on all cores
//	result.go       the result: JSON, tables
//	chart.go        curves over the paper's axes, as SVG
//	page.go         all of it as one page for a browser
//	markdown.go     the README on that page
//
// # How claims are judged
//
// The same seed draws the same workload and task times for each policy, so series are compared seed
// by seed. A claim that one thing is more than another holds if the 95 % confidence interval of the
// mean difference lies wholly on that side; it does not hold if it lies on the other, and else the
// undecided. Of a claim over several the interval is shown that gives the verdict: that
// against the nearest, or, if another decides, that against the other, by name. Intervals that
// decide nothing are marked. A published number comes of one workload, or of three runs of one;
// ours come of as many as there are seeds. So it differs if it lies where 95 % of single runs would
// not: outside of the prediction interval of our runs; else it holds. That interval is wider the
// fewer they are, so with fewer than ten it may differ, but the seeds do not tell that it holds;
// one seed tells nothing, nor do a few that are all equal. What the paper does not say was assumed
// once, before the first run. Each assumption is varied, most by a factor of two either way, and
// the claims are judged again with the first ten seeds and compared with what these show without.
package experiment
