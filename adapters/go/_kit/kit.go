// Package kit is the protocol loop of docs/protocol.md, version 1, for Go. An adapter describes its
// client and how to open it, and calls Serve.
package kit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
)

const (
	protocol        = 1
	graceAtEndInput = 5 * time.Second
)

// Client describes a library and how to open it.
type Client struct {
	Name     string
	Version  string
	Engine   string
	Features []string
	Open     func(*Settings) (Session, error)
}

// Session is a client object that was made for the settings of one prepare.
type Session interface {
	// Send does one exchange, hands its status and content to it, and returns what that returns.
	Send(*Exchange) (int64, error)
	// Close closes every connection.
	Close()
}

// Unsupported is the error of Open for a feature that the library has, but not together with the
// others.
type Unsupported string

func (feature Unsupported) Error() string { return "unsupported: " + string(feature) }

var kitFeatures = []string{"concurrency", "inject.busy"}

// Sinks that need no more of the library than the sink that they are built upon.
var sinksBuiltUpon = map[string]string{"sink.buffer": "sink.json", "sink.discard": "sink.file"}

// Standard output belongs to the protocol; a library that prints does so on standard error.
var answers = os.Stdout

func init() {
	os.Stdout = os.Stderr
	// The setting alone says whether there is a proxy, and not the environment.
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasSuffix(strings.ToLower(name), "_proxy") {
			os.Unsetenv(name)
		}
	}
}

// GoVersion is the version of the runtime, and of the standard library.
func GoVersion() string { return strings.TrimPrefix(runtime.Version(), "go") }

// ModuleVersion is the version of a module that this program was built with.
func ModuleVersion(path string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == path {
				return strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	return "unknown"
}

// Serve answers requests until the end of standard input, or `finish`.
func Serve(client Client) {
	for _, feature := range client.Features {
		if built, ok := sinksBuiltUpon[feature]; ok {
			client.Features = append(client.Features, built)
		}
	}
	client.Features = append(client.Features, kitFeatures...)
	adapter := &adapter{client: client}
	encoder := json.NewEncoder(answers)
	for line := range readLines() {
		answer, err := adapter.answer(line)
		if err != nil {
			answer = failure(err)
		}
		if err := encoder.Encode(answer); err != nil {
			fmt.Fprintln(os.Stderr, "cannot answer:", err)
			os.Exit(1)
		}
		if _, ok := answer.(finished); ok {
			return
		}
	}
}

func failure(err error) map[string]string {
	var unsupported Unsupported
	if errors.As(err, &unsupported) {
		return map[string]string{"unsupported": string(unsupported)}
	}
	return map[string]string{"error": err.Error()}
}

// readLines reads ahead, so that a batch that hangs does not keep the process alive when the harness
// is gone.
func readLines() <-chan []byte {
	lines := make(chan []byte)
	input := bufio.NewReader(pollable(os.Stdin))
	go func() {
		for {
			line, err := input.ReadBytes('\n')
			if len(line) > 0 {
				lines <- line
			}
			if err != nil {
				close(lines)
				time.Sleep(graceAtEndInput)
				os.Exit(1)
			}
		}
	}()
	return lines
}

// pollable makes a pipe one that the runtime's poller waits for. A read that blocks would hold the
// only scheduler slot (GOMAXPROCS=1) for up to 10 ms, until the monitor thread takes it back, and the
// batch would wait for it.
func pollable(file *os.File) *os.File {
	info, err := file.Stat()
	if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return file
	}
	descriptor := int(file.Fd())
	if err := syscall.SetNonblock(descriptor, true); err != nil {
		return file
	}
	return os.NewFile(uintptr(descriptor), file.Name())
}

type finished struct {
	Finished bool `json:"finished"`
}

type adapter struct {
	client   Client
	workload *workload
}

func (a *adapter) answer(line []byte) (any, error) {
	var message request
	if err := json.Unmarshal(line, &message); err != nil {
		return nil, fmt.Errorf("not a message: %w", err)
	}
	switch message.Op {
	case "hello":
		return a.hello(message.Protocol)
	case "prepare":
		return a.prepare(&message)
	case "run":
		return a.run(&message)
	case "finish":
		a.drop()
		return finished{true}, nil
	}
	return nil, fmt.Errorf("unknown op: %q", message.Op)
}

func (a *adapter) hello(version int) (any, error) {
	if version != protocol {
		return nil, fmt.Errorf("protocol %d was asked for, %d is spoken here", version, protocol)
	}
	client := a.client
	return description{
		Protocol: protocol, Client: client.Name, Version: client.Version,
		Runtime: "Go " + GoVersion(), Engine: client.Engine, Features: client.Features,
	}, nil
}

func (a *adapter) prepare(message *request) (any, error) {
	a.drop()
	for _, feature := range message.Require {
		if !contains(a.client.Features, feature) {
			return nil, Unsupported(feature)
		}
	}
	workload, err := newWorkload(a.client, message.Exchanges, &message.Settings)
	if err != nil {
		return nil, err
	}
	a.workload = workload
	return map[string]bool{"ready": true}, nil
}

func (a *adapter) run(message *request) (any, error) {
	switch {
	case a.workload == nil:
		return nil, errors.New("run before a successful prepare")
	case message.N < 1:
		return nil, fmt.Errorf("n is not a positive whole number: %d", message.N)
	case message.Digest && message.N != 1:
		return nil, errors.New("a digest is of one iteration: n must be 1")
	}
	if message.Allocations {
		return a.runAllocating(message.N), nil
	}
	return a.workload.run(message.N, message.Digest, time.Duration(message.BusyNS)), nil
}

// Reading what was allocated stops all goroutines, so it is done only where nothing is timed.
func (a *adapter) runAllocating(n int) *report {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	answer := a.workload.run(n, false, 0)
	runtime.ReadMemStats(&after)
	answer.Allocations = &allocations{
		after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc,
	}
	return answer
}

func (a *adapter) drop() {
	if a.workload != nil {
		a.workload.session.Close()
		a.workload = nil
	}
}

func contains(list []string, wanted string) bool {
	for _, item := range list {
		if item == wanted {
			return true
		}
	}
	return false
}
