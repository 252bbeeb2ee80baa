# frozen_string_literal: true

require_relative "../_kit/fetchoff"
require_relative "../_kit/fetchoff/fibers"
require "em-http-request"
require "em-http/version"

# It would use them, and has no option against that.
%w[HTTP_PROXY http_proxy HTTPS_PROXY https_proxy ALL_PROXY].each { |name| ENV.delete(name) }

class Adapter
  CLIENT = "em-http-request"
  VERSION = EventMachine::HttpRequest::VERSION
  ENGINE = "EventMachine #{EventMachine::VERSION}"
  FEATURES = %w[
    http/1.1 tls proxy method.get method.head method.post method.put body.form body.json body.raw headers
    connection.reuse connection.fresh concurrency sink.buffer sink.discard
    decompression redirects timeout.connect timeout.read
  ].freeze

  def initialize(settings)
    @reuse = settings.reuse?
    proxy = settings.proxy
    @connecting = {
      connect_timeout: settings.connect_timeout,
      inactivity_timeout: settings.read_timeout,
      tls: { verify_peer: true, cert_chain_file: settings.tls_ca }.compact,
      proxy: proxy && { host: proxy.host, port: proxy.port }
    }.compact
    @asking = { keepalive: @reuse, redirects: settings.redirects, compressed: settings.decompress? }
    @idle = Hash.new { |connections, origin| connections[origin] = [] }
  end

  def together(jobs)
    Fetchoff::Fibers.wait { |done| Fetchoff::Fibers.start(jobs, &done) }
  end

  def fetch(exchange, &sink)
    connection = @idle[exchange.origin].pop || EventMachine::HttpRequest.new(exchange.origin, @connecting.dup)
    client = connection.public_send(exchange.verb, @asking.merge(request(exchange)))
    client.stream(&sink) if sink
    Fetchoff::Fibers.wait do |done|
      client.callback(&done)
      client.errback(&done)
    end
    raise client.error.to_s if client.error

    @idle[exchange.origin] << connection if @reuse && !last_answer?(client)
    [client.response_header.status, sink ? nil : client.response]
  end

  def close
    @idle.each_value { |connections| connections.each(&:close) }
    @idle.clear
  end

  private

  def last_answer?(client)
    client.response_header["CONNECTION"].to_s.casecmp?("close")
  end

  def request(exchange)
    headers, content = exchange.headers_and_content
    content = exchange.body.fields.to_h if exchange.body&.kind == "form"
    { path: exchange.uri.path, query: exchange.uri.query, head: headers, body: content }.compact
  end
end

# A certificate that is not trusted is an exception in the loop; the connection is closed as well.
EventMachine.error_handler { |error| warn error.message }

EventMachine.run do
  Fiber.new do
    Fetchoff.serve(Adapter)
    EventMachine.stop
  end.resume
end
