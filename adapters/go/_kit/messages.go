package kit

import (
	"encoding/json"
	"os"
	"time"
)

// Settings are those of docs/protocol.md; a read size of zero leaves the library's default.
type Settings struct {
	Protocol    string         `json:"protocol"`
	Reuse       bool           `json:"-"`
	WantedReuse *bool          `json:"reuse"`
	Concurrency int            `json:"concurrency"`
	Sink        string         `json:"sink"`
	ReadSize    int            `json:"read_size"`
	Directory   string         `json:"directory"`
	Cookies     bool           `json:"cookies"`
	Decompress  bool           `json:"decompress"`
	Redirects   int            `json:"redirects"`
	TimeoutMS   Timeouts       `json:"timeout_ms"`
	TLSCA       string         `json:"tls_ca"`
	Proxy       string         `json:"proxy"`
	Options     map[string]any `json:"options"`
}

// Streamed tells whether the sink reads the content itself, piece by piece.
func (s *Settings) Streamed() bool { return s.Sink == "discard" || s.Sink == "file" }

// Timeouts are zero where the library's default is wanted.
type Timeouts struct {
	Connect Milliseconds `json:"connect"`
	Read    Milliseconds `json:"read"`
	Total   Milliseconds `json:"total"`
}

// Milliseconds is how the protocol gives a length of time.
type Milliseconds int64

// Duration is how Go wants it.
func (m Milliseconds) Duration() time.Duration { return time.Duration(m) * time.Millisecond }

// Body is the content of a request.
type Body struct {
	Kind        string          `json:"kind"`
	Fields      [][2]string     `json:"fields"`
	Files       []File          `json:"files"`
	Value       any             `json:"-"` // of kind json
	WantedValue json.RawMessage `json:"value"`
	ContentType string          `json:"content_type"`
	Path        string          `json:"path"`
	Data        []byte          `json:"-"` // of kind raw
}

// File is a part of a multipart body.
type File struct {
	Name        string `json:"name"`
	Filename    string `json:"filename"`
	ContentType string `json:"content_type"`
	Path        string `json:"path"`
}

type request struct {
	Op        string         `json:"op"`
	Protocol  int            `json:"protocol"`
	Require   []string       `json:"require"`
	Exchanges []wireExchange `json:"exchanges"`
	Settings  Settings       `json:"settings"`
	N         int            `json:"n"`
	Digest    bool           `json:"digest"`
	BusyNS    int64          `json:"busy_ns"`
	// What the loop allocates is to be told.
	Allocations bool `json:"allocations"`
}

type wireExchange struct {
	Method  string      `json:"method"`
	URL     string      `json:"url"`
	Headers [][2]string `json:"headers"`
	Body    *Body       `json:"body"`
	Expect  expect      `json:"expect"`
}

type expect struct {
	Status int        `json:"status"`
	Bytes  *int64     `json:"bytes"`
	JSON   *[2]string `json:"json"`
}

type description struct {
	Protocol int      `json:"protocol"`
	Client   string   `json:"client"`
	Version  string   `json:"version"`
	Runtime  string   `json:"runtime"`
	Engine   string   `json:"engine"`
	Features []string `json:"features"`
}

type report struct {
	Done   int64    `json:"done"`
	Failed int64    `json:"failed"`
	Bytes  int64    `json:"bytes"`
	WallNS int64    `json:"wall_ns"`
	Error  string   `json:"error,omitempty"`
	SHA256 []string `json:"sha256,omitempty"`
	BusyNS int64    `json:"busy_ns,omitempty"`
	// Left out where nothing is parsed.
	ParseNS     int64        `json:"parse_ns,omitempty"`
	Allocations *allocations `json:"allocations,omitempty"`
}

type allocations struct {
	Calls uint64 `json:"calls"`
	Bytes uint64 `json:"bytes"`
}

// load brings into memory what is sent from there.
func (b *Body) load() (err error) {
	switch b.Kind {
	case "raw":
		b.Data, err = os.ReadFile(b.Path)
	case "json":
		err = json.Unmarshal(b.WantedValue, &b.Value)
	}
	return err
}
