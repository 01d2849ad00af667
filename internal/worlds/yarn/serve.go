package yarn

import (
	"net"

	"google.golang.org/grpc"
)

// Serve lets plug-ins attach to the world at an address, until stop is called.
func (w *World) Serve(at net.Listener) (stop func()) {
	server := grpc.NewServer(ServerOptions()...)
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
