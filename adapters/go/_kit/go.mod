module fetchoff/kit

go 1.19
