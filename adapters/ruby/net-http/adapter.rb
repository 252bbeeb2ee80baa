# frozen_string_literal: true

require_relative "../_kit/fetchoff"
require_relative "../_kit/fetchoff/net_http"

class Adapter
  CLIENT = "Net::HTTP"
  VERSION = defined?(Net::HTTP::VERSION) ? Net::HTTP::VERSION : RUBY_VERSION
  FEATURES = %w[
    http/1.1 tls method.get method.head method.post method.put
    body.form body.json body.multipart body.raw headers
    connection.reuse connection.fresh concurrency sink.buffer sink.discard decompression
    timeout.connect timeout.read
  ].freeze

  def initialize(settings)
    @reuse = settings.reuse?
    @headers = Fetchoff::NetHttp.default_headers(settings)
    @options = {
      open_timeout: settings.connect_timeout,
      read_timeout: settings.read_timeout,
      ca_file: settings.tls_ca,
      keep_alive_timeout: 30 # by default, a connection that waits 2 s for its turn is closed
    }.compact
    @connections = {}
  end

  def fetch(exchange, &sink)
    exchange.with_files do |files|
      request = Fetchoff::NetHttp.request(exchange, files, @headers)
      with_connection(exchange) do |http|
        response = http.request(request) { |started| started.read_body(&sink) if sink }
        [response.code.to_i, sink ? nil : response.body]
      end
    end
  end

  def close
    @connections.each_value(&:finish)
  end

  private

  def with_connection(exchange, &block)
    return start(exchange.uri, &block) unless @reuse

    yield @connections[exchange.origin] ||= start(exchange.uri)
  end

  def start(uri, &block)
    Net::HTTP.start(uri.hostname, uri.port, use_ssl: uri.scheme == "https", **@options, &block)
  end
end

Fetchoff.serve(Adapter)
