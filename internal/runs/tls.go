package runs

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
)

// TLS reads from a folder by what this process and the plug-in know each other over a network: ca.pem, the
// authority that has signed both, and cert.pem and key.pem, which are this side's own. Whoever shows no
// certificate of that authority is turned away.
func TLS(dir string) (*tls.Config, error) {
	authority, err := os.ReadFile(filepath.Join(dir, "ca.pem"))
	if err != nil {
		return nil, fmt.Errorf("--tls: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("--tls: %s holds no certificate", filepath.Join(dir, "ca.pem"))
	}
	own, err := tls.LoadX509KeyPair(filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"))
	if err != nil {
		return nil, fmt.Errorf("--tls: %s: %w", dir, err)
	}
	return &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{own}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool}, nil
}
