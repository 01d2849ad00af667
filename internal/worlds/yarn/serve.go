package yarn

import (
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// Serve lets plug-ins attach to the world at an address, until stop is called.
func (w *World) Serve(at net.Listener) (stop func()) {
	options := ServerOptions()
	if w.cfg.TLS != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(w.cfg.TLS)))
	}
	server := grpc.NewServer(options...)
	w.Register(server)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(at) // it ends when stop is called; a listener that fails takes the plug-in's stream with it
	}()
	return func() {
		server.Stop()
		<-done
	}
}
