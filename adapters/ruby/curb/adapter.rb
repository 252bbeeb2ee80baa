# frozen_string_literal: true

require_relative "../_kit/fetchoff"
require_relative "../_kit/fetchoff/libcurl"
require "curb"

class Adapter
  CLIENT = "Curb"
  VERSION = Curl::CURB_VERSION
  LIBCURL = Fetchoff::Libcurl.new(Curl::CURL_LONG_VERSION)
  ENGINE = LIBCURL.to_s
  FEATURES = (LIBCURL.features + %w[
    http/1.1 tls proxy method.get method.head method.post method.put
    body.form body.json body.multipart body.raw headers
    connection.reuse connection.fresh concurrency sink.buffer sink.discard
    cookies decompression redirects timeout.connect timeout.total option.tcp_nodelay
  ]).freeze
  HTTP_VERSIONS = { "http/1.1" => Curl::HTTP_1_1, "h2" => Curl::HTTP_2_0 }.freeze

  def initialize(settings)
    # Handles of several threads share no connection.
    raise Fetchoff::Unsupported, "concurrency" if crowded?(settings)

    @curl = handle(settings)
    @headers = {}
  end

  # libcurl itself says of what it posts as a string that it is a form.
  def arguments(exchange)
    type = exchange.body&.content_type
    type = nil if exchange.verb == :post && exchange.body&.kind == "form"
    type ? exchange.headers.merge("Content-Type" => type) : exchange.headers
  end

  def fetch(exchange, &sink)
    tell_headers(exchange) unless exchange.equal?(@current)
    @curl.url = exchange.url
    @curl.on_body { |piece| taken(piece, sink) } if sink
    send_request(exchange)
    [@curl.response_code, sink ? nil : @curl.body_str]
  end

  def close
    @curl.close
  end

  private

  def crowded?(settings)
    settings.protocol == "h2" && settings.concurrency > 1
  end

  def handle(settings)
    Curl::Easy.new.tap do |curl|
      curl.version = HTTP_VERSIONS.fetch(settings.protocol)
      curl.set(:forbid_reuse, 1) unless settings.reuse?
      curl.enable_cookies = settings.cookies?
      curl.encoding = "" if settings.decompress? # whatever libcurl can decode
      curl.follow_location = settings.redirects.positive?
      curl.max_redirects = settings.redirects
      curl.connect_timeout_ms = settings.connect_timeout_ms if settings.connect_timeout_ms
      curl.timeout_ms = settings.total_timeout_ms if settings.total_timeout_ms
      curl.cacert = settings.tls_ca if settings.tls_ca
      curl.proxy_url = settings.proxy.to_s # empty: not that of the environment
      nodelay = settings.options["tcp_nodelay"]
      curl.set(:tcp_nodelay, nodelay ? 1 : 0) unless nodelay.nil?
    end
  end

  # libcurl wants to hear how much of a piece was taken.
  def taken(piece, sink)
    sink.call(piece)
    piece.bytesize
  end

  # They stay with the handle until they are set again. None at all cost less than an empty Hash of them.
  def tell_headers(exchange)
    @curl.headers = @headers = exchange.arguments unless exchange.arguments == @headers
    @curl.multipart_form_post = exchange.body&.kind == "multipart"
    @current = exchange
  end

  def send_request(exchange)
    case exchange.verb
    when :get then @curl.http_get
    when :head then @curl.http_head
    when :put then @curl.http_put(exchange.body&.content || "")
    when :post then @curl.http_post(*(@curl.multipart_form_post? ? parts(exchange.body) : exchange.body&.content))
    end
  end

  def parts(body)
    fields = body.fields.map { |name, value| Curl::PostField.content(name, value) }
    fields + body.files.map do |file|
      Curl::PostField.file(file.name, file.path, file.filename).tap { |part| part.content_type = file.content_type }
    end
  end
end

Fetchoff.serve(Adapter) if __FILE__ == $PROGRAM_NAME
