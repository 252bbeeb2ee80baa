package kit

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// workload is what one prepare built: a session, and for each worker exchanges of its own, so that
// no two of them write to the same file.
type workload struct {
	session Session
	workers [][]*Exchange
}

func newWorkload(client Client, exchanges []wireExchange, settings *Settings) (*workload, error) {
	if len(exchanges) == 0 || settings.Concurrency < 1 {
		return nil, errors.New("prepare needs an exchange and a concurrency of at least 1")
	}
	for _, exchange := range exchanges {
		if exchange.Body != nil {
			if err := exchange.Body.load(); err != nil {
				return nil, err
			}
		}
	}
	workers := make([][]*Exchange, settings.Concurrency)
	for worker := range workers {
		for index, exchange := range exchanges {
			path := filepath.Join(settings.Directory, fmt.Sprintf("content-%d-%d", worker, index))
			workers[worker] = append(workers[worker], newExchange(exchange, settings, path))
		}
	}
	// null leaves it to the client, and every client here can keep connections.
	settings.Reuse = settings.WantedReuse == nil || *settings.WantedReuse
	session, err := client.Open(settings)
	return &workload{session, workers}, err
}

// tally is what one worker did.
type tally struct {
	done, failed, bytes int64
	spun                time.Duration
	err                 error
}

func (w *workload) run(n int, digest bool, busy time.Duration) *report {
	for _, exchange := range w.workers[0] {
		exchange.digesting, exchange.sha256 = digest, ""
	}
	start := time.Now()
	tallies := w.work(int64(n), busy)
	answer := &report{WallNS: time.Since(start).Nanoseconds()}
	for _, tally := range tallies {
		answer.Done += tally.done
		answer.Failed += tally.failed
		answer.Bytes += tally.bytes
		answer.BusyNS += tally.spun.Nanoseconds()
		if tally.err != nil && answer.Error == "" {
			answer.Error = tally.err.Error()
		}
	}
	for _, exchanges := range w.workers {
		for _, exchange := range exchanges {
			answer.ParseNS += exchange.parsing.Nanoseconds()
			exchange.parsing = 0
		}
	}
	if digest {
		for _, exchange := range w.workers[0] {
			answer.SHA256 = append(answer.SHA256, exchange.sha256)
		}
	}
	return answer
}

func (w *workload) work(n int64, busy time.Duration) []tally {
	workers := w.workers
	if int64(len(workers)) > n {
		workers = workers[:n]
	}
	tallies := make([]tally, len(workers))
	left := n
	var others sync.WaitGroup
	for index := 1; index < len(workers); index++ {
		others.Add(1)
		go func(index int) {
			defer others.Done()
			iterate(w.session, workers[index], &left, busy, &tallies[index])
		}(index)
	}
	iterate(w.session, workers[0], &left, busy, &tallies[0])
	others.Wait()
	return tallies
}

func iterate(
	session Session, exchanges []*Exchange, left *int64, busy time.Duration, tally *tally,
) {
	for atomic.AddInt64(left, -1) >= 0 {
		for _, exchange := range exchanges {
			bytes, err := session.Send(exchange)
			if err == nil {
				tally.done++
				tally.bytes += bytes
			} else {
				tally.failed++
				if tally.err == nil {
					tally.err = err
				}
			}
			if busy > 0 {
				tally.spun += spin(busy)
			}
		}
	}
}

func spin(busy time.Duration) time.Duration {
	start := time.Now()
	for {
		if spun := time.Since(start); spun >= busy {
			return spun
		}
	}
}
