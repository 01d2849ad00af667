package main

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/yarn"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

func newYarn(o *options) *cobra.Command {
	return group(&cobra.Command{
		Use:   "yarn",
		Short: "Schedule the jobs of a Hadoop cluster",
		Long: `Schedules the jobs of a Hadoop cluster. A plug-in in YARN's ResourceManager tells this process what happens there, and does what
it decides. Jobs need no change: a deadline is a tag, such as -Dmapreduce.job.tags=in:600 for ten minutes from its submission.
While this process is away YARN's own scheduler does the work.`,
		Example: "  slackline help yarn serve",
	}, newYarnServe(o), newYarnMode(o, sched.TakeOver), newYarnMode(o, sched.Yield), newYarnMode(o, sched.Watch), newYarnCompare(o),
		newYarnWhatIf(o), newYarnCapacity(o), newYarnInstall(o), newYarnDev(o))
}

// yarnFlags are the flags of yarn serve, as they are written.
type yarnFlags struct {
	listen, secret, tls, state, claims, offers string
	slot, shares, masters, heartbeat, count    string
	watch                                      bool
	keep                                       int
	mode                                       wire.Mode // that was asked for last
}

func newYarnServe(o *options) *cobra.Command {
	var f yarnFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Schedule a Hadoop cluster, whose ResourceManager attaches to this process",
		Long: `Waits for the plug-in in YARN's ResourceManager, and then schedules the cluster by the policy until Ctrl-C or SIGTERM. When
this process is gone, the cluster's own scheduler places work, and running containers continue.

With --watch it decides nothing: the journal has what it would have decided, and what the cluster's own scheduler did.

The plug-in recognises this process by a secret, the text of a file: that of --secret, or one that is made in the folder of
--state. The stream is not encrypted, so --listen must be an address of this machine; with --tls both sides show certificates,
and it may be any.

What the next process needs is in the folder of --state: the instant from which times count, and which jobs were promised
their deadlines. Only one process at a time can use the folder. What jobs teach about their classes goes to the store when
the process stops.

Containers count as the memory and the cores that they take, and what --count names, such as GPUs. Some policies, such as
rtmr, count in slots: on each node, room for ApplicationMasters is set aside first (--masters), and the rest is cut into slots
of one size (--slot), divided between maps and reduces (--shares). Whoever gives one of these flags has slots under any policy.

The queues of the cluster's CapacityScheduler are those of the policy, and nothing is placed that it would not place: the policy
begins again when they change. Applications that ask for what Slackline does not know are left to it.`,
		Example: `  slackline yarn serve --policy rtmr
  slackline yarn serve --policy edf-p --watch --journal cluster.journal
  slackline yarn serve --policy rtmr --slot 2GB,1 --shares 2:1`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.serveYarn(cmd, &f) },
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&o.policies, "policy", nil, "policy to use (default "+lab.DefaultPolicy+"; slackline policies lists them)")
	flags.StringVar(&f.listen, "listen", "127.0.0.1:7447", "address of this machine at which the plug-in attaches")
	flags.BoolVar(&f.watch, "watch", false, "decide nothing, and record what would have been decided")
	flags.StringVar(&f.secret, "secret", "", "file with the secret that the plug-in shares (default: the file secret in the folder of --state)")
	flags.StringVar(&f.tls, "tls", "", "folder with ca.pem, cert.pem and key.pem: encrypt the stream, and serve a plug-in with a certificate of that authority")
	flags.StringVar(&f.state, "state", "", "folder for what the next process needs (default: yarn in the folder of the store)")
	flags.StringVar(&f.claims, "claims", "", "file that says which users may claim deadlines and weights in which queues (default: all, in all)")
	flags.StringVar(&f.offers, "offers", "", "file that says which nodes can be rented, by which command, and what nodes draw (docs/elastic.md, docs/energy.md)")
	flags.StringVar(&f.slot, "slot", "", "memory of a slot, or memory and cores; none = no slots (default: none, or 1GB,1 for a policy that counts in slots)")
	flags.StringVar(&f.shares, "shares", "", "how slots are shared out between maps and reduces (default 3:1)")
	flags.StringVar(&f.masters, "masters", "", "where there are slots: memory, or memory and cores, of each node that is left to ApplicationMasters (default 1536MB,1)")
	flags.StringVar(&f.count, "count", "", "with --slot none: what counts besides memory and cores, by YARN's names, such as yarn.io/gpu")
	flags.StringVar(&f.heartbeat, "heartbeat", "1s", "how often nodes report to the ResourceManager (yarn.resourcemanager.nodemanagers.heartbeat-interval-ms)")
	bindFile(flags, &o.journal, "journal", "record the run to this file; a later process adds a number to its name")
	flags.IntVar(&f.keep, "journal-keep", 0, "begin another journal each day, or after 1 GB, and keep so many; 0 = one, and all there are")
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "print only warnings and errors on standard error")
	o.bindStore(flags)
	_ = cmd.RegisterFlagCompletionFunc("policy", completePolicies)
	return cmd
}

