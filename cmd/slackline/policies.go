package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/maths/near"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/sched"
)

func newPolicies(o *options) *cobra.Command {
	return o.bindOutput(&cobra.Command{
		Use:   "policies [NAME]",
		Short: "List policies and the parts to make others of, or tell all of one",
		Long: `List policies, the parts to make others of, and their parameters. Of one that is named, tell what it is made of and from which source, what the
world must be able to do for it, what it reads, on which events it may have something to do, and the reasons that it gives.`,
		Example: "  slackline policies\n  slackline policies rtmr\n  slackline policies -o json",
		Args:    cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return entryNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			entries := catalog.All()
			if len(args) == 1 {
				i := slices.IndexFunc(entries, func(e compose.Entry) bool { return e.Name == args[0] })
				if i < 0 {
					return fmt.Errorf("there is no policy or part %q%s", args[0], near.Hint(args[0], entryNames()))
				}
				if o.json() {
					return writeJSON(cmd.OutOrStdout(), infoOf(&entries[i]))
				}
				return tellEntry(cmd.OutOrStdout(), &entries[i], min(max(width(cmd.OutOrStdout()), 60), 100))
			}
			if o.json() {
				list := []policyInfo{}
				for i := range entries {
					list = append(list, infoOf(&entries[i]))
				}
				return writeJSON(cmd.OutOrStdout(), list)
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

func entryNames() (names []string) {
	for _, e := range catalog.All() {
		names = append(names, e.Name)
	}
	return names
}

// policyInfo is how -o json tells of an entry of the catalogue.
type policyInfo struct {
	Name    string         `json:"name"`
	Kind    string         `json:"kind"`
	Doc     string         `json:"doc"`
	Cite    string         `json:"cite"`
	Parts   []string       `json:"parts,omitempty"` // of a scheme
	Needs   []string       `json:"needs"`           // what the world must be able to do; of a scheme, what one of its parts may need
	Reads   []string       `json:"reads"`
	Heeds   []string       `json:"heeds"` // kinds of events; none = any
	Params  []policyParam  `json:"params"`
	Reasons []policyReason `json:"reasons"`
}

// policyReason is a cause that the entry declares.
type policyReason struct {
	Name    string   `json:"name"`
	Numbers []string `json:"numbers,omitempty"`
	Example string   `json:"example"` // the sentence, with numbers made up
}

type policyParam struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Default string   `json:"default"`
	Unit    string   `json:"unit"`
	Choices []string `json:"choices,omitempty"`
	Doc     string   `json:"doc"`
}

func infoOf(e *compose.Entry) policyInfo {
	info := policyInfo{Name: e.Name, Kind: string(e.Kind), Doc: e.Doc, Cite: e.Cite, Needs: []string{}, Reads: []string{}, Heeds: []string{}, Params: []policyParam{},
		Reasons: []policyReason{}}
	for _, p := range e.Params {
		info.Params = append(info.Params, policyParam{p.Name, string(p.Type), p.Default, p.Unit, p.Choices, p.Doc})
	}
	for _, part := range e.Parts {
		info.Parts = append(info.Parts, part.Name)
	}
	t := e.All()
	for _, v := range t.Needs {
		info.Needs = append(info.Needs, v.String())
	}
	if t.Reads.Profiles {
		info.Reads = append(info.Reads, "profiles")
	}
	if t.Reads.Supply {
		info.Reads = append(info.Reads, "supply")
	}
	for k := sched.EventKind(0); k < sched.EventKinds && t.Heeds != sched.AnyEvent; k++ {
		if t.Heeds.Has(k) {
			info.Heeds = append(info.Heeds, k.String())
		}
	}
	for _, c := range t.Causes {
		like := sched.Because(c, c.Example[:]...)
		like.Job = 7
		info.Reasons = append(info.Reasons, policyReason{c.Name, c.Numbers, like.String()})
	}
	return info
}

// tellEntry writes all of an entry, in lines of so many columns.
func tellEntry(w io.Writer, e *compose.Entry, columns int) error {
	info := infoOf(e)
	var b strings.Builder
	line := func(indent int, head, text string) { writeWrapped(&b, columns, indent, head, text) }
	fmt.Fprintf(&b, "%s (%s)\n", info.Name, info.Kind)
	line(2, "", info.Doc)
	b.WriteByte('\n')
	line(9, "source", info.Cite)
	if len(info.Parts) > 0 {
		line(9, "parts", strings.Join(info.Parts, ", "))
	}
	needs := strings.Join(info.Needs, ", ")
	for _, part := range e.Parts {
		if len(part.Needs) > 0 {
			needs += " (its part " + part.Name + ")"
		}
	}
	line(9, "needs", orElse(needs, "nothing that a world may lack"))
	line(9, "reads", orElse(strings.Join(info.Reads, ", "), "what all may"))
	if e.Kind != compose.KindOrder {
		line(9, "heeds", orElse(strings.Join(info.Heeds, ", "), "any event"))
	}
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
		b.WriteString("\nreasons, with numbers made up\n")
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

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// writeWrapped writes a head and, from the column indent on, a text in lines of so many columns.
func writeWrapped(b *strings.Builder, columns, indent int, head, text string) {
	at := len(head)
	b.WriteString(head)
	if at >= indent {
		b.WriteByte('\n')
		at = 0
	}
	b.WriteString(strings.Repeat(" ", indent-at))
	at = indent
	for i, word := range strings.Fields(text) {
		switch n := len([]rune(word)); {
		case i > 0 && at+1+n > columns:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		case i > 0:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += len([]rune(word))
	}
	b.WriteByte('\n')
}
