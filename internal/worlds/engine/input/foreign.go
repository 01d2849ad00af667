package input

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/files/codec"
	"github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/mapreduce"
)

// understood refuses a file whose bytes would be taken for lines though they are none: a Parquet file, what is packed
// in a way that nobody here unpacks, UTF-16, an archive, also within what is unpacked. Of others it tells whether they
// begin as text: a pickle does not, and Hadoop counts its lines all the same. Records of a fixed length, and formats
// that read a file as a whole, take any bytes. What cannot be read is left to whoever reads it.
func understood(f File, p *mapreduce.Program, sources []Source) (text bool, err error) {
	form, err := FormatOf(p, sources, f.Source)
	if err != nil || f.Size == 0 || form == nil && p.Records.Length > 0 || form != nil && form.Cutting() == mapreduce.Uncut {
		return true, err
	}
	return isText(f)
}

// isText is understood for a file that is to hold text.
func isText(f File) (text bool, err error) {
	src, err := fault.OpenFile(f.Path)
	if err != nil {
		return true, err
	}
	defer src.Close()
	unread := func(err error) (bool, error) { return true, fmt.Errorf("input %q: %w", f.Path, fault.Bare(err)) }
	kind, err := codec.Detect(src)
	if err != nil {
		return unread(err)
	}
	head := make([]byte, files.HeadSize)
	name, inside := filepath.Base(f.Path), ""
	refused := func(what, cure string) (bool, error) {
		return false, failure.As(failure.Permanent, fmt.Errorf("input %q: %sit is %s; %s (input_format: whole takes the bytes as they are)", f.Path, inside, what, cure))
	}
	var n int
	if kind == codec.None {
		n, err = src.ReadAt(head, 0)
	} else {
		packed := codec.Open(kind, src, f.Size, 0, f.Size)
		n, err = io.ReadFull(packed, head)
		packed.Close()
		if what, cure := files.Twice(head[:n], kind); what != "" {
			return refused(what, cure)
		}
		name, inside = strings.TrimSuffix(name, filepath.Ext(name)), "unpacked "
	}
	what, cure := files.Foreign(head[:n], name)
	if what == "" {
		if err == nil || err == io.EOF || err == io.ErrUnexpectedEOF {
			return !files.NoText(head[:n]), nil
		}
		return unread(err)
	}
	return refused(what+", which is not read", cure)
}
