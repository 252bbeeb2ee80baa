// fasthttp: one Client, with pooled requests and responses.
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
)

func cpuNs() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func exchange(client *fasthttp.Client, url string, fields []string) (int, int, error) {
	request, response := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(response)
	request.SetRequestURI(url)
	if len(fields) > 0 {
		request.Header.SetMethod(fasthttp.MethodPost)
		request.Header.SetContentType("application/x-www-form-urlencoded")
		form := fasthttp.AcquireArgs()
		defer fasthttp.ReleaseArgs(form)
		for i := 0; i < len(fields); i += 2 {
			form.Add(fields[i], fields[i+1])
		}
		request.SetBodyRaw(form.QueryString())
	}
	err := client.Do(request, response)
	return response.StatusCode(), len(response.Body()), err
}

func main() {
	url, fields := os.Args[1], os.Args[3:]
	size, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	client := &fasthttp.Client{MaxConnsPerHost: 1}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			log.Fatal(err)
		}
		cpu, start := cpuNs(), time.Now()
		for i := 0; i < n; i++ {
			status, length, err := exchange(client, url, fields)
			if err != nil || status != 200 || length != size {
				log.Fatalf("status %d, %d bytes, %v", status, length, err)
			}
		}
		fmt.Println(cpuNs()-cpu, time.Since(start).Nanoseconds())
	}
}
