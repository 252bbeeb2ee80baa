package main

import (
	"bytes"
	"net"
	"net/http"
	"net/http/cookiejar"

	"fetchoff/kit"
)

type session struct{ http.Client }

func open(settings *kit.Settings) (kit.Session, error) {
	dialer := &net.Dialer{Timeout: settings.TimeoutMS.Connect.Duration()}
	client := http.Client{
		Transport: &http.Transport{
			DialContext:        dialer.DialContext,
			DisableCompression: !settings.Decompress,
			DisableKeepAlives:  !settings.Reuse,
			// The default keeps 2 idle connections a host and closes the others after each use.
			MaxIdleConnsPerHost: settings.Concurrency,
		},
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
		Features: []string{
			"http/1.1", "method.get", "method.head", "method.post", "method.put",
			"body.form", "body.json", "body.multipart", "body.raw", "headers",
			"connection.reuse", "connection.fresh", "sink.buffer", "sink.discard", "read-size",
			"cookies", "decompression", "redirects", "timeout.connect", "timeout.total",
		},
		Open: open,
	})
}
