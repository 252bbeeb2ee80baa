package kit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"os"
	"time"
)

// Exchange is one request as the adapter sees it, and the sink and the checks of its response.
type Exchange struct {
	Method  string
	URL     string
	Headers [][2]string
	Body    *Body // nil if there is none

	expect    expect
	settings  *Settings
	path      string
	buffer    []byte
	digesting bool
	sha256    string
	parsing   time.Duration
}

func newExchange(wire wireExchange, settings *Settings, path string) *Exchange {
	return &Exchange{
		Method: wire.Method, URL: wire.URL, Headers: wire.Headers, Body: wire.Body,
		expect: wire.Expect, settings: settings, path: path,
	}
}

// Read reads a response's content to its end, as the sink wants it, checks it, and returns its
// length.
func (x *Exchange) Read(status int, content io.Reader) (int64, error) {
	if !x.settings.Streamed() {
		whole, err := io.ReadAll(content)
		if err != nil {
			return 0, err
		}
		return x.Content(status, whole)
	}
	length, err := x.drain(content)
	if err != nil {
		return 0, err
	}
	return length, x.check(status, length)
}

// Content checks content that is whole in memory, and returns its length.
func (x *Exchange) Content(status int, content []byte) (int64, error) {
	length := int64(len(content))
	if err := x.check(status, length); err != nil {
		return 0, err
	}
	if x.digesting {
		sum := sha256.Sum256(content)
		x.sha256 = hex.EncodeToString(sum[:])
	}
	switch x.settings.Sink {
	case "json":
		return length, x.checkDocument(content)
	case "file":
		return length, os.WriteFile(x.path, content, 0o644)
	}
	return length, nil
}

func (x *Exchange) drain(content io.Reader) (length int64, err error) {
	var hasher hash.Hash
	if x.digesting {
		hasher = sha256.New()
		content = io.TeeReader(content, hasher)
	}
	if x.settings.Sink == "file" {
		length, err = x.save(content)
	} else {
		length, err = x.copy(io.Discard, content)
	}
	if hasher != nil {
		x.sha256 = hex.EncodeToString(hasher.Sum(nil))
	}
	return length, err
}

func (x *Exchange) save(content io.Reader) (int64, error) {
	file, err := os.Create(x.path)
	if err != nil {
		return 0, err
	}
	length, err := x.copy(file, content)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return length, err
}

func (x *Exchange) copy(to io.Writer, content io.Reader) (int64, error) {
	if x.settings.ReadSize == 0 {
		return io.Copy(to, content)
	}
	if x.buffer == nil {
		x.buffer = make([]byte, x.settings.ReadSize)
	}
	// Bare interfaces: io.CopyBuffer leaves the buffer alone where a side has a way of its own.
	return io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{content}, x.buffer)
}

func (x *Exchange) check(status int, length int64) error {
	if status != x.expect.Status {
		return fmt.Errorf("status %d, expected %d", status, x.expect.Status)
	}
	if x.expect.Bytes != nil && length != *x.expect.Bytes {
		return fmt.Errorf("%d bytes of content, expected %d", length, *x.expect.Bytes)
	}
	return nil
}

func (x *Exchange) checkDocument(content []byte) error {
	var document any
	start := time.Now()
	err := json.Unmarshal(content, &document)
	x.parsing += time.Since(start)
	if err != nil {
		return err
	}
	if x.expect.JSON == nil {
		return nil
	}
	name, value := x.expect.JSON[0], x.expect.JSON[1]
	members, _ := document.(map[string]any)
	if members[name] != value {
		return fmt.Errorf("member %s is %v, expected %s", name, members[name], value)
	}
	return nil
}
