package files

import (
	"bytes"
	"path/filepath"
	"strings"
)

// HeadSize is how much of a file is looked at to tell what it is.
const HeadSize = 512

// A format that is not read.
type format struct {
	what, cure string
	magic      string
	at         int    // where the magic stands
	binary     bool   // the magic alone may be text, so what follows has to be none
	suffix     string // instead of a magic: of names of files that are no text
}

const (
	asRows   = "write its rows as CSV or JSON lines"
	asPacked = "unpack it, or pack it with gzip or zstd"
)

var formats = []format{
	{what: "a Parquet file", cure: asRows, magic: "PAR1", binary: true},
	{what: "an encrypted Parquet file", cure: asRows, magic: "PARE", binary: true},
	{what: "an ORC file", cure: asRows, magic: "ORC", binary: true},
	{what: "an Avro file", cure: asRows, magic: "Obj\x01"},
	{what: "an Arrow file", cure: asRows, magic: "ARROW1\x00\x00"},
	{what: "a Feather file", cure: asRows, magic: "FEA1", binary: true},
	{what: "a SequenceFile of Hadoop", cure: "write it as text, as hadoop fs -text does", magic: "SEQ\x04"},
	{what: "a SequenceFile of Hadoop", cure: "write it as text, as hadoop fs -text does", magic: "SEQ\x05"},
	{what: "a SequenceFile of Hadoop", cure: "write it as text, as hadoop fs -text does", magic: "SEQ\x06"},
	{what: "an RCFile of Hive", cure: asRows, magic: "RCF\x01"},
	{what: "an SQLite database", cure: asRows, magic: "SQLite format 3\x00"},
	{what: "an HDF5 file", cure: asRows, magic: "\x89HDF\r\n\x1a\n"},
	{what: "an old Excel file", cure: "save it as CSV", magic: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"},
	{what: "a PDF", cure: "name a file of text", magic: "%PDF-"},
	{what: "packed with xz", cure: asPacked, magic: "\xfd7zXZ\x00"},
	{what: "packed with lzma", cure: asPacked, magic: "\x5d\x00\x00", binary: true},
	{what: "packed with lzip", cure: asPacked, magic: "LZIP", binary: true},
	{what: "packed with lz4", cure: asPacked, magic: "\x04\x22\x4d\x18"},
	{what: "packed with lz4", cure: asPacked, magic: "\x02\x21\x4c\x18"},
	{what: "packed with lzop", cure: asPacked, magic: "\x89LZO\x00\r\n\x1a\n"},
	{what: "packed with compress (.Z)", cure: asPacked, magic: "\x1f\x9d"},
	{what: "packed with pack (.z)", cure: asPacked, magic: "\x1f\x1e"},
	{what: "packed with deflate", cure: asPacked, magic: "\x78\x01", binary: true},
	{what: "packed with deflate", cure: asPacked, magic: "\x78\x5e", binary: true},
	{what: "packed with deflate", cure: asPacked, magic: "\x78\x9c"},
	{what: "packed with deflate", cure: asPacked, magic: "\x78\xda"},
	{what: "a zip archive", cure: "unzip it, or save a spreadsheet as CSV", magic: "PK\x03\x04"},
	{what: "an empty zip archive", cure: "name a file of text", magic: "PK\x05\x06"},
	{what: "a 7z archive", cure: "unpack it", magic: "7z\xbc\xaf\x27\x1c"},
	{what: "a tar archive", cure: "unpack it, and name a file of it", magic: "ustar", at: 257},
	{what: "in UTF-32", cure: "save it as UTF-8", magic: "\xff\xfe\x00\x00"},
	{what: "in UTF-32", cure: "save it as UTF-8", magic: "\x00\x00\xfe\xff"},
	{what: "in UTF-16", cure: "save it as UTF-8", magic: "\xff\xfe"},
	{what: "in UTF-16", cure: "save it as UTF-8", magic: "\xfe\xff"},
	{what: "packed with Hadoop's own form of snappy", cure: "unpack it with hadoop fs -text, or pack it with gzip or zstd", suffix: ".snappy"},
	{what: "packed with Hadoop's own form of lz4", cure: "unpack it with hadoop fs -text, or pack it with gzip or zstd", suffix: ".lz4"},
	{what: "packed with lzo", cure: asPacked, suffix: ".lzo"},
	{what: "packed with lzo", cure: asPacked, suffix: ".lzo_deflate"},
	{what: "packed with deflate", cure: asPacked, suffix: ".deflate"},
	{what: "packed with brotli", cure: asPacked, suffix: ".br"},
	{what: "packed with xz", cure: asPacked, suffix: ".lzma"},
	{what: "a Parquet file", cure: asRows, suffix: ".parquet"},
	{what: "an ORC file", cure: asRows, suffix: ".orc"},
	{what: "an Avro file", cure: asRows, suffix: ".avro"},
}

// Foreign tells what a file is whose first bytes are these, where it is nothing that is read here,
// and what to do about it: "it is WHAT; CURE". Both are empty where nothing speaks against text.
// What is packed in a way that package codec knows is not foreign. The name, which may be empty,
// tells of forms that have no first bytes of their own.
func Foreign(head []byte, name string) (what, cure string) {
	for i := range formats {
		f := &formats[i]
		if f.magic == "" || len(head) < f.at || !bytes.HasPrefix(head[f.at:], []byte(f.magic)) {
			continue
		}
		if !f.binary || binary(head[len(f.magic):]) {
			return f.what, f.cure
		}
	}
	if wide(head) {
		return "in UTF-16", "save it as UTF-8"
	}
	suffix := filepath.Ext(name)
	for i := range formats {
		if f := &formats[i]; f.suffix != "" && strings.EqualFold(f.suffix, suffix) && binary(head) {
			return f.what, f.cure
		}
	}
	return "", ""
}

// Refuse is the sentence of a file that is foreign, nil for others.
func Refuse(head []byte, name string) error { return refuse(name, head, name) }

func refuse(name string, head []byte, called string) error {
	what, cure := Foreign(head, called)
	if what == "" {
		return nil
	}
	return errorf("%s: it is %s, which is not read; %s", name, what, cure)
}

// binary tells whether there are bytes that no text has. Hive writes 1 to 3 between fields.
func binary(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != 0x1b && !(c >= 1 && c <= 3) && !(c >= '\t' && c <= '\r') {
			return true
		}
	}
	return false
}

// wide tells whether each other byte is 0, as in letters of Latin in UTF-16 without a byte order mark.
func wide(b []byte) bool {
	b = b[:len(b)&^1]
	for odd := range 2 {
		zeros := 0
		for i := odd; i < len(b) && b[i] == 0 && b[i^1] != 0; i += 2 {
			zeros += 2
		}
		if len(b) >= 4 && zeros == len(b) {
			return true
		}
	}
	return false
}
