package main

import (
	"fmt"

	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/page"
	"github.com/slackline/slackline/internal/studies/report"
)

// drawing is the page that --html asks for. A nil one does nothing.
type drawing struct {
	page *page.Page
	html *files.File
}

// draw gives cells the sinks of the page, if there is to be one. A file that could not be written is found out
// here, before anything runs.
func (o *options) draw(cells []lab.Cell) error {
	if o.html == "" {
		return nil
	}
	file, err := files.Create(o.html, page.File)
	if err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	o.drawing = &drawing{html: file, page: page.New(each.Of(cells, func(c lab.Cell) page.Head {
		return page.Head{Scenario: c.Name(), Policy: c.Policy, Seed: c.Seed, Books: c.Books, Queue: c.Queues.Says}
	}))}
	for i := range cells {
		cells[i].Sinks = append(cells[i].Sinks, o.drawing.page.Watch(i)...)
	}
	return nil
}

// commit puts the page in its place, once all runs have ended.
func (d *drawing) commit(r *report.Report) error {
	if d == nil {
		return nil
	}
	defer d.discard()
	err := d.page.Write(d.html, r)
	if err == nil {
		err = d.html.Commit()
	}
	if err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	return nil
}

// discard leaves nothing of a page that is not in its place yet.
func (d *drawing) discard() {
	if d != nil {
		d.html.Discard()
	}
}
