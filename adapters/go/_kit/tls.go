package kit

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/url"
	"os"
)

// TLS is the configuration that trusts the authority of the settings, or nil, for the system's.
func (s *Settings) TLS() (*tls.Config, error) {
	if s.TLSCA == "" {
		return nil, nil
	}
	certificates, err := os.ReadFile(s.TLSCA)
	if err != nil {
		return nil, err
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM(certificates) {
		return nil, fmt.Errorf("%s has no certificate", s.TLSCA)
	}
	return &tls.Config{RootCAs: authorities}, nil
}

// ProxyURL is nil where no proxy is wanted.
func (s *Settings) ProxyURL() (*url.URL, error) {
	if s.Proxy == "" {
		return nil, nil
	}
	return url.Parse(s.Proxy)
}
