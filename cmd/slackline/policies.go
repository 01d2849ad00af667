package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

func newPolicies(o *options) *cobra.Command {
	return o.bindOutput(&cobra.Command{
		Use:   "policies [POLICY]",
		Short: "List policies and parts, or describe one",
		Long: `Lists policies, the parts to build others from, and their parameters. For a policy or part given by name, it shows what it is
made of, its source, what it needs from the world, what it reads, the events that it acts on, and the reasons that it gives. A
policy may be written with parameters and with parts that replace its own, as in a scenario.`,
		Example:           "  slackline policies\n  slackline policies rtmr\n  slackline policies fair+delay\n  slackline policies -o json",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.FixedCompletions(each.Of(catalog.All(), func(e compose.Entry) string { return e.Name }), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				info, err := about(args[0])
				if err != nil {
					return err
				}
				if o.json() {
					return report.WriteJSON(cmd.OutOrStdout(), info)
				}
				return info.tell(cmd.OutOrStdout(), min(max(width(cmd.OutOrStdout()), 60), 100))
			}
			entries := catalog.All()
			if o.json() {
				list := []policyInfo{}
				for i := range entries {
					info, err := about(entries[i].Name)
					if err != nil {
						return err
					}
					list = append(list, info)
				}
				return report.WriteJSON(cmd.OutOrStdout(), list)
			}
			t := &report.Grid{}
			t.Add("name", "kind", "parameter", "default", "what it does")
			for _, e := range entries {
				t.Add(e.Name, string(e.Kind), "", "", e.Doc)
				for _, p := range e.Params {
					t.Add("", "", p.Name, p.Default, p.Doc)
				}
			}
			return t.Write(cmd.OutOrStdout())
		},
	})
}

// policyInfo is how -o json tells of a part, or of a policy as it is made with its parameters.
type policyInfo struct {
	Name    string          `json:"name"`
	Kind    string          `json:"kind"`
	Doc     string          `json:"doc"`
	Cite    string          `json:"cite"`
	Parts   []string        `json:"parts,omitempty"` // of a policy
	Needs   []string        `json:"needs"`           // what the world must be able to do
	Wants   []string        `json:"wants,omitempty"` // what it does where the world can
	Reads   []string        `json:"reads"`
	Heeds   []string        `json:"heeds"` // kinds of events, or "any" alone
	Params  []compose.Param `json:"params"`
	Reasons []policyReason  `json:"reasons"`

	needs []string // with the part that needs it
}

// policyReason is a cause that the entry declares.
type policyReason struct {
	Name    string   `json:"name"`
	Numbers []string `json:"numbers,omitempty"`
	Example string   `json:"example"` // the sentence, with numbers made up
}

// described are queues under which every parameter has something to say.
var described = queues.Config{Queues: []queues.Queue{{Name: queues.Default, MinMaps: 1, Capacity: 100, MinShareTimeout: queues.Span(units.Minute)}}}

// about tells all of what is named: a part, or a policy with its parameters.
func about(text string) (policyInfo, error) {
	if part, ok := catalog.Part(text); ok {
		info := policyInfo{Name: part.Name, Kind: string(part.Kind), Doc: part.Doc, Cite: part.Cite}
		info.params(part.Params)
		info.traits([]compose.Entry{part})
		return info, nil
	}
	terms, err := catalog.Terms(text)
	if err != nil {
		return policyInfo{}, err
	}
	policy, err := catalog.New(text, described)
	if err != nil {
		return policyInfo{}, err
	}
	info := policyInfo{Name: policy.Name(), Kind: string(compose.KindScheme)}
	if len(terms) > 1 || terms[0].Kind != compose.KindScheme {
		info.Kind = "policy"
	}
	var docs, cites []string
	for i, e := range terms {
		docs, cites = append(docs, e.Doc), append(cites, e.Cite)
		info.params(slices.DeleteFunc(slices.Clone(e.Params), func(p compose.Param) bool {
			return slices.ContainsFunc(terms[i+1:], func(by compose.Entry) bool { return by.Kind == p.Part })
		}))
	}
	info.Doc, info.Cite = strings.Join(docs, "; "), strings.Join(cites, "; ")
	parts := policy.Parts()
	for _, part := range parts {
		info.Parts = append(info.Parts, part.Name)
	}
	info.traits(parts)
	return info, nil
}

func (info *policyInfo) params(list []compose.Param) {
	info.Params = append(append([]compose.Param{}, info.Params...), list...)
}

