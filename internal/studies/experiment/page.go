package experiment

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/slackline/slackline/internal/studies/page"
)

// style is what the page of an experiment needs beyond that of all pages.
const style = `
svg { display: block; width: 100%; height: auto; font: 11.5px system-ui, sans-serif; }
svg text { fill: var(--ink); } svg .soft { fill: var(--soft); } svg .grid { stroke: var(--rule); } svg .axis { stroke: var(--soft); fill: none; }
svg .whisker { stroke: var(--ink); fill: none; stroke-width: 1.2; } svg .ring { fill: none; stroke: var(--ink); stroke-width: 2; }
th.wrap, td.wrap { white-space: normal; overflow-wrap: break-word; max-width: 60ch; overflow: visible; vertical-align: top; } td.claim { min-width: 30ch; }
td.wrap small { display: block; color: var(--soft); } .good { color: #00795a; font-weight: 600; }
@media (prefers-color-scheme: dark) { .good { color: #4fc99f; } }
.text p, .text li { max-width: 90ch; } .text code { white-space: normal; }
.pair { grid-template-columns: repeat(auto-fit, minmax(min(460px, 100%), 1fr)); }
`

// WritePage writes one page that needs no network: verdicts, our curves over the paper's axes,
// tables, sensitivity, and the README.
func (r *Report) WritePage(w io.Writer) error {
	readme, err := r.e.Readme()
	if err != nil {
		return err
	}
	sections := []string{r.claimsHTML(), r.figuresHTML()}
	if len(r.variants) > 0 {
		sections = append(sections, r.variantsHTML())
	}
	if r.Calibration != nil {
		title, rows, said := r.Calibration.table()
		sections = append(sections, tableHTML(title, rows)+`<p class="note">`+html.EscapeString(said)+"</p>")
	}
	for i := range r.e.Tables {
		sections = append(sections, tableHTML(r.e.Tables[i].Title, r.rows(&r.e.Tables[i])))
	}
	sections = append(sections, `<h2>What the paper leaves open</h2><details class="text"><summary>README.md of the experiment</summary>`+markdown(readme)+"</details>")
	about := fmt.Sprintf("%s: %s. %s; %s.", r.e.Paper, r.e.About, r.inWords(), r.seedsInWords()) + " " + r.fewSeedsInWords()
	return page.Plain(w, r.e.Name, about, sections, style, "Made by slackline reproduce "+r.e.Name+". Simulated; intervals are 95 % confidence intervals of means over seeds; those on curves leave out what one seed has more than another at all points. Point at a mark to see its numbers.")
}

func cell(b *strings.Builder, class, text string) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	fmt.Fprintf(b, "<td%s>%s</td>", class, html.EscapeString(text))
}

func head(b *strings.Builder, names ...string) {
	b.WriteString("<thead><tr>")
	for _, n := range names {
		name, right := strings.CutPrefix(n, ">")
		class := ""
		if right {
			class = ` class="right"`
		}
		fmt.Fprintf(b, "<th%s>%s</th>", class, html.EscapeString(name))
	}
	b.WriteString("</tr></thead>")
}

// mark writes the verdict.
func (c *Result) mark(b *strings.Builder) {
	cell(b, map[Verdict]string{Reproduces: "good", Refuted: "bad"}[c.Verdict], c.Verdict.words())
}

func (r *Report) claimsHTML() string {
	var b strings.Builder
	b.WriteString(`<h2>Published beside ours</h2><div class="scroll"><table>`)
	head(&b, "source", "verdict", "claim", ">published", ">ours", ">distance", ">95 % interval that decides", "kind")
	b.WriteString("<tbody>")
	for i := range r.Claims {
		c := &r.Claims[i]
		b.WriteString("<tr>")
		cell(&b, "", c.Source)
		c.mark(&b)
		fmt.Fprintf(&b, `<td class="wrap claim">%s <small>%s</small></td>`, html.EscapeString(c.Claim), html.EscapeString(c.Note))
		cell(&b, "right", c.show(c.Published))
		cell(&b, "right", c.ours())
		cell(&b, "right", c.far())
		cell(&b, "right", c.interval())
		cell(&b, "", string(c.Kind))
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table></div>")
	return b.String()
}

func (r *Report) figuresHTML() string {
	var b strings.Builder
	b.WriteString(`<h2>Our values on the paper's axes</h2><div class="pair">`)
	for i := range r.e.Figures {
		f := &r.e.Figures[i]
		fmt.Fprintf(&b, "<figure><figcaption><b>%s</b> <output>%s</output></figcaption>%s</figure>\n", html.EscapeString(f.Title), html.EscapeString(f.Source), r.svg(f))
	}
	b.WriteString("</div>")
	return b.String()
}

func firstSeeds(of int) string {
	switch n := min(fewSeeds, of); {
	case n == 1:
		return "the first seed"
	case n == of:
		return fmt.Sprintf("all %d seeds", n)
	default:
		return fmt.Sprintf("the first %d seeds", n)
	}
}

// variantsHTML is what becomes of claims with each other assumption.
func (r *Report) variantsHTML() string {
	var b strings.Builder
	b.WriteString(`<h2>With other assumptions</h2><p class="note">Each assumption in turn, with ` + firstSeeds(len(r.seeds)) + `, as in the first column: ours, and the verdict.</p>`)
	for a := range r.e.Assumptions {
		as := &r.e.Assumptions[a]
		var columns []int
		names := []string{"claim", ">" + as.Value}
		for k := range r.variants {
			if r.variants[k].assumption == a {
				columns = append(columns, k)
				names = append(names, ">"+r.variants[k].value)
			}
		}
		where := as.File
		where = cmp.Or(where, "all files")
		fmt.Fprintf(&b, `<details><summary>%s (<code>%s</code>, %s)</summary><div class="scroll"><table>`, html.EscapeString(as.What), html.EscapeString(as.Key), html.EscapeString(where))
		head(&b, names...)
		b.WriteString("<tbody>")
		for i := range r.Claims {
			if len(columns) == 0 || r.again[columns[0]][i].Source == "" {
				continue
			}
			b.WriteString("<tr>")
			cell(&b, "wrap", r.Claims[i].Claim)
			mark := func(c *Result) {
				class := "right"
				if c.Verdict != r.base[i].Verdict {
					class = "right bad"
				}
				cell(&b, class, c.ours()+", "+c.Verdict.words())
			}
			mark(&r.base[i])
			for _, k := range columns {
				mark(&r.again[k][i])
			}
			b.WriteString("</tr>\n")
		}
		b.WriteString("</tbody></table></div></details>\n")
	}
	return b.String()
}

// tableHTML is a table with a title; the first row is the heading.
func tableHTML(title string, rows [][]string) string {
	return "<h2>" + html.EscapeString(title) + "</h2>" + page.Table(rows)
}
