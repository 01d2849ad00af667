package arch

import (
	"slices"
	"strings"
)

// module is the path of this module. The fixtures bear it too.
const module = "github.com/slackline/slackline"

// A layer is one line of the drawing in ARCHITECTURE.md.
type layer struct {
	name string
	may  []string // other layers, or single folders of them, that this one may import; each stands lower in the list
	rule string   // the rule that is broken when it imports anything else; imports-down unless told
	why  string
}

// layers lists them from the top; an import goes down this list only. Packages of one layer may
// import each other.
var layers = []layer{
	{name: "people", may: []string{"runs", "studies", "run", "worlds", "files", "kernel", "policies", "sched", "apps", "mapreduce", "maths", "words"},
		why: "the command is where everything meets"},
	{name: "harness", may: []string{"studies", "worlds", "kernel", "policies", "sched", "words"},
		why: "the harness for people who write policies drives whole worlds, so it stands above them"},
	{name: "runs", may: []string{"studies", "worlds", "files", "kernel", "sched", "apps", "mapreduce", "maths", "words"},
		why: "real jobs: what a lab has for simulations, on a machine that remembers"},
	{name: "studies", may: []string{"worlds", "files", "kernel", "policies", "sched", "apps", "mapreduce", "maths", "words"},
		why: "the lab joins policies, worlds and sinks"},
	{name: "run", may: []string{"internal/worlds/engine/worker", "mapreduce"},
		why: "a user's program is a worker of the engine, whose data plane stands on package mapreduce: so this stands above both"},
	{name: "worlds", may: []string{"files", "kernel", "sched", "mapreduce", "maths", "words"},
		why: "a world obeys any policy, so it knows none; which application runs is told to it"},
	{name: "files", may: []string{"internal/kernel/filelock", "units"},
		why: "what a file holds is for those to say who read or write it"},
	{name: "kernel", may: []string{"sched", "maths", "words"},
		why: "one loop for every policy, so it knows none"},
	{name: "policies", may: []string{"sched", "maths", "words"},
		why: "a policy sees the view and nothing behind it, so it cannot tell in which world it runs"},
	{name: "sched", may: []string{"words"},
		why: "the contract between policies and kernel knows neither"},
	{name: "apps", may: []string{"mapreduce", "maths", "words"},
		why: "built-in applications are written as a user would write them"},
	{name: "mapreduce", rule: "imports-mapreduce",
		why: "people who write jobs should not have to learn how jobs are scheduled"},
	{name: "maths", may: []string{"units"}, rule: "imports-maths",
		why: "numbers in, numbers out: it knows no jobs"},
	{name: "words", rule: "imports-words",
		why: "the nouns stand on nothing but the standard library"},
	{name: "referee", rule: "imports-referee",
		why: "a second opinion that shares code with what it judges shares its mistakes"},
	{name: "check", why: "this check: what it judges, it does not use"},
}

// A row places a folder, and all below it that has no row of its own, in a layer.
type row struct {
	dir      string
	layer    string
	pure     bool     // the purity rules hold
	public   bool     // others build on it: what it exports is documented
	testOnly bool     // imported by tests and its like only
	external []string // modules from outside that it may import, besides the standard library
	why      string
}

