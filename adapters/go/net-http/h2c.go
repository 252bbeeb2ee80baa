//go:build go1.24

package main

import "net/http"

var h2c = []string{"h2c"}

func speakH2C(transport *http.Transport) {
	transport.Protocols = new(http.Protocols)
	transport.Protocols.SetUnencryptedHTTP2(true)
}
