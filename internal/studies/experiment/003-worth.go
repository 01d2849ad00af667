package experiment

import (
	"errors"
	"math"

	"github.com/slackline/slackline/internal/maths/optimize"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// worth003 compares worth, which is ours, with FIFO and EFH, and with the least energy that is possible.
func worth003() *Experiment {
	e := &Experiment{Name: "003-worth", Paper: "ours, on paper 003, chapter 6", Took: "20 s",
		About: "energy of maps on CPUs and GPUs: worth beside FIFO, EFH and a linear bound"}
	turnaround := Metric{"turnaround", "h", func(o *Outcome) float64 { return o.Summary.Makespan / 3600 }}
	net := Metric{"energy net of idle", "kWh", func(o *Outcome) float64 { return *o.Summary.TaskEnergy }}

	const ae = "../003-efh/ae.yaml"
	above := Metric{"above the bound", "%", func(o *Outcome) float64 {
		return *o.Summary.TaskEnergy/leastOf("003-efh/ae.yaml", func(cfg *sim.Config) (units.Joules, error) { return least(cfg, o.Summary.Makespan) }) - 1
	}}
	answer := Metric{"mean response", "s", func(o *Outcome) float64 { return *o.Summary.MeanResponse }}
	fifo, efh := play("FIFO", ae, "fifo"), play("EFH, GPUs reserved", ae, "efh(T=1h,gpu=reserve)")
	at := func(x string) Row { return play("worth, X = "+x+" %", ae, "worth(X="+x+")") }
	now, patient := play("worth", ae, "worth"), at("400")

	e.ours("worth uses less than FIFO", less(net, now, fifo))
	e.ours("and takes less long", less(turnaround, now, fifo))
	e.ours("it uses less than EFH", less(net, now, efh))
	e.ours("and takes less long than that", less(turnaround, now, efh))
	e.ours("with X = 400 % it uses less still", less(net, patient, now))
	e.ours("and takes less long than FIFO even so", less(turnaround, patient, fifo))
	e.ours("of what is possible by its own turnaround it is short by 2 % at most", below(0.02, above, now))

	e.table("by X, beside FIFO and EFH", []Metric{turnaround, net, above, answer}, fifo, efh, now, at("100"), at("200"), patient, at("800"))
	return e
}

// least is what the maps of a scenario use at least above idle if they are done within so many seconds: a linear
// problem, of maps that can be parted and were all there from the start.
func least(cfg *sim.Config, within float64) (units.Joules, error) {
	source := cfg.Workload.Source
	if cfg.Source != nil {
		source = cfg.Source
	}
	alike := map[string]*workload.Job{}
	seconds := map[string]float64{} // of the maps of a class, at speed 1
	var names []string
	for from := source(); from.Due() != units.Never; {
		j, err := from.Next()
		if err != nil {
			return 0, err
		}
		if alike[j.Class] == nil {
			alike[j.Class] = j
			names = append(names, j.Class)
		}
		for i := range j.Stage(workload.Map).Tasks {
			seconds[j.Class] += j.Stage(workload.Map).Tasks[i].Work.Seconds()
		}
	}
	p := &optimize.Linear{}
	rows := make([]optimize.Row, 0)
	room := map[[2]int]*optimize.Row{} // by class of nodes and resource
	for c, class := range cfg.Cluster.Classes {
		nodes := 0
		for _, n := range cfg.Cluster.Nodes {
			if n.Class == class {
				nodes++
			}
		}
		for d, has := range class.Capacity {
			room[[2]int{c, d}] = &optimize.Row{Lower: math.Inf(-1), Upper: float64(nodes) * float64(has) * within}
		}
	}
	for _, name := range names { // a variable is seconds of work at speed 1
		job, all := alike[name], optimize.Row{Lower: seconds[name], Upper: seconds[name]}
		st := job.Stage(workload.Map)
		for c, class := range cfg.Cluster.Classes {
			for _, box := range st.Kinds() {
				if !class.Capacity.Fits(&box.Needs) {
					continue
				}
				rate := class.Rate(job.Class, &box)
				x := p.Add(float64(rate.Watts)/rate.Speed, 0, math.Inf(1))
				all.Terms = append(all.Terms, optimize.Term{Variable: x, Coefficient: 1})
				for d, by := range box.Needs {
					if by > 0 {
						r := room[[2]int{c, d}]
						r.Terms = append(r.Terms, optimize.Term{Variable: x, Coefficient: float64(by) / rate.Speed})
					}
				}
			}
		}
		rows = append(rows, all)
	}
	for c, class := range cfg.Cluster.Classes {
		for d := range class.Capacity {
			if r := room[[2]int{c, d}]; len(r.Terms) > 0 {
				rows = append(rows, *r)
			}
		}
	}
	p.Rows = rows
	sol := p.Solve()
	if sol.Status != optimize.Optimal {
		return 0, errors.New("the least energy: " + string(sol.Status))
	}
	return units.Joules(sol.Cost), nil
}
