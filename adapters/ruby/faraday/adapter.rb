# frozen_string_literal: true

require_relative "../_kit/fetchoff"
require "faraday"

# One source for every adapter of Faraday's that FARADAY_ADAPTER can name.
class Adapter
  UNDERNEATH = ENV.fetch("FARADAY_ADAPTER", "net_http").to_sym
  CLIENT = "Faraday"
  VERSION = Faraday::VERSION
  ENGINE = { net_http: "Net::HTTP", net_http_persistent: "Net::HTTP::Persistent", excon: "Excon",
             httpclient: "HTTPClient", typhoeus: "Typhoeus" }.fetch(UNDERNEATH)
  FEATURES_OF = {
    net_http: %w[connection.fresh sink.discard decompression coding.deflate timeout.read],
    net_http_persistent: %w[connection.reuse decompression coding.deflate timeout.read],
    excon: %w[connection.fresh sink.discard timeout.read],
    httpclient: %w[connection.reuse decompression coding.deflate timeout.read],
    typhoeus: %w[connection.reuse decompression timeout.total]
  }.freeze
  FEATURES = %w[
    http/1.1 tls proxy method.get method.head method.post method.put
    body.form body.json body.multipart body.raw headers concurrency sink.buffer timeout.connect
  ].concat(FEATURES_OF.fetch(UNDERNEATH)).freeze

  Faraday.ignore_env_proxy = true

  def initialize(settings)
    # Faraday sets HTTPClient's certificates anew for every request, which drops the connections.
    raise Fetchoff::Unsupported, "connection.reuse" if lost_with_tls? && settings.tls_ca && settings.reuse_required?

    options = {
      request: { open_timeout: settings.connect_timeout,
                 timeout: settings.read_timeout || settings.total_timeout }.compact,
      ssl: { ca_file: settings.tls_ca }.compact, proxy: settings.proxy&.to_s
    }.compact
    @connection = Faraday.new(options) do |builder|
      builder.headers["Accept-Encoding"] = "identity" unless settings.decompress?
      builder.request(:multipart)
      builder.request(:url_encoded)
      builder.adapter(UNDERNEATH, options_underneath(settings)) { |http| configure_underneath(http, settings) }
    end
  end

  def fetch(exchange, &sink)
    headers, body = headers_and_body(exchange)
    response = @connection.run_request(exchange.verb, exchange.url, body, headers) do |request|
      request.options.on_data = ->(piece, _total) { sink.call(piece) } if sink
    end
    [response.status, sink ? nil : response.body]
  end

  def close
    @connection.close
  end

  private

  def lost_with_tls?
    UNDERNEATH == :httpclient
  end

  def options_underneath(settings)
    case UNDERNEATH
    when :excon then { disable_proxy: settings.proxy.nil? }
    when :typhoeus
      { http_version: :httpv1_1, proxy: settings.proxy.to_s, accept_encoding: settings.decompress? ? "" : nil }.compact
    else {}
    end
  end

  # Called before every request.
  def configure_underneath(http, settings)
    case UNDERNEATH
    when :net_http then http.proxy_from_env = false
    when :httpclient
      http.proxy = nil if http.proxy && !settings.proxy # drops the connections
      http.cookie_manager = nil
      http.transparent_gzip_decompression = settings.decompress?
    end
  end

  def headers_and_body(exchange)
    body = exchange.body
    case body&.kind
    when "form" then [exchange.headers, body.fields.to_h]
    when "multipart"
      [exchange.headers.merge("Content-Type" => "multipart/form-data"), body.parts { |upload| part(upload) }]
    else exchange.headers_and_content
    end
  end

  def part(upload)
    Faraday::FilePart.new(upload.path, upload.content_type, upload.filename)
  end
end

Fetchoff.serve(Adapter)
