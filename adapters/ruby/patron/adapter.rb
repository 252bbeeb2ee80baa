# frozen_string_literal: true

require_relative "../_kit/fetchoff"
require "patron"

class Adapter
  CLIENT = "Patron"
  VERSION = Patron::VERSION
  ENGINE = "libcurl #{Patron.libcurl_version[%r{libcurl/(\S+)}, 1]}"
  FEATURES = %w[
    http/1.1 tls proxy method.get method.head method.post method.put body.form body.json body.raw headers
    connection.reuse concurrency sink.buffer cookies decompression redirects
  ].freeze

  def initialize(settings)
    @session = Patron::Session.new
    @session.handle_cookies if settings.cookies?
    @session.automatic_content_encoding = settings.decompress?
    @session.max_redirects = settings.redirects
    @session.cacert = settings.tls_ca
    @session.proxy = settings.proxy&.to_s
  end

  def fetch(exchange)
    headers, content = exchange.headers_and_content
    options = content ? { data: content } : {}
    response = @session.request(exchange.verb, exchange.url, headers.dup, options)
    [response.status, response.body]
  end

  def close
    @session = nil
  end
end

Fetchoff.serve(Adapter)
