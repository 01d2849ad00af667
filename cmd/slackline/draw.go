package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/page"
	"github.com/slackline/slackline/internal/studies/report"
)

// mostTraces is how many runs are written to traces at a time; each has a file open until all have ended.
const mostTraces = 200

// drawing is what --html and --chrome ask for. A nil one does nothing.
type drawing struct {
	page   *page.Page
	html   *files.File // nil: no page
	traces []chromeTrace
}

// chromeTrace is the trace of one run, for Chrome and Perfetto.
type chromeTrace struct {
	*page.Trace
	file *files.File
}

// draw gives cells the sinks that the flags ask for. Files that could not be written are found out
// here, before anything runs.
func (o *options) draw(cells []lab.Cell) error {
	if o.html == "" && o.chrome == "" {
		return nil
	}
	o.drawing = &drawing{}
	if err := o.drawing.begin(o, cells); err != nil {
		o.drawing.discard()
		return err
	}
	return nil
}

func (d *drawing) begin(o *options, cells []lab.Cell) error {
	if o.html != "" {
		file, err := files.Create(o.html, page.File)
		if err != nil {
			return fmt.Errorf("--html: %w", err)
		}
		d.html = file
		d.page = page.New(each.Of(cells, func(c lab.Cell) page.Head {
			return page.Head{Scenario: c.Name(), Policy: c.Policy, Seed: c.Seed, Books: c.Books, Queue: c.Queues.Says}
		}))
		for i := range cells {
			cells[i].Sinks = append(cells[i].Sinks, d.page.Watch(i)...)
		}
	}
	if o.chrome == "" {
		return nil
	}
	if len(cells) > mostTraces {
		return fmt.Errorf("--chrome: these are %d runs, at most %d can be written at a time; choose with --policy and --seed", len(cells), mostTraces)
	}
	for i := range cells {
		c := &cells[i]
		name := o.chrome
		if len(cells) > 1 {
			if err := files.MakeFolder(o.chrome); err != nil {
				return fmt.Errorf("--chrome: the folder for several runs cannot be made: %w", err)
			}
			name = filepath.Join(o.chrome, fmt.Sprintf("%s-%s-%d.trace.json", fileName(c.Name()), fileName(c.Policy), c.Seed))
		}
		file, err := files.Create(name, page.ChromeFile)
		if err != nil {
			return fmt.Errorf("--chrome: %w", err)
		}
		t := chromeTrace{page.NewTrace(file), file}
		d.traces = append(d.traces, t)
		c.Sinks = append(c.Sinks, t)
	}
	return nil
}

// commit puts the files in their places, once all runs have ended.
func (d *drawing) commit(r *report.Report) error {
	if d == nil {
		return nil
	}
	defer d.discard()
	var errs []error
	for _, t := range d.traces {
		if err := errors.Join(t.Close(), t.file.Commit()); err != nil {
			errs = append(errs, fmt.Errorf("--chrome: %w", err))
		}
	}
	if d.html != nil {
		err := d.page.Write(d.html, r)
		if err == nil {
			err = d.html.Commit()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--html: %w", err))
		}
	}
	return errors.Join(errs...)
}

// discard leaves nothing of what is not in its place yet.
func (d *drawing) discard() {
	if d == nil {
		return
	}
	if d.html != nil {
		d.html.Discard()
	}
	for _, t := range d.traces {
		t.file.Discard()
	}
}