// config is how the flags have the cluster looked at, by a policy that counts in slots or does not.
func (f *yarnFlags) config(slots bool) (cfg yarn.Config, err error) {
	cfg = yarn.Config{Version: version(), Name: fmt.Sprintf("process %d", os.Getpid()), Mode: f.mode}
	switch {
	case cfg.Mode != wire.Mode_MODE_UNSPECIFIED:
	case f.watch:
		cfg.Mode = wire.Mode_MODE_WATCH
	default:
		cfg.Mode = wire.Mode_MODE_OURS
	}
	if cfg.Heartbeat, err = units.ParseDuration(f.heartbeat); err != nil || cfg.Heartbeat <= 0 {
		return cfg, fmt.Errorf("--heartbeat is %q, it must be a span above 0, such as 1s", f.heartbeat)
	}
	if f.count != "" {
		cfg.Named = strings.Split(f.count, ",")
	}
	if most := int(units.Dims - units.Named0); len(cfg.Named) > most {
		return cfg, fmt.Errorf("--count names %d resources; at most %d count besides memory and cores", len(cfg.Named), most)
	}
	slot := f.slot
	switch {
	case slot != "":
	case slots || f.masters != "" || f.shares != "":
		slot = "1GB,1"
	default:
		slot = "none"
	}
	if f.count != "" && f.slot != "none" {
		return cfg, errors.New("--count needs --slot none: where there are slots, a container counts as slots and nothing else")
	}
	if slot == "none" {
		return cfg, nil
	}
	cfg.Slots = &yarn.Split{}
	if cfg.Slots.Slot, err = room("slot", slot); err != nil {
		return cfg, err
	}
	if cfg.Slots.Masters, err = room("masters", cmp.Or(f.masters, "1536MB,1")); err != nil {
		return cfg, err
	}
	maps, reduces, _ := strings.Cut(cmp.Or(f.shares, "3:1"), ":")
	m, err1 := strconv.Atoi(maps)
	r, err2 := strconv.Atoi(reduces)
	if err1 != nil || err2 != nil || m < 1 || r < 0 || max(m, r) > 1000 {
		return cfg, fmt.Errorf("--shares is %q, it must be two whole numbers such as 3:1, the first of them at least 1", f.shares)
	}
	cfg.Slots.Maps, cfg.Slots.Reduces = m, r
	return cfg, nil
}

// room is what a flag says of memory and cores.
func room(flag, text string) (v units.Vector, err error) {
	memory, cores, both := strings.Cut(text, ",")
	b, err := units.ParseBytes(memory)
	n := 0
	if err == nil && both {
		n, err = strconv.Atoi(strings.TrimSpace(cores))
	}
	if err != nil || b < 0 || n < 0 || b == 0 && flag == "slot" {
		return v, fmt.Errorf("--%s is %q, it must be an amount of memory such as 1GB, or memory and cores such as 1GB,1", flag, text)
	}
	v[units.Memory], v[units.VCores] = int64(b), int64(n)
	return v, nil
}

