"""CurlMulti on asyncio by its socket interface, for versions of pycurl without AsyncCurlMulti."""

import asyncio

import pycurl


class AsyncCurlMulti:
    def __init__(self):
        self.loop = asyncio.get_running_loop()
        self.futures = {}
        self.timer = None
        self.multi = pycurl.CurlMulti()
        # the default since libcurl 7.62
        self.multi.setopt(pycurl.M_PIPELINING, pycurl.PIPE_MULTIPLEX)
        self.multi.setopt(pycurl.M_SOCKETFUNCTION, self.watch)
        self.multi.setopt(pycurl.M_TIMERFUNCTION, self.set_timer)

    async def perform(self, curl):
        self.futures[curl] = future = self.loop.create_future()
        self.multi.add_handle(curl)
        try:
            await future
        finally:
            del self.futures[curl]
            self.multi.remove_handle(curl)

    async def aclose(self):
        self.set_timer(-1)
        self.multi.close()

    def watch(self, event, socket, multi, data):
        if event & pycurl.POLL_IN:
            self.loop.add_reader(socket, self.act, socket, pycurl.CSELECT_IN)
        else:
            self.loop.remove_reader(socket)
        if event & pycurl.POLL_OUT:
            self.loop.add_writer(socket, self.act, socket, pycurl.CSELECT_OUT)
        else:
            self.loop.remove_writer(socket)

    def set_timer(self, timeout_ms):
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        if timeout_ms >= 0:
            self.timer = self.loop.call_later(timeout_ms / 1000, self.act, pycurl.SOCKET_TIMEOUT, 0)

    def act(self, socket, events):
        self.multi.socket_action(socket, events)
        _, done, failed = self.multi.info_read()
        for curl in done:
            self.futures[curl].set_result(None)
        for curl, code, message in failed:
            self.futures[curl].set_exception(pycurl.error(code, message))
