// Package codec reads and writes compressed files. What a file is compressed with is told by its
// first bytes, never by its name.
//
//	codec.go   the kinds: how they are known, where a file may be cut
//	cuts.go    the boundaries in zstd and snappy files
//	reader.go  the bytes of a piece of a file, unpacked
//	bzip2.go   blocks of bzip2, which begin at any bit
//	writer.go  gzip and zstd for output
//
// # Where files may be cut
//
//   - gzip: nowhere. Its data refer to what stands up to 32 KB before them, and nothing marks where they do not.
//   - zstd: at frames. What pzstd, or zstd with a seekable format, writes has many; zstd itself
//     writes one frame, which is not cut.
//   - snappy and s2 (the framing format): at chunks, each of which stands for itself.
//   - bzip2: anywhere. A block belongs to the piece in which it begins, and the 48 bits that it
//     begins with are looked for. Data that hold these bits by chance would be taken for damage:
//     expect one such place in 35 TB.
//
// A file may hold several members (gzip), frames (zstd), streams (bzip2, snappy) one behind
// another. Anything else behind the last is damage.
//
// # Damage
//
// Every kind but gzip before its end carries a checksum for what is about to be handed out, and all
// are checked. A file that is cut off in the middle of a member is found to be so; if it is cut off
// between two members, nothing tells.
package codec
