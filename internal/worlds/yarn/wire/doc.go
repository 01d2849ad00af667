// Package wire is the stream between Slackline and its plug-in in YARN's ResourceManager, as Go types
// made from proto/slackline/yarn/v1/yarn.proto. After a change there, in the root of the project:
//
//	go run github.com/bufbuild/buf/cmd/buf@v1.75.0 generate
//	go run github.com/bufbuild/buf/cmd/buf@v1.75.0 lint
//	go test ./internal/worlds/yarn/wire -update
//
// The last one adds what is new to testdata/published.txt, which is what released peers rely on. The
// test fails if anything that stands there is gone or means something else.
package wire

// Protocol is the version of the protocol: that of Hello and Welcome. It changes when peers of another
// release would misunderstand, which a new field or message does not make them.
const Protocol = 1
