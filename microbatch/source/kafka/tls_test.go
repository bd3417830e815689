package kafka

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
)

// certificate is a self-signed one for 127.0.0.1, and the pool that trusts it.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "broker"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

// A listener with TLS answers whoever trusts its certificate; everyone else is told why not, within seconds.
func TestTLS(t *testing.T) {
	cert, trusted := certificate(t)
	c := newCluster(t, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{cert}}), kfake.SeedTopics(1, "t"))
	for name, k := range map[string]struct {
		config *tls.Config
		err    string
	}{
		"trusted":    {&tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}, ""},
		"untrusted":  {&tls.Config{MinVersion: tls.VersionTLS12}, "certificate"},
		"plain text": {nil, "is TLS missing?"},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			err := open(Config{Name: "in", Brokers: c.ListenAddrs(), Topics: []string{"t"}, DialTimeout: 2 * time.Second, TLS: k.config})
			require.Less(t, time.Since(start), 4*time.Second)
			if k.err == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, k.err)
		})
	}
}
