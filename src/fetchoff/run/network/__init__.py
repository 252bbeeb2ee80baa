"""Between client and origin: loopback, or an emulated link."""
