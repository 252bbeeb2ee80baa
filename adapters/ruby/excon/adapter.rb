# frozen_string_literal: true

require_relative "../_kit/fetchoff"
require "excon"

class Adapter
  CLIENT = "Excon"
  VERSION = Excon::VERSION
  FEATURES = %w[
    http/1.1 tls proxy method.get method.head method.post method.put body.form body.json body.raw headers
    connection.reuse connection.fresh concurrency sink.buffer sink.discard read-size
    decompression redirects timeout.connect timeout.read option.tcp_nodelay
  ].freeze

  def initialize(settings)
    @options = {
      persistent: settings.reuse?,
      middlewares: Excon.defaults[:middlewares] + middlewares(settings),
      redirect_limit: settings.redirects.positive? ? settings.redirects : nil,
      chunk_size: settings.read_size,
      connect_timeout: settings.connect_timeout,
      read_timeout: settings.read_timeout,
      tcp_nodelay: settings.options["tcp_nodelay"],
      ssl_ca_file: settings.tls_ca,
      proxy: settings.proxy&.to_s,
      disable_proxy: settings.proxy.nil? # otherwise, that of the environment
    }.compact
    @connections = {}
  end

  def fetch(exchange, &sink)
    headers, content = exchange.headers_and_content
    request = { method: exchange.verb, path: exchange.uri.path, query: exchange.uri.query, headers: headers }
    request[:body] = content if content
    request[:response_block] = ->(piece, _remaining, _total) { sink.call(piece) } if sink
    response = connection(exchange.origin).request(request)
    [response.status, response.body]
  end

  def close
    @connections.each_value(&:reset)
  end

  private

  def connection(origin)
    @connections[origin] ||= Excon.new(origin, @options)
  end

  # Excon hands a response_block the coded bytes, and the contents of redirects as well.
  def middlewares(settings)
    wanted = []
    wanted << ["decompression", Excon::Middleware::Decompress] if settings.decompress?
    wanted << ["redirects", Excon::Middleware::RedirectFollower] if settings.redirects.positive?
    raise Fetchoff::Unsupported, wanted.first.first if settings.streamed? && wanted.any?

    wanted.map(&:last)
  end
end

Fetchoff.serve(Adapter)
