package task

import (
	"fmt"
	"time"

	"github.com/slackline/slackline/internal/fault"
)

// Piece is a range of bytes of a file. Which lines belong to it stands in lines.go.
type Piece struct {
	Path       string
	Start, End int64
	Source     int   `json:",omitempty"` // number of the job's input, from 0
	FileSize   int64 `json:",omitempty"` // of the whole file when it was found
	Wrote      int64 `json:",omitempty"` // File.Wrote
	Window     int64 `json:"-"`          // read only so many bytes of records; 0 = all
}

// piece is a piece of the file.
func (f *File) piece(start, end int64) Piece {
	return Piece{Path: f.Path, Start: start, End: end, Source: f.Source, FileSize: f.Size, Wrote: f.Wrote}
}

// part is another piece of the same file.
func (p Piece) part(start, end int64) Piece {
	p.Start, p.End = start, end
	return p
}

// unchanged tells whether a file that has been opened is still the one that was found: other tasks
// may have read it before, or read it later, and what all of them made would belong to no input
// that there ever was.
func (p *Piece) unchanged(f *fault.File) error {
	if p.Wrote == 0 {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("input %q: %w", p.Path, Bare(err))
	}
	if info.Size() != p.FileSize {
		return Fail(Permanent, fmt.Errorf("input %q: it has changed since the job started: the file had %d bytes, and has %d", p.Path, p.FileSize, info.Size()))
	}
	if wrote := info.ModTime(); wrote.UnixNano() != p.Wrote {
		return Fail(Permanent, fmt.Errorf("input %q: it has changed since the job started: it was written at %s", p.Path, wrote.UTC().Format(time.RFC3339Nano)))
	}
	return nil
}

// Split is the input of one map task: pieces of files, together at most a block long.
type Split struct {
	Pieces []Piece
	Size   int64
}

// cut cuts files into splits. A file larger than a block is cut where at says; its rest and smaller
// files fill splits together, in order. There is at least one split, empty if there is nothing to
// read.
func cut(files []File, block int64, at func(File) ([]int64, error)) ([]Split, error) {
	var splits []Split
	var last Split
	flush := func() {
		if last.Size > 0 {
			splits = append(splits, last)
			last = Split{}
		}
	}
	add := func(p Piece) {
		last.Pieces = append(last.Pieces, p)
		last.Size += p.End - p.Start
	}
	for _, f := range files {
		start := int64(0)
		if f.Size >= block {
			flush()
			cuts, err := at(f)
			if err != nil {
				return nil, err
			}
			for _, end := range cuts {
				add(f.piece(start, end))
				start = end
				flush()
			}
		}
		rest := f.Size - start
		if rest == 0 {
			continue
		}
		if last.Size+rest > block {
			flush()
		}
		add(f.piece(start, f.Size))
		if last.Size >= block {
			flush()
		}
	}
	flush()
	if len(splits) == 0 {
		splits = append(splits, Split{})
	}
	return splits, nil
}
