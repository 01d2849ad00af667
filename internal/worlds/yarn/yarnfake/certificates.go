package yarnfake

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Certificates makes an authority, and in a folder one folder for each of these names, with ca.pem, cert.pem
// and key.pem of a certificate for 127.0.0.1 that it has signed.
func Certificates(dir string, names ...string) error {
	authority, err := newCertificate("authority", nil)
	if err != nil {
		return err
	}
	for _, name := range names {
		own, err := newCertificate(name, authority)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(to, 0o700); err != nil {
			return err
		}
		for file, text := range map[string][]byte{"ca.pem": authority.cert, "cert.pem": own.cert, "key.pem": own.key} {
			if err := os.WriteFile(filepath.Join(to, file), text, 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

type certificate struct {
	is        *x509.Certificate
	private   *ecdsa.PrivateKey
	cert, key []byte // as files have them
}

// newCertificate makes one, signed by an authority or, without one, an authority.
func newCertificate(name string, by *certificate) (*certificate, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	c := &certificate{private: private, is: &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}}}
	if by == nil {
		by = c
		c.is.IsCA, c.is.BasicConstraintsValid, c.is.KeyUsage, c.is.ExtKeyUsage = true, true, x509.KeyUsageCertSign, nil
	}
	der, err := x509.CreateCertificate(rand.Reader, c.is, by.is, &private.PublicKey, by.private)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	c.cert = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	c.key = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
	return c, err
}
