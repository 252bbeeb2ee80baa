# frozen_string_literal: true

require_relative "../_kit/fetchoff"
require_relative "../_kit/fetchoff/libcurl"
require "patron"

class Adapter
  CLIENT = "Patron"
  VERSION = Patron::VERSION
  LIBCURL = Fetchoff::Libcurl.new(Patron.libcurl_version)
  ENGINE = LIBCURL.to_s
  FEATURES = (LIBCURL.features + LIBCURL.prior_knowledge + %w[
    http/1.1 tls proxy method.get method.head method.post method.put body.form body.json body.raw headers
    connection.reuse connection.fresh concurrency sink.buffer cookies decompression redirects
    timeout.connect timeout.total
  ]).freeze
  # Unless it is told, libcurl takes HTTP/2 where a server offers it over TLS.
  HTTP_VERSIONS = { "http/1.1" => "HTTPv1_1", "h2" => "HTTPv2_TLS", "h2c" => "HTTPv2_PRIOR" }.freeze
  NO_TIMEOUT = 0 # in place of one second to connect, and five for a transfer

  def initialize(settings)
    # Sessions of several threads share no connection.
    raise Fetchoff::Unsupported, "concurrency" if settings.protocol != "http/1.1" && settings.concurrency > 1

    @settings = settings
    @session = session
  end

  def fetch(exchange)
    # It has no switch that forbids reuse.
    @session = session unless @settings.reuse?
    headers, content = exchange.headers_and_content
    options = content ? { data: content } : {}
    response = @session.request(exchange.verb, exchange.url, headers.dup, options)
    [response.status, response.body]
  end

  def close
    @session = nil
  end

  private

  def session
    Patron::Session.new.tap do |session|
      session.http_version = HTTP_VERSIONS.fetch(@settings.protocol)
      session.handle_cookies if @settings.cookies?
      session.automatic_content_encoding = @settings.decompress?
      session.max_redirects = @settings.redirects
      session.connect_timeout = @settings.connect_timeout || NO_TIMEOUT
      session.timeout = @settings.total_timeout || NO_TIMEOUT
      session.cacert = @settings.tls_ca
      session.proxy = @settings.proxy&.to_s
    end
  end
end

Fetchoff.serve(Adapter)