// table is the import table. A new folder that no row covers fails the check until it has one.
var table = []row{
	{dir: "cmd", layer: "people", why: "flags, terminal, signals",
		external: []string{"github.com/spf13/cobra", "github.com/spf13/pflag",
			"github.com/jedib0t/go-pretty/v6", "golang.org/x/term"}},
	{dir: "schedtest", layer: "harness", public: true, testOnly: true, why: "text scenarios and the harness for people who write policies"},
	{dir: "internal/runs", layer: "runs", why: "jobs on this machine, and what is kept of them"},
	{dir: "internal/config", layer: "studies", external: []string{"github.com/goccy/go-yaml"},
		why: "files that people write, read by the tags of structs; the one place that reads YAML"},
	{dir: "internal/studies/scenario", layer: "studies", why: "scenario and job files"},
	{dir: "internal/studies/capacity", layer: "studies", why: "machines to rent and jobs to admit, for people"},
	{dir: "internal/studies/lab", layer: "studies", why: "joins worlds, policies and sinks, and runs the grid"},
	{dir: "internal/studies/account", layer: "studies", pure: true, why: "where the time of jobs went"},
	{dir: "internal/studies/report", layer: "studies", external: []string{"github.com/jedib0t/go-pretty/v6"},
		why: "draws tables"},
	{dir: "internal/studies/chart", layer: "studies", why: "draws values over names as SVG"},
	{dir: "internal/studies/page", layer: "studies", why: "draws runs: a page for a browser, traces for the tools that read Chrome's form"},
	{dir: "internal/studies/page/pagetest", layer: "studies", testOnly: true, why: "looks at pages in a real browser"},
	{dir: "internal/studies/trace", layer: "studies", why: "workloads that others recorded, streamed"},
	{dir: "internal/studies/shadow", layer: "studies", why: "what a policy advised beside what a cluster's own scheduler did"},
	{dir: "internal/studies/experiment", layer: "studies", why: "published evaluations, run again and judged"},
	{dir: "experiments", layer: "studies", why: "their scenarios and figures, as data in the program"},
	{dir: "internal/studies/weather", layer: "studies", why: "weather that others recorded, streamed, or made up, and the power that is to be had of it"},
	{dir: "internal/studies/synth", layer: "studies", why: "what workloads look like, and others that look alike"},
	{dir: "internal/studies/dag", layer: "studies", why: "workflows that other systems describe, written as scenarios"},
	{dir: "internal/worlds/truth", layer: "worlds", pure: true, why: "what the product's worlds know for certain, and how they obey a plan"},
	{dir: "internal/worlds/sim", layer: "worlds", why: "virtual time"},
	{dir: "internal/worlds/cloud", layer: "worlds", why: "nodes for rent, for the worlds that can have some"},
	{dir: "internal/worlds/cloud/cloudtest", layer: "worlds", testOnly: true, why: "a conformance suite, and an unkind cloud"},
	{dir: "internal/worlds/engine", layer: "worlds", external: []string{"github.com/cespare/xxhash/v2"},
		why: "real work on this machine; partitions by hash"},
	{dir: "internal/fault", layer: "worlds", why: "what breaks in tests: the engine's I/O goes through it"},
	{dir: "internal/worlds/engine/worker", layer: "worlds", why: "attempts in processes of the user's own program: both sides of the protocol"},
	{dir: "internal/worlds/yarn", layer: "worlds", external: []string{"google.golang.org/grpc"},
		why: "a Hadoop cluster, behind a stream to a plug-in in its ResourceManager"},
	{dir: "internal/worlds/yarn/yarnfake", layer: "worlds", testOnly: true, external: []string{"google.golang.org/grpc"},
		why: "a plug-in that plays another world"},
	{dir: "internal/worlds/yarn/wire", layer: "worlds", external: []string{"google.golang.org/grpc", "google.golang.org/protobuf"},
		why: "the stream to YARN's ResourceManager, generated"},
	{dir: "internal/worlds/dumb", layer: "worlds", testOnly: true, why: "a second simulator, to hold the first against"},
	{dir: "internal/worlds/adverse", layer: "worlds", testOnly: true, why: "an unkind world for tests"},
	{dir: "internal/worlds/conform", layer: "worlds", testOnly: true, why: "the conformance suite"},
	{dir: "internal/files", layer: "files", why: "where commands open what they read and make what they write"},
	{dir: "internal/files/codec", layer: "files", external: []string{"github.com/klauspost/compress"},
		why: "compressed files, and where they may be cut"},
	{dir: "internal/files/codec/codectest", layer: "files", testOnly: true, external: []string{"github.com/klauspost/compress"},
		why: "compresses texts for tests"},
	{dir: "internal/kernel/drive", layer: "kernel", pure: true, why: "the loop; a stopwatch is handed to it"},
	{dir: "internal/kernel/ledger", layer: "kernel", pure: true, why: "the book"},
	{dir: "internal/kernel/journal", layer: "kernel", pure: true, why: "the flight recorder, on io.Writer and io.Reader"},
	{dir: "internal/kernel/follow", layer: "kernel", pure: true, why: "who each event is about, once for all sinks"},
	{dir: "internal/kernel/store", layer: "kernel", external: []string{"modernc.org/sqlite"},
		why: "I/O by its nature, hence not pure; the pure packages beside it may not import it"},
	{dir: "internal/kernel/filelock", layer: "kernel", why: "locks between processes, of runs in the store, of output directories and of pages"},
	{dir: "internal/policies", layer: "policies", pure: true, why: "parts, schemes and the catalogue"},
	{dir: "internal/policies/policytest", layer: "harness", testOnly: true, why: "a policy with its book that is told event by event, for tests of those who promise deadlines"},
	{dir: "sched", layer: "sched", pure: true, public: true, why: "the contract"},
	{dir: "internal/energy", layer: "sched", pure: true, why: "what nodes draw, by the contract's power states: simulator, report and policies read it"},
	{dir: "internal/apps", layer: "apps", why: "wordcount, grep, sort, tera*, loadgen"},
	{dir: "mapreduce", layer: "mapreduce", public: true, external: []string{"github.com/cespare/xxhash/v2"},
		why: "the API for people who write jobs, with its default partitioner"},
	{dir: "mapreduce/run", layer: "run", public: true, why: "the main function of programs that people write"},
	{dir: "examples", layer: "people", why: "programs as people would write them"},
	{dir: "internal/maths", layer: "maths", pure: true, why: "keyed randomness, statistics, nearest names, the first of many"},
	{dir: "units", layer: "words", pure: true, public: true, why: "time, bytes, watts, joules, resources"},
	{dir: "cluster", layer: "words", pure: true, public: true, why: "nodes, racks, classes, blocks"},
	{dir: "workload", layer: "words", pure: true, public: true, why: "jobs, stages, tasks"},
	{dir: "profile", layer: "words", pure: true, public: true, why: "what past runs taught"},
	{dir: "internal/referee", layer: "referee", testOnly: true, why: "decides recorded runs a second time, from the text of the journal alone"},
	{dir: "internal/arch", layer: "check", why: "this check"},
}

