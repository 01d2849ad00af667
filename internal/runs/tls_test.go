package runs_test

import (
	"context"
	"crypto/tls"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/worlds/yarn"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/internal/worlds/yarn/yarnfake"
)

// Over a network a plug-in has to show a certificate of the authority, and sees one; the secret alone opens nothing.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	for _, of := range [][]string{{"slackline", "plugin"}, {"stranger"}} {
		if err := yarnfake.Certificates(dir, of...); err != nil {
			t.Fatal(err)
		}
	}
	config, err := runs.TLS(filepath.Join(dir, "slackline"))
	if err != nil {
		t.Fatal(err)
	}
	world, err := yarn.New(yarn.Config{Secret: []byte("shared"), TLS: config})
	if err != nil {
		t.Fatal(err)
	}
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer world.Serve(at)()
	defer world.Stop()
	attach := func(how *tls.Config) error {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, err := yarnfake.AttachBy(ctx, how, at.Addr().String(), []byte("shared"), &wire.Hello{Protocol: wire.Protocol, Cluster: "c", Life: "1"})
		return err
	}
	by := func(name string) *tls.Config {
		own, err := runs.TLS(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return &tls.Config{Certificates: own.Certificates, RootCAs: config.ClientCAs}
	}
	if err := attach(by("plugin")); err != nil {
		t.Error(err)
	}
	for name, how := range map[string]*tls.Config{
		"a certificate of somebody else": by("stranger"),
		"no certificate":                 {RootCAs: config.ClientCAs},
		"no encryption":                  nil,
	} {
		if err := attach(how); err == nil {
			t.Errorf("with %s a plug-in attaches", name)
		}
	}
	if err := attach(&tls.Config{Certificates: config.Certificates}); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("to a plug-in that does not know the authority Slackline is %v", err)
	}
}
