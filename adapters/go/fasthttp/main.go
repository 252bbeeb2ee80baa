package main

import (
	"net"

	"fetchoff/kit"
	"github.com/valyala/fasthttp"
)

const streamAbove = 16 * 1024

type session struct {
	client   fasthttp.Client
	settings *kit.Settings
}

func open(settings *kit.Settings) (kit.Session, error) {
	s := &session{settings: settings}
	if settings.Streamed() && settings.Decompress {
		return nil, kit.Unsupported("decompression") // only of whole content: BodyUncompressed
	}
	if settings.Streamed() {
		s.client.StreamResponseBody = true
		// What is longer is streamed; without it, content of known length is read whole first.
		s.client.MaxResponseBodySize = streamAbove
	}
	authorities, err := settings.TLS()
	if err != nil {
		return nil, err
	}
	s.client.TLSConfig = authorities
	s.client.MaxConnsPerHost = settings.Concurrency
	if connect := settings.TimeoutMS.Connect.Duration(); connect > 0 {
		s.client.Dial = func(address string) (net.Conn, error) {
			return fasthttp.DialTimeout(address, connect)
		}
	}
	return s, nil
}

func (s *session) Send(x *kit.Exchange) (int64, error) {
	request, response := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(response)
	request.Header.SetMethod(x.Method)
	request.SetRequestURI(x.URL)
	if err := encode(request, x.Body); err != nil {
		return 0, err
	}
	if s.settings.Decompress {
		request.Header.Set("Accept-Encoding", "gzip, deflate, br, zstd")
	}
	if !s.settings.Reuse {
		request.SetConnectionClose()
	}
	for _, header := range x.Headers {
		request.Header.Add(header[0], header[1])
	}
	if err := s.do(request, response); err != nil {
		return 0, err
	}
	if stream := response.BodyStream(); stream != nil {
		return x.Read(response.StatusCode(), stream)
	}
	content, err := response.BodyUncompressed()
	if err != nil {
		return 0, err
	}
	return x.Content(response.StatusCode(), content)
}

func (s *session) do(request *fasthttp.Request, response *fasthttp.Response) error {
	if total := s.settings.TimeoutMS.Total.Duration(); total > 0 {
		request.SetTimeout(total)
	}
	if s.settings.Redirects > 0 {
		return s.client.DoRedirects(request, response, s.settings.Redirects)
	}
	return s.client.Do(request, response)
}

func (s *session) Close() { s.client.CloseIdleConnections() }

func encode(request *fasthttp.Request, body *kit.Body) error {
	if body == nil {
		return nil
	}
	if body.Kind == "form" {
		encodeForm(request, body.Fields)
		return nil
	}
	content, contentType, err := body.Encode()
	request.Header.SetContentType(contentType)
	request.SetBodyRaw(content)
	return err
}

func encodeForm(request *fasthttp.Request, fields [][2]string) {
	form := fasthttp.AcquireArgs()
	defer fasthttp.ReleaseArgs(form)
	for _, field := range fields {
		form.Add(field[0], field[1])
	}
	request.Header.SetContentType("application/x-www-form-urlencoded")
	request.SetBody(form.QueryString())
}

func main() {
	kit.Serve(kit.Client{
		Name:    "fasthttp",
		Version: kit.ModuleVersion("github.com/valyala/fasthttp"),
		Features: []string{
			"http/1.1", "method.get", "method.head", "method.post", "method.put",
			"body.form", "body.json", "body.multipart", "body.raw", "headers",
			"connection.reuse", "connection.fresh", "tls", "sink.buffer", "sink.discard", "read-size",
			"coding.deflate", "coding.br", "coding.zstd", "decompression", "redirects", "timeout.connect", "timeout.total",
		},
		Open: open,
	})
}
