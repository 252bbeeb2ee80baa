package main

import (
	"bytes"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"

	"fetchoff/kit"
)

type session struct{ http.Client }

var tuned = os.Getenv("TRANSPORT") != "default"

func open(settings *kit.Settings) (kit.Session, error) {
	proxy, err := settings.ProxyURL()
	if err != nil {
		return nil, err
	}
	authorities, err := settings.TLS()
	if err != nil {
		return nil, err
	}
	dialer := &net.Dialer{Timeout: settings.TimeoutMS.Connect.Duration()}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = http.ProxyURL(proxy)
	transport.DialContext = dialer.DialContext
	transport.TLSClientConfig = authorities
	transport.DisableCompression = !settings.Decompress
	transport.DisableKeepAlives = !settings.Reuse
	transport.ForceAttemptHTTP2 = settings.Protocol == "h2"
	if tuned {
		// The default keeps 2 idle connections a host and closes the others after each use.
		transport.MaxIdleConnsPerHost = settings.Concurrency
		transport.MaxIdleConns = 0 // no limit; the default keeps 100 of all hosts
	}
	if settings.Protocol == "h2c" {
		speakH2C(transport)
	}
	client := http.Client{
		Transport: transport,
		CheckRedirect: func(_ *http.Request, via []*http.Request) error {
			if len(via) > settings.Redirects {
				return http.ErrUseLastResponse
			}
			return nil
		},
		Timeout: settings.TimeoutMS.Total.Duration(),
	}
	if settings.Cookies {
		client.Jar, _ = cookiejar.New(nil)
	}
	return &session{client}, nil
}

func (s *session) Send(x *kit.Exchange) (int64, error) {
	request, err := newRequest(x)
	if err != nil {
		return 0, err
	}
	for _, header := range x.Headers {
		request.Header.Add(header[0], header[1])
	}
	response, err := s.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	return x.Read(response.StatusCode, response.Body)
}

func (s *session) Close() { s.CloseIdleConnections() }

func newRequest(x *kit.Exchange) (*http.Request, error) {
	if x.Body == nil {
		return http.NewRequest(x.Method, x.URL, nil)
	}
	content, contentType, err := x.Body.Encode()
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequest(x.Method, x.URL, bytes.NewReader(content))
	if err == nil {
		request.Header.Set("Content-Type", contentType)
	}
	return request, err
}

func main() {
	kit.Serve(kit.Client{
		Name:    "net-http",
		Version: kit.GoVersion(),
		Features: append([]string{
			"http/1.1", "h2", "method.get", "method.head", "method.post", "method.put",
			"body.form", "body.json", "body.multipart", "body.raw", "headers",
			"connection.reuse", "connection.fresh", "tls", "proxy", "sink.buffer", "sink.discard",
			"read-size", "cookies", "decompression", "redirects", "timeout.connect", "timeout.total",
		}, h2c...),
		Open: open,
	})
}
