# frozen_string_literal: true

require_relative "../_kit/fetchoff"
require "async"
require "async/http"
require "async/http/relative_location"
require "protocol/http/accept_encoding"

class Adapter
  CLIENT = "Async::HTTP"
  VERSION = Async::HTTP::VERSION
  ENGINE = "Async #{Async::VERSION}"
  FEATURES = %w[
    http/1.1 h2 h2c tls method.get method.head method.post method.put body.form body.json body.raw headers
    connection.reuse connection.fresh concurrency sink.buffer sink.discard
    decompression redirects timeout.read timeout.total
  ].freeze
  PROTOCOLS = { "http/1.1" => Async::HTTP::Protocol::HTTP11, "h2" => Async::HTTP::Protocol::HTTP2,
                "h2c" => Async::HTTP::Protocol::HTTP2 }.freeze

  def initialize(settings)
    @settings = settings
    @protocol = PROTOCOLS.fetch(settings.protocol)
    @limit = @protocol == Async::HTTP::Protocol::HTTP2 ? 1 : nil # streams of one connection
    @trusting = trusting
    @clients = {}
  end

  def together(jobs)
    jobs.map { |job| Async { job.call } }.map(&:wait)
  end

  def fetch(exchange, &sink)
    return Async::Task.current.with_timeout(@settings.total_timeout) { send_request(exchange, sink) } if total?

    send_request(exchange, sink)
  end

  def close
    @clients.each_value(&:close)
    @clients.clear
  end

  private

  def total?
    @settings.total_timeout
  end

  def send_request(exchange, sink)
    headers, content = exchange.headers_and_content
    headers = headers.map { |name, value| [name.downcase, value] } # HTTP/2 wants them so
    client = client_for(exchange)
    response = client.public_send(exchange.verb, exchange.uri.request_uri, headers, content)
    sink ? response.each(&sink) : content = response.read
    [response.status, sink ? nil : content]
  ensure
    response&.close
    client&.close unless @settings.reuse?
  end

  def client_for(exchange)
    return client_of(exchange.origin) unless @settings.reuse?

    @clients[exchange.origin] ||= client_of(exchange.origin)
  end

  def client_of(origin)
    options = { protocol: @protocol, timeout: @settings.read_timeout, ssl_context: @trusting }.compact
    client = Async::HTTP::Client.new(Async::HTTP::Endpoint.parse(origin, **options), connection_limit: @limit)
    client = Protocol::HTTP::AcceptEncoding.new(client) if @settings.decompress?
    return client unless @settings.redirects.positive?

    Async::HTTP::RelativeLocation.new(client, @settings.redirects)
  end

  def trusting
    return unless @settings.tls_ca

    OpenSSL::SSL::SSLContext.new.tap do |context|
      context.alpn_protocols = @protocol.names
      context.set_params(ca_file: @settings.tls_ca)
    end
  end
end

Async { Fetchoff.serve(Adapter) }