// testExternal are the modules that tests, and packages for tests only, may use besides those of their row.
var testExternal = []string{
	"pgregory.net/rapid",              // properties on random inputs
	"github.com/goccy/go-yaml",        // YAML as other programs read it
	"github.com/google/go-cmp",        // differences one can read
	"go.uber.org/goleak",              // no goroutine left behind
	"github.com/rogpeppe/go-internal", // scripts that run the command
}

// A permit lets one folder import what purity forbids.
type permit struct{ dir, path, why string }

// permits are the exceptions from purity, each with its reason. A lock (sync) in a pure package
// would stand here.
var permits = []permit{
	{"internal/kernel/journal", "context", "a recording is a world, so its Next takes one too"},
	{"internal/kernel/follow", "sync/atomic", "cells run at once, and a sink that two of them share has to be noticed from both"},
	{"internal/kernel/drive", "context", "Next of a world takes a context.Context; only the type is used, never a clock"},
}

func permitted(dir, path string) bool {
	return slices.ContainsFunc(permits, func(p permit) bool { return within(dir, p.dir) && path == p.path })
}

// rowOf finds the row of a folder: the longest dir that is the folder or one above it.
func rowOf(dir string) (row, bool) {
	var best row
	found := false
	for _, r := range table {
		if within(dir, r.dir) && (!found || len(r.dir) > len(best.dir)) {
			best, found = r, true
		}
	}
	return best, found
}

func layerOf(name string) layer {
	for _, l := range layers {
		if l.name == name {
			return l
		}
	}
	return layer{name: name}
}

// within tells whether path is top or lies below it.
func within(path, top string) bool {
	return path == top || strings.HasPrefix(path, top+"/")
}
