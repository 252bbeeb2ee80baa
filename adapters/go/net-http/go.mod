module fetchoff/net-http

go 1.19

require fetchoff/kit v0.0.0

replace fetchoff/kit => ../_kit
