package wire

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
)

var update = flag.Bool("update", false, "add what is new to testdata/published.txt")

const published = "testdata/published.txt"

// describe lists all that a peer relies on: what is called what, has which number, and is of which type.
func describe(f protoreflect.FileDescriptor) (lines []string) {
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	var messages func(protoreflect.MessageDescriptors)
	messages = func(ms protoreflect.MessageDescriptors) {
		for i := range ms.Len() {
			m := ms.Get(i)
			for k := range m.Fields().Len() {
				d := m.Fields().Get(k)
				kind := d.Kind().String()
				switch {
				case d.Message() != nil:
					kind = string(d.Message().FullName())
				case d.Enum() != nil:
					kind = string(d.Enum().FullName())
				}
				within := ""
				if o := d.ContainingOneof(); o != nil {
					within = " in " + string(o.Name())
				}
				say("%s = %d %v %s%s", d.FullName(), d.Number(), d.Cardinality(), kind, within)
			}
			messages(m.Messages())
		}
	}
	messages(f.Messages())
	for i := range f.Enums().Len() {
		for e, k := f.Enums().Get(i), 0; k < e.Values().Len(); k++ {
			say("%s.%s = %d", e.FullName(), e.Values().Get(k).Name(), e.Values().Get(k).Number())
		}
	}
	for i := range f.Services().Len() {
		for s, k := f.Services().Get(i), 0; k < s.Methods().Len(); k++ {
			m := s.Methods().Get(k)
			say("%s(%s) = %s, streams %v %v", m.FullName(), m.Input().FullName(), m.Output().FullName(), m.IsStreamingClient(), m.IsStreamingServer())
		}
	}
	return lines
}

// changes compares what is with what was published: what is gone breaks peers, what is new is fine.
func changes(was, is []string) (gone, fresh []string) {
	for _, line := range was {
		if !slices.Contains(is, line) {
			gone = append(gone, line)
		}
	}
	for _, line := range is {
		if !slices.Contains(was, line) {
			fresh = append(fresh, line)
		}
	}
	return gone, fresh
}

// Peers of other releases understand what they have understood so far.
func TestNothingPublishedChanges(t *testing.T) {
	text, err := os.ReadFile(published)
	if err != nil && !*update {
		t.Fatal(err)
	}
	was := strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' || r == '\r' })
	is := describe(File_slackline_yarn_v1_yarn_proto)
	gone, fresh := changes(was, is)
	for _, line := range gone {
		t.Errorf("released peers rely on what is gone: %s; give the new thing a new number or name, or the protocol a new version", line)
	}
	if *update {
		if err := os.WriteFile(published, []byte(strings.Join(append(was, fresh...), "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, line := range fresh {
		t.Errorf("not in %s, add it with -update: %s", published, line)
	}
}

// A field that is gone, renumbered or of another type is noticed, a new one is not held against anybody.
func TestChangesAreNoticed(t *testing.T) {
	is := describe(File_slackline_yarn_v1_yarn_proto)
	if len(is) < 100 {
		t.Fatalf("%d lines describe the protocol", len(is))
	}
	for _, edit := range []func(string) string{
		func(s string) string { return strings.Replace(s, "Ask.count = 3", "Ask.count = 7", 1) },
		func(s string) string {
			return strings.Replace(s, "Ask.count = 3 optional int32", "Ask.count = 3 optional int64", 1)
		},
		func(s string) string { return strings.Replace(s, "MODE_OURS = 2", "MODE_OURS = 9", 1) },
		func(s string) string { return regexp.MustCompile(`(?m)^.*Place\.farthest.*\n`).ReplaceAllString(s, "") },
	} {
		text := strings.Join(is, "\n")
		other := edit(text)
		if other == text {
			t.Fatal("an edit changes nothing")
		}
		if gone, _ := changes(is, strings.Split(other, "\n")); len(gone) != 1 {
			t.Errorf("%d lines are gone, want 1: %v", len(gone), gone)
		}
	}
	if gone, fresh := changes(is[1:], is); len(gone) != 0 || len(fresh) != 1 {
		t.Errorf("what is new: gone %v, new %v", gone, fresh)
	}
}

var snake = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// Names are as everywhere in protobuf, and the first value of each enum says nothing.
func TestNamesFollowTheStyle(t *testing.T) {
	f := File_slackline_yarn_v1_yarn_proto
	for i := range f.Enums().Len() {
		e := f.Enums().Get(i)
		prefix := strings.ToUpper(string(e.Name())) + "_"
		for k := range e.Values().Len() {
			if v := e.Values().Get(k); !strings.HasPrefix(string(v.Name()), prefix) || (k == 0) != (string(v.Name()) == prefix+"UNSPECIFIED") {
				t.Errorf("%s: values are %sUNSPECIFIED and %s…", v.Name(), prefix, prefix)
			}
		}
	}
	for i := range f.Messages().Len() {
		for m, k := f.Messages().Get(i), 0; k < m.Fields().Len(); k++ {
			if d := m.Fields().Get(k); !snake.MatchString(string(d.Name())) {
				t.Errorf("%s is not in lower_snake_case", d.FullName())
			}
		}
	}
}
