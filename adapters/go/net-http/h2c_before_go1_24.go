//go:build !go1.24

package main

import "net/http"

var h2c []string

func speakH2C(*http.Transport) {}
