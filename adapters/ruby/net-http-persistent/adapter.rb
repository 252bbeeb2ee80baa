# frozen_string_literal: true

require_relative "../_kit/fetchoff"
require_relative "../_kit/fetchoff/net_http"
require "net/http/persistent"

class Adapter
  CLIENT = "Net::HTTP::Persistent"
  VERSION = Net::HTTP::Persistent::VERSION
  ENGINE = "Net::HTTP"
  FEATURES = Fetchoff::NetHttp.features + %w[
    http/1.1 proxy connection.reuse concurrency sink.buffer sink.discard
  ]

  def initialize(settings)
    @headers = Fetchoff::NetHttp.default_headers(settings)
    @http = Net::HTTP::Persistent.new(name: "fetchoff", proxy: settings.proxy)
    @http.idle_timeout = 30 # by default, a connection that waits 5 s for its turn is closed
    @http.open_timeout = settings.connect_timeout if settings.connect_timeout
    @http.read_timeout = settings.read_timeout if settings.read_timeout
    @http.ca_file = settings.tls_ca if settings.tls_ca
  end

  def arguments(exchange)
    Fetchoff::NetHttp.arguments(exchange, @headers)
  end

  def fetch(exchange, &sink)
    exchange.with_files do |files|
      request = Fetchoff::NetHttp.request(exchange, files)
      response = @http.request(exchange.uri, request) { |started| started.read_body(&sink) if sink }
      [response.code.to_i, sink ? nil : response.body]
    end
  end

  def close
    @http.shutdown
  end
end

Fetchoff.serve(Adapter)
