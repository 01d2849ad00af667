// Package codec reads and writes compressed files. What a file is compressed with is told by its
// first bytes, never by its name.
//
//	codec.go   the kinds: how they are known, where a file may be cut
//	cuts.go    the boundaries in zstd and snappy files
//	reader.go  the bytes of a piece of a file, unpacked
//	writer.go  gzip and zstd for output
//
// # Where files may be cut
//
//   - gzip: nowhere. Its data refer to what stands up to 32 KB before them, and nothing marks where they do not.
//   - zstd: at frames. What pzstd, or zstd with a seekable format, writes has many; zstd itself
//     writes one frame, which is not cut.
//   - snappy and s2 (the framing format): at chunks, each of which stands for itself.
//   - bzip2: nowhere. Its blocks begin at any bit, and a damaged one can hide where the next begins:
//     read in pieces, such a file would lose a block that no piece misses.
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
