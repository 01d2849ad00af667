package files

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/files/codec"
)

// HeadSize is how much of a file is looked at to tell what it is.
const HeadSize = 512

// A format that is not read.
type format struct {
	what, cure string
	magics     []string
	at         int      // where they stand
	binary     bool     // a magic alone may be text, so what follows has to be none
	suffixes   []string // instead of those: of names of files that are no text
}

const (
	asRows   = "write its rows as CSV or JSON lines"
	asText   = "name a file of text"
	asPacked = "unpack it, or pack it with gzip or zstd"
	asHadoop = "unpack it with hadoop fs -text, or pack it with gzip or zstd"

	ownSnappy = "packed with Hadoop's own form of snappy"
)

var formats = []format{
	{what: "a Parquet file", cure: asRows, magics: []string{"PAR1"}, binary: true},
	{what: "an encrypted Parquet file", cure: asRows, magics: []string{"PARE"}, binary: true},
	{what: "an ORC file", cure: asRows, magics: []string{"ORC"}, binary: true},
	{what: "an Avro file", cure: asRows, magics: []string{"Obj\x01"}},
	{what: "an Arrow file", cure: asRows, magics: []string{"ARROW1\x00\x00"}},
	{what: "a Feather file", cure: asRows, magics: []string{"FEA1"}, binary: true},
	{what: "a SequenceFile of Hadoop", cure: "write it as text, as hadoop fs -text does", magics: []string{"SEQ\x04", "SEQ\x05", "SEQ\x06"}},
	{what: "an RCFile of Hive", cure: asRows, magics: []string{"RCF\x01"}},
	{what: "an SQLite database", cure: asRows, magics: []string{"SQLite format 3\x00"}},
	{what: "an HDF5 file", cure: asRows, magics: []string{"\x89HDF\r\n\x1a\n"}},
	{what: "an old Excel file", cure: "save it as CSV", magics: []string{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"}},
	{what: "a PDF", cure: asText, magics: []string{"%PDF-"}},
	{what: "a PNG image", cure: asText, magics: []string{"\x89PNG\r\n\x1a\n"}},
	{what: "a JPEG image", cure: asText, magics: []string{"\xff\xd8\xff"}},
	{what: "a GIF image", cure: asText, magics: []string{"GIF87a", "GIF89a"}, binary: true},
	{what: "a TIFF image", cure: asText, magics: []string{"II*\x00", "MM\x00*"}},
	{what: "an image, a sound or a film (RIFF)", cure: asText, magics: []string{"RIFF"}, binary: true},
	{what: "a program (ELF)", cure: asText, magics: []string{"\x7fELF"}},
	{what: "a class file of Java", cure: asText, magics: []string{"\xca\xfe\xba\xbe"}, binary: true},
	{what: "a WebAssembly module", cure: asText, magics: []string{"\x00asm"}},
	{what: "a NumPy array", cure: asRows, magics: []string{"\x93NUMPY"}},
	{what: "a dump of PostgreSQL in its own format", cure: "write it as text, as pg_restore -f does", magics: []string{"PGDMP"}, binary: true},
	{what: "a capture of packets (pcap)", cure: asText, magics: []string{"\xd4\xc3\xb2\xa1", "\xa1\xb2\xc3\xd4"}, binary: true},
	{what: "a RAR archive", cure: "unpack it", magics: []string{"Rar!\x1a\x07"}},
	{what: "an archive of ar", cure: "unpack it", magics: []string{"!<arch>\n"}},
	{what: "packed with xz", cure: asPacked, magics: []string{"\xfd7zXZ\x00"}},
	{what: "packed with lzma", cure: asPacked, magics: []string{"\x5d\x00\x00"}, binary: true},
	{what: "packed with lzip", cure: asPacked, magics: []string{"LZIP"}, binary: true},
	{what: "packed with lz4", cure: asPacked, magics: []string{"\x04\x22\x4d\x18", "\x02\x21\x4c\x18"}},
	{what: "packed with lzop", cure: asPacked, magics: []string{"\x89LZO\x00\r\n\x1a\n"}},
	{what: "packed with compress (.Z)", cure: asPacked, magics: []string{"\x1f\x9d"}},
	{what: "packed with pack (.z)", cure: asPacked, magics: []string{"\x1f\x1e"}},
	{what: "packed with deflate", cure: asPacked, magics: []string{"\x78\x01", "\x78\x5e"}, binary: true},
	{what: "packed with deflate", cure: asPacked, magics: []string{"\x78\x9c", "\x78\xda"}},
	{what: "a zip archive", cure: "unzip it, or save a spreadsheet as CSV", magics: []string{"PK\x03\x04"}},
	{what: "an empty zip archive", cure: asText, magics: []string{"PK\x05\x06"}},
	{what: "a 7z archive", cure: "unpack it", magics: []string{"7z\xbc\xaf\x27\x1c"}},
	{what: "a tar archive", cure: "unpack it, and name a file of it", magics: []string{"ustar"}, at: 257},
	{what: "in UTF-32", cure: "save it as UTF-8", magics: []string{"\xff\xfe\x00\x00", "\x00\x00\xfe\xff"}},
	{what: "in UTF-16", cure: "save it as UTF-8", magics: []string{"\xff\xfe", "\xfe\xff"}},
	{what: ownSnappy, cure: asHadoop, suffixes: []string{".snappy"}},
	{what: "packed with Hadoop's own form of lz4", cure: asHadoop, suffixes: []string{".lz4"}},
	{what: "packed with lzo", cure: asPacked, suffixes: []string{".lzo", ".lzo_deflate"}},
	{what: "packed with deflate", cure: asPacked, suffixes: []string{".deflate"}},
	{what: "packed with brotli", cure: asPacked, suffixes: []string{".br"}},
	{what: "packed with xz", cure: asPacked, suffixes: []string{".lzma"}},
	{what: "a Parquet file", cure: asRows, suffixes: []string{".parquet"}},
	{what: "an ORC file", cure: asRows, suffixes: []string{".orc"}},
	{what: "an Avro file", cure: asRows, suffixes: []string{".avro"}},
}

// Foreign tells what a file is whose first bytes are these, where it is nothing that is read here,
// and what to do about it: "it is WHAT; CURE". Both are empty where nothing speaks against text.
// What is packed in a way that package codec knows is not foreign. The name, which may be empty,
// tells of forms that have no first bytes of their own.
func Foreign(head []byte, name string) (what, cure string) {
	for i := range formats {
		f := &formats[i]
		for _, magic := range f.magics {
			if len(head) >= f.at && bytes.HasPrefix(head[f.at:], []byte(magic)) && (!f.binary || NoText(head[len(magic):])) {
				return f.what, f.cure
			}
		}
	}
	if wide(head) {
		return "in UTF-16", "save it as UTF-8"
	}
	if rawSnappy(head) {
		return ownSnappy, asHadoop
	}
	suffix := filepath.Ext(name)
	for i := range formats {
		if f := &formats[i]; slices.Contains(f.suffixes, strings.ToLower(suffix)) && NoText(head) {
			return f.what, f.cure
		}
	}
	return "", ""
}

// Twice tells what is wrong where these are the first bytes of what was packed in a way, and are
// packed themselves: "it is WHAT; CURE". Both are empty where they are not.
func Twice(unpacked []byte, kind codec.Kind) (what, cure string) {
	again, _ := codec.Detect(bytes.NewReader(unpacked))
	if again == codec.None {
		return "", ""
	}
	return fmt.Sprintf("packed twice, with %v within %v", again, kind), "unpack it once"
}

// refuse is the sentence of a file that is foreign, nil for others.
func refuse(name string, head []byte, called string) error {
	what, cure := Foreign(head, called)
	if what == "" {
		return nil
	}
	return errorf("%s: it is %s, which is not read; %s", name, what, cure)
}

// NoText tells whether there are bytes that no text has: 0 and others below a space, but for ends of lines and pages,
// tabs, ESC, and 1 to 3, which Hive writes between fields.
func NoText(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != 0x1b && !(c >= 1 && c <= 3) && !(c >= '\t' && c <= '\r') {
			return true
		}
	}
	return false
}

// rawSnappy tells whether a file begins as Hadoop's SnappyCodec writes it: the size of a block and of
// its first chunk in four bytes each, then the chunk, which says its own size when it is unpacked
// and begins with a literal. No text begins with the byte 0, which the size of a block has first.
func rawSnappy(b []byte) bool {
	if len(b) < 10 || b[0] != 0 {
		return false
	}
	block, chunk := uint64(binary.BigEndian.Uint32(b)), uint64(binary.BigEndian.Uint32(b[4:]))
	size, n := binary.Uvarint(b[8:])
	return n > 0 && len(b) > 8+n && b[8+n]&3 == 0 && size > 0 && size <= block && chunk > uint64(n) && chunk <= 32+size+size/6
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
