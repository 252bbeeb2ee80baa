package main

import (
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"fetchoff/kit"
	"github.com/go-resty/resty/v2"
)

type session struct {
	client   *resty.Client
	settings *kit.Settings
}

func open(settings *kit.Settings) (kit.Session, error) {
	client := resty.New()
	if !settings.Cookies {
		client.SetCookieJar(nil)
	}
	client.SetTimeout(settings.TimeoutMS.Total.Duration())
	client.SetRedirectPolicy(resty.RedirectPolicyFunc(
		func(_ *http.Request, via []*http.Request) error {
			if len(via) > settings.Redirects {
				return http.ErrUseLastResponse
			}
			return nil
		}))
	transport, err := client.Transport()
	if err != nil {
		return nil, err
	}
	transport.DialContext = (&net.Dialer{Timeout: settings.TimeoutMS.Connect.Duration()}).DialContext
	transport.DisableCompression = !settings.Decompress
	transport.DisableKeepAlives = !settings.Reuse
	transport.MaxIdleConnsPerHost = settings.Concurrency
	transport.MaxIdleConns = 0 // no limit; the default keeps 100 of all hosts
	transport.ForceAttemptHTTP2 = settings.Protocol == "h2"
	if settings.TLSCA != "" {
		client.SetRootCertificate(settings.TLSCA)
	}
	if settings.Proxy != "" {
		client.SetProxy(settings.Proxy)
	}
	return &session{client, settings}, nil
}

func (s *session) Send(x *kit.Exchange) (int64, error) {
	request := s.client.R().SetDoNotParseResponse(s.settings.Streamed())
	for _, header := range x.Headers {
		request.Header.Add(header[0], header[1])
	}
	files, err := setBody(request, x.Body)
	defer closeAll(files)
	if err != nil {
		return 0, err
	}
	response, err := request.Execute(x.Method, x.URL)
	if err != nil {
		return 0, err
	}
	if !s.settings.Streamed() {
		return x.Content(response.StatusCode(), response.Body())
	}
	defer response.RawBody().Close()
	return x.Read(response.StatusCode(), response.RawBody())
}

func (s *session) Close() { s.client.GetClient().CloseIdleConnections() }

func setBody(request *resty.Request, body *kit.Body) (files []*os.File, err error) {
	if body == nil {
		return nil, nil
	}
	switch body.Kind {
	case "form":
		values := url.Values{}
		for _, field := range body.Fields {
			values.Add(field[0], field[1])
		}
		request.SetFormDataFromValues(values)
	case "json":
		request.SetHeader("Content-Type", "application/json").SetBody(body.Value)
	case "raw":
		request.SetHeader("Content-Type", body.ContentType).SetBody(body.Data)
	case "multipart":
		// SetMultipartFormData takes a map, and sends its fields in any order.
		for _, field := range body.Fields {
			request.SetMultipartField(field[0], "", "", strings.NewReader(field[1]))
		}
		for _, part := range body.Files {
			file, err := os.Open(part.Path)
			if err != nil {
				return files, err
			}
			files = append(files, file)
			request.SetMultipartField(part.Name, part.Filename, part.ContentType, file)
		}
	}
	return files, nil
}

func closeAll(files []*os.File) {
	for _, file := range files {
		file.Close()
	}
}

func main() {
	kit.Serve(kit.Client{
		Name:    "resty",
		Version: kit.ModuleVersion("github.com/go-resty/resty/v2"),
		Engine:  "net/http " + kit.GoVersion(),
		Features: []string{
			"http/1.1", "h2", "method.get", "method.head", "method.post", "method.put",
			"body.form", "body.json", "body.multipart", "body.raw", "headers",
			"connection.reuse", "connection.fresh", "tls", "proxy", "sink.buffer", "sink.discard",
			"read-size", "cookies", "decompression", "redirects", "timeout.connect", "timeout.total",
		},
		Open: open,
	})
}