// listen opens an address, of this machine unless the stream is encrypted.
func listen(address string, encrypted bool) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("--listen is %q, it must be an address and a port, such as 127.0.0.1:7447", address)
	}
	if ip := net.ParseIP(host); !encrypted && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("--listen is %q; the stream is not encrypted, so it has to stay on this machine: 127.0.0.1:PORT; --tls encrypts it", address)
	}
	at, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, failure{fmt.Errorf("another process listens at %s; a cluster has one Slackline at a time", address)}
	case err != nil:
		return nil, failure{fmt.Errorf("--listen: %w", err)}
	}
	return at, nil
}

// yarnState is the folder for the state of a process that schedules a cluster, from anywhere.
func (o *options) yarnState(named string) (string, error) {
	if named != "" {
		return filepath.Abs(named)
	}
	dir, err := o.dataDir()
	if err != nil {
		return "", err
	}
	return filepath.Abs(filepath.Join(dir, "yarn"))
}

// readClaims reads what users may claim.
func readClaims(file string) (yarn.Claims, error) {
	src, err := readFile(file)
	if err != nil {
		return nil, err
	}
	c, err := scenario.ReadClaims(file, src)
	if err != nil {
		return nil, err
	}
	all := yarn.Claims{}
	for _, q := range c.Queues {
		all[q.Queue] = yarn.Claim{Users: q.Users, Soonest: q.Soonest.Duration(), Weight: q.Weight, Default: q.Default.Duration()}
	}
	return all, nil
}

// readOffers reads which nodes can be rented, and what those that there are draw.
func readOffers(file string) ([]yarn.Offer, []*cluster.Class, error) {
	src, err := readFile(file)
	if err != nil {
		return nil, nil, err
	}
	f, err := scenario.ReadOffers(file, src)
	if err != nil {
		return nil, nil, err
	}
	return runs.Offers(f)
}

// operator tells whoever runs a cluster what becomes of it.
type operator struct {
	*log
	lock  sync.Mutex // of the writer: notes come from any goroutine
	rents report.Requests
	there map[sched.NodeID]string // of those that were rented
}

func (t *operator) say(format string, args ...any) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.log.say(0, format, args...)
}

func (t *operator) warn(sentence string) { t.say("%s", sentence) }

// Batch tells who places work from now on, and what the log of runs tells.
func (t *operator) Batch(at units.Time, records []follow.Record) error {
	for i := range records {
		switch e := &records[i]; {
		case e.Kind == sched.Control:
			t.say("%s", placing[e.Control])
		case e.Host == nil || e.Host.Spec == nil || !e.Host.Spec.Class.Rented():
		case e.Kind == sched.NodeUp:
			t.there[e.Node] = e.Host.Spec.Name
			t.say("node %s has joined, of class %s", e.Host.Spec.Name, e.Host.Spec.Class.Name)
		case e.State == sched.Offered && t.there[e.Node] != "":
			t.say("node %s has left", t.there[e.Node])
			delete(t.there, e.Node)
		}
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	return errors.Join(t.rents.Batch(at, records), t.log.Batch(at, records))
}

// Plan tells of verdicts about deadlines, and of what is asked of clouds.
func (t *operator) Plan(at units.Time, decisions []follow.Decision) error {
	before := len(t.rents.List)
	err := t.rents.Plan(at, decisions)
	for _, r := range t.rents.List[before:] {
		t.say("%s", report.Printable(r.String()))
	}
	for i := range decisions {
		d := &decisions[i]
		if d.Verb == sched.Admit && d.Refused == sched.OK && d.Job != nil && d.Outlook.Word.Binds() {
			by := ""
			if d.Outlook.Word == sched.Expected {
				by = ", by an estimate from a sample"
			}
			t.say("job %q: its deadline is promised%s", d.Job.Spec.ID, by)
		}
	}
	return err
}
