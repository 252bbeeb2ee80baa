# frozen_string_literal: true

require_relative "../_kit/fetchoff"
require_relative "../_kit/fetchoff/libcurl"
require "tempfile"
require "typhoeus"

class Adapter
  CLIENT = "Typhoeus"
  VERSION = Typhoeus::VERSION
  LIBCURL = Fetchoff::Libcurl.new(Ethon::Curl.version)
  ENGINE = LIBCURL.to_s
  FEATURES = (LIBCURL.features + LIBCURL.prior_knowledge + %w[
    http/1.1 tls proxy method.get method.head method.post method.put
    body.form body.json body.multipart body.raw headers
    connection.reuse connection.fresh concurrency sink.buffer sink.discard read-size
    cookies decompression redirects timeout.connect timeout.total option.tcp_nodelay
  ]).freeze
  HTTP_VERSIONS = { "http/1.1" => :httpv1_1, "h2" => :httpv2_tls, "h2c" => :httpv2_prior_knowledge }.freeze

  def initialize(settings)
    # Handles of several threads share no connection.
    raise Fetchoff::Unsupported, "concurrency" if settings.protocol != "http/1.1" && crowded?(settings)

    # Typhoeus empties a handle's cookies when the handle goes back to the pool: a jar is a file.
    @jar = Tempfile.new("cookies") if settings.cookies?
    @options = {
      http_version: HTTP_VERSIONS.fetch(settings.protocol),
      forbid_reuse: !settings.reuse? || nil,
      cookiefile: @jar&.path, cookiejar: @jar&.path,
      accept_encoding: settings.decompress? ? "" : nil, # whatever libcurl can decode
      followlocation: settings.redirects.positive?, maxredirs: settings.redirects,
      buffersize: settings.read_size,
      connecttimeout_ms: settings.connect_timeout_ms, timeout_ms: settings.total_timeout_ms,
      cainfo: settings.tls_ca,
      proxy: settings.proxy.to_s, # empty: not that of the environment
      tcp_nodelay: settings.options["tcp_nodelay"]
    }.compact
  end

  def fetch(exchange, &sink)
    exchange.with_files do |files|
      options = { method: exchange.verb, headers: exchange.headers, **content(exchange, files) }
      request = Typhoeus::Request.new(exchange.url, @options.merge(options))
      request.on_body { |piece| sink.call(piece) } if sink
      response = perform(request)
      raise response.return_message unless response.return_code == :ok

      [response.code, sink ? nil : response.body]
    end
  end

  def close
    @jar&.close!
    Typhoeus::Pool.clear
  end

  private

  def crowded?(settings)
    settings.concurrency > 1
  end

  def perform(request)
    request.run
  end

  def content(exchange, files)
    body = exchange.body
    case body&.kind
    when nil then {}
    when "form" then { body: body.fields.to_h }
    when "multipart" then { body: body.parts { |upload| files[upload] }, multipart: files.empty? || nil }.compact
    else %i[headers body].zip(exchange.headers_and_content).to_h
    end
  end
end

Fetchoff.serve(Adapter) if __FILE__ == $PROGRAM_NAME
