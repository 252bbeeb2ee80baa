// net/http: one Client over a Transport of its own.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"syscall"
	"time"
)

func cpuNs() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func send(client *http.Client, target string, fields []string) (*http.Response, error) {
	if len(fields) == 0 {
		return client.Get(target)
	}
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	return client.PostForm(target, form)
}

func exchange(client *http.Client, target string, fields []string) (int, []byte, error) {
	response, err := send(client, target, fields)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return response.StatusCode, content, err
}

func main() {
	target, fields := os.Args[1], os.Args[3:]
	size, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.DisableCompression = true
	client := &http.Client{Transport: transport}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			log.Fatal(err)
		}
		cpu, start := cpuNs(), time.Now()
		for i := 0; i < n; i++ {
			status, content, err := exchange(client, target, fields)
			if err != nil || status != 200 || len(content) != size {
				log.Fatalf("status %d, %d bytes, %v", status, len(content), err)
			}
		}
		fmt.Println(cpuNs()-cpu, time.Since(start).Nanoseconds())
	}
}
