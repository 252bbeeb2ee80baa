module fetchoff/resty

go 1.23.0

require (
	fetchoff/kit v0.0.0
	github.com/go-resty/resty/v2 v2.16.5
)

require golang.org/x/net v0.33.0 // indirect

replace fetchoff/kit => ../_kit
