# frozen_string_literal: true

require_relative "../_kit/fetchoff"
require "open-uri"

class Adapter
  CLIENT = "open-uri"
  VERSION = defined?(OpenURI::VERSION) ? OpenURI::VERSION : RUBY_VERSION
  ENGINE = "Net::HTTP"
  FEATURES = %w[
    http/1.1 tls proxy method.get headers connection.fresh concurrency sink.buffer sink.discard
    decompression coding.deflate redirects timeout.connect timeout.read
  ].freeze

  def initialize(settings)
    @options = {
      redirect: settings.redirects.positive?,
      open_timeout: settings.connect_timeout,
      read_timeout: settings.read_timeout,
      ssl_ca_cert: settings.tls_ca
    }.compact
    @options[:proxy] = settings.proxy # nil: not that of the environment
    @options["Accept-Encoding"] = "identity" unless settings.decompress?
  end

  def fetch(exchange, &sink)
    exchange.uri.open(@options.merge(exchange.headers)) { |io| answer(io, sink) }
  rescue OpenURI::HTTPError => e # an answer that is not a success
    answer(e.io, sink)
  end

  def close; end

  private

  def answer(content, sink)
    status = content.status.first.to_i
    return [status, content.read] unless sink

    while (piece = content.read(16_384))
      sink.call(piece)
    end
    [status, nil]
  end
end

Fetchoff.serve(Adapter)
