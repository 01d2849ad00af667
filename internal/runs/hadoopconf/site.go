// Package hadoopconf puts the plug-in into the configuration of a Hadoop that somebody runs, and takes it out again.
//
//	site.go      a file such as yarn-site.xml, of which all stays as it stands but what is set
//	install.go   what has to change, and what would thwart the plug-in
//	check.go     that
package hadoopconf

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Site is a file of Hadoop's configuration.
type Site struct {
	Path string
	Text []byte
	all  []property
	end  int  // where </configuration> begins
	more bool // it includes other files, which are not read
}

// property is one that stands there: where its element is, and that of its value.
type property struct {
	name, value      string
	from, to         int
	valueAt, valueTo int
}

// Read reads a file; one that is not there is empty.
func Read(path string) (*Site, error) {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		text = []byte("<?xml version=\"1.0\"?>\n<configuration>\n</configuration>\n")
	case err != nil:
		return nil, err
	}
	return parse(path, text)
}

// parse finds the properties of a file.
func parse(path string, text []byte) (*Site, error) {
	s := &Site{Path: path, Text: text, end: -1}
	bad := func(at int, format string, args ...any) error {
		return fmt.Errorf("%s:%d: %s", path, 1+bytes.Count(text[:min(at, len(text))], []byte("\n")), fmt.Sprintf(format, args...))
	}
	d := xml.NewDecoder(bytes.NewReader(text))
	var within []string
	var p property
	var field strings.Builder
	for {
		at := int(d.InputOffset())
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			var syntax *xml.SyntaxError
			if errors.As(err, &syntax) {
				return nil, fmt.Errorf("%s:%d: it is not XML: %s", path, syntax.Line, syntax.Msg)
			}
			return nil, bad(at, "it is not XML: %v", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			within = append(within, t.Name.Local)
			field.Reset()
			switch where := strings.Join(within, "/"); {
			case len(within) == 1 && where != "configuration":
				return nil, bad(at, "it begins with <%s>, where Hadoop's files begin with <configuration>", where)
			case where == "configuration/property":
				p = property{from: at, valueAt: -1}
			case where == "configuration/property/value":
				p.valueAt = at
			case t.Name.Local == "include":
				s.more = true
			}
		case xml.CharData:
			field.Write(t)
		case xml.EndElement:
			switch strings.Join(within, "/") {
			case "configuration":
				s.end = at
			case "configuration/property":
				if p.to = int(d.InputOffset()); p.name != "" && p.valueAt >= 0 {
					s.all = append(s.all, p)
				}
			case "configuration/property/name":
				p.name = strings.TrimSpace(field.String())
			case "configuration/property/value":
				p.value, p.valueTo = strings.TrimSpace(field.String()), int(d.InputOffset())
			}
			within = within[:len(within)-1]
		}
	}
	if s.end < 0 {
		return nil, bad(0, "there is no <configuration> in it")
	}
	if !bytes.HasPrefix(text[s.end:], []byte("</")) {
		return nil, bad(s.end, "write <configuration></configuration> in full")
	}
	return s, nil
}

// Get returns a property, of several of a name the last, as Hadoop does.
func (s *Site) Get(name string) (value string, there bool) {
	for i := range s.all {
		if s.all[i].name == name {
			value, there = s.all[i].value, true
		}
	}
	return value, there
}

// set returns the file with a property set, wherever it stands, or behind all others.
func (s *Site) set(name, value string) (*Site, error) {
	var escaped bytes.Buffer
	if err := xml.EscapeText(&escaped, []byte(value)); err != nil {
		return nil, err
	}
	element := "<value>" + escaped.String() + "</value>"
	if _, there := s.Get(name); !there {
		line := "  <property><name>" + name + "</name>" + element + "</property>\n"
		if s.end > 0 && s.Text[s.end-1] != '\n' {
			line = "\n" + line
		}
		return s.with(s.end, s.end, line)
	}
	out := s
	for i := len(s.all) - 1; i >= 0; i-- {
		if p := &s.all[i]; p.name == name {
			var err error
			if out, err = out.with(p.valueAt, p.valueTo, element); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// drop returns the file without a property, and without the line that it alone stood in.
func (s *Site) drop(name string) (*Site, error) {
	out := s
	for i := len(s.all) - 1; i >= 0; i-- {
		p := s.all[i]
		if p.name != name {
			continue
		}
		from, to := p.from, p.to
		for from > 0 && (s.Text[from-1] == ' ' || s.Text[from-1] == '\t') {
			from--
		}
		if (from == 0 || s.Text[from-1] == '\n') && to < len(s.Text) && s.Text[to] == '\n' {
			to++
		} else {
			from = p.from
		}
		var err error
		if out, err = out.with(from, to, ""); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *Site) with(from, to int, text string) (*Site, error) {
	return parse(s.Path, []byte(string(s.Text[:from])+text+string(s.Text[to:])))
}
