package experiment

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/studies/page"
)

// style is what the page of an experiment needs beyond that of all pages.
const style = `
svg { display: block; width: 100%; height: auto; font: 11.5px system-ui, sans-serif; }
th.wrap, td.wrap { white-space: normal; overflow-wrap: break-word; max-width: 60ch; overflow: visible; vertical-align: top; } td.claim { min-width: 30ch; }
td.span { white-space: normal; min-width: 16ch; max-width: 24ch; }
td.wrap small { display: block; color: var(--soft); } .good { color: #00795a; font-weight: 600; }
@media (prefers-color-scheme: dark) { .good { color: #4fc99f; } }
.text p, .text li { max-width: 90ch; } .text code { white-space: normal; }
.pair { grid-template-columns: repeat(auto-fit, minmax(min(460px, 100%), 1fr)); }
`

// WritePage writes one page that needs no network: what the README says first and of its results, verdicts, our
// curves over the paper's axes, tables, sensitivity, and the README.
func (r *Report) WritePage(w io.Writer) error {
	readme, err := r.e.Readme()
	if err != nil {
		return err
	}
	_, intro, _ := strings.Cut(readme, "\n\n") // behind its heading
	intro, _, _ = strings.Cut(intro, "\n## ")
	_, results, _ := strings.Cut(readme, "\n## Results\n")
	results, _, _ = strings.Cut(results, "\n## ")
	if results != "" {
		results = "<h2>Results, as the README has them</h2>" + markdown(results)
	}
	sections := []string{`<div class="text">` + markdown(intro) + results + "</div>", r.claimsHTML()}
	if len(r.e.Figures) > 0 {
		sections = append(sections, r.figuresHTML())
	}
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
	sections = append(sections, `<h2>What the paper leaves open, and what was assumed</h2><details class="text"><summary>README.md of the experiment</summary>`+markdown(readme)+"</details>")
	about := fmt.Sprintf("%s: %s; %s; %s.", r.e.Paper, r.e.About, r.inWords(), r.seedsInWords()) + " " + r.fewSeedsInWords()
	return page.Plain(w, r.e.Name, about, sections, style, "Made by slackline reproduce "+r.e.Name+". Simulated; intervals are 95 % confidence intervals of means over seeds; those on curves leave out what one seed has more than another at all points. Point at a mark to see its numbers.")
}

func (r *Report) claimsHTML() string {
	rows := map[Origin][][]page.Cell{}
	for i := range r.Claims {
		c := &r.Claims[i]
		verdict := page.Text(map[Verdict]string{Reproduces: "good", Holds: "good", Refuted: "bad"}[c.Verdict], c.Verdict.words())
		claim := page.Cell{Class: "wrap claim", HTML: html.EscapeString(c.Claim) + " <small>" + html.EscapeString(c.Note) + "</small>"}
		rows[c.Origin] = append(rows[c.Origin], []page.Cell{page.Text("", c.Source), verdict, claim, page.Text("", c.show(c.Published)), page.Text("", c.ours()),
			page.Text("", c.far()), page.Text("right span", c.interval()), page.Text("", string(c.Kind))})
	}
	heading := []string{"source", "verdict", "claim", ">published", ">ours", ">distance", ">95 % interval that decides", "kind"}
	text := ""
	if len(rows[Paper]) > 0 {
		text = "<h2>What the paper claims, beside ours</h2>" + page.TableOf(heading, rows[Paper])
	}
	if len(rows[Ours]) > 0 {
		text += `<h2>What we found</h2><p class="note">The paper says nothing of this: it shows why its claims come out as they do.</p>` + page.TableOf(heading, rows[Ours])
	}
	return text
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
		var rows [][]page.Cell
		for i := range r.Claims {
			if len(columns) == 0 || r.again[columns[0]][i].Verdict == "" {
				continue
			}
			mark := func(c *Result) page.Cell {
				class := ""
				if c.Verdict != r.base[i].Verdict {
					class = "right bad"
				}
				return page.Text(class, c.ours()+", "+c.Verdict.words())
			}
			row := []page.Cell{page.Text("wrap", r.Claims[i].Claim), mark(&r.base[i])}
			rows = append(rows, append(row, each.Of(columns, func(k int) page.Cell { return mark(&r.again[k][i]) })...))
		}
		fmt.Fprintf(&b, "<details><summary>%s (<code>%s</code>, %s)</summary>%s</details>\n", html.EscapeString(as.What), html.EscapeString(as.Key),
			html.EscapeString(cmp.Or(as.File, "all files")), page.TableOf(names, rows))
	}
	return b.String()
}

// tableHTML is a table with a title; the first row is the heading.
func tableHTML(title string, rows [][]string) string {
	return "<h2>" + html.EscapeString(title) + "</h2>" + page.Table(rows)
}