// traits takes in what the parts say of themselves.
func (info *policyInfo) traits(parts []compose.Entry) {
	info.Needs, info.Reads, info.Heeds, info.Reasons = []string{}, []string{}, []string{}, []policyReason{}
	var reads compose.Reads
	var heeds sched.Events
	for i := range parts {
		part := &parts[i]
		for _, v := range part.Needs {
			info.Needs = append(info.Needs, v.String())
			if len(parts) > 1 {
				info.needs = append(info.needs, v.String()+" (its part "+part.Name+")")
			}
		}
		for _, v := range part.Wants {
			info.Wants = append(info.Wants, v.String())
		}
		reads.Profiles, reads.Models = reads.Profiles || part.Reads.Profiles, reads.Models || part.Reads.Models
		reads.Needed, reads.Supply = reads.Needed || part.Reads.Needed, reads.Supply || part.Reads.Supply
		heeds |= part.Turns()
		for _, c := range part.Causes {
			if slices.ContainsFunc(info.Reasons, func(r policyReason) bool { return r.Name == c.Name }) {
				continue
			}
			like, reason := sched.Reason{Cause: c, Job: 7}, policyReason{Name: c.Name}
			for i, n := range c.Numbers {
				*[]*int64{&like.A, &like.B, &like.C}[i], reason.Numbers = n.Like, append(reason.Numbers, n.Is)
			}
			reason.Example = like.String()
			info.Reasons = append(info.Reasons, reason)
		}
	}
	for _, of := range []struct {
		is   bool
		what string
	}{{reads.Profiles, "profiles"}, {reads.Models, "cost models"}, {reads.Needed, "the profile of each job with a deadline"}, {reads.Supply, "supply"}} {
		if of.is {
			info.Reads = append(info.Reads, of.what)
		}
	}
	for k := sched.NoEvent + 1; k < sched.EventKinds; k++ {
		if heeds.Has(k) && heeds != sched.AnyEvent {
			info.Heeds = append(info.Heeds, k.String())
		}
	}
	if heeds == sched.AnyEvent {
		info.Heeds = append(info.Heeds, "any")
	}
}

// tell writes all of it, in lines of so many columns.
func (info *policyInfo) tell(w io.Writer, columns int) error {
	var b strings.Builder
	line := func(indent int, head, text string) { writeWrapped(&b, columns, indent, head, text) }
	fmt.Fprintf(&b, "%s (%s)\n", info.Name, info.Kind)
	line(2, "", info.Doc)
	b.WriteByte('\n')
	line(9, "source", cmp.Or(info.Cite, "as described by its scheme"))
	if len(info.Parts) > 0 {
		line(9, "parts", strings.Join(info.Parts, ", "))
	}
	needs := info.Needs
	if len(info.needs) > 0 {
		needs = info.needs
	}
	line(9, "needs", cmp.Or(strings.Join(needs, ", "), "nothing special"))
	if len(info.Wants) > 0 {
		line(9, "wants", strings.Join(info.Wants, ", ")+", where the world can")
	}
	line(9, "reads", cmp.Or(strings.Join(info.Reads, ", "), "nothing special"))
	line(9, "heeds", cmp.Or(strings.Join(info.Heeds, ", "), "none: it ranks jobs when asked"))
	if len(info.Params) > 0 {
		b.WriteString("\nparameters\n")
		for _, p := range info.Params {
			unit := ""
			if p.Unit != "" {
				unit = " " + p.Unit
			}
			line(15, "  "+p.Name, strings.TrimSpace(fmt.Sprintf("%s; default %s%s", p.Doc, p.Default, unit)))
		}
	}
	if len(info.Reasons) > 0 {
		b.WriteString("\nreasons, with example numbers\n")
		for _, r := range info.Reasons {
			line(22, "  "+r.Name, r.Example)
			for i, n := range r.Numbers {
				line(24, "", fmt.Sprintf("  %c: %s", 'A'+i, n))
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeWrapped writes a head and, from the column indent on, a text in lines of so many columns.
func writeWrapped(b *strings.Builder, columns, indent int, head, words string) {
	if len(head) >= indent {
		fmt.Fprintln(b, head)
		head = ""
	}
	for line := range strings.SplitSeq(text.WrapSoft(strings.Join(strings.Fields(words), " "), columns-indent), "\n") {
		fmt.Fprintf(b, "%-*s%s\n", indent, head, strings.TrimRight(line, " "))
		head = ""
	}
}
