# frozen_string_literal: true

require_relative "../_kit/fetchoff"
require "rest-client"

class Adapter
  CLIENT = "rest-client"
  VERSION = RestClient::VERSION
  ENGINE = "Net::HTTP"
  FEATURES = %w[
    http/1.1 tls proxy method.get method.head method.post method.put
    body.form body.json body.multipart body.raw headers
    connection.fresh concurrency sink.buffer sink.discard
    cookies decompression coding.deflate redirects timeout.connect timeout.read
  ].freeze

  def initialize(settings)
    @jar = HTTP::CookieJar.new if settings.cookies?
    @follow = settings.redirects.positive?
    @headers = settings.decompress? ? {} : { "Accept-Encoding" => "identity" }
    @options = {
      max_redirects: settings.redirects,
      open_timeout: settings.connect_timeout,
      read_timeout: settings.read_timeout,
      ssl_ca_file: settings.tls_ca
    }.compact
    @options[:proxy] = settings.proxy&.to_s # nil: not that of the environment
    # A block_response gets what Net::HTTP got.
    raise Fetchoff::Unsupported, @jar ? "cookies" : "redirects" if settings.streamed? && (@jar || @follow)
  end

  def fetch(exchange, &sink)
    exchange.with_files do |files|
      headers, payload = headers_and_payload(exchange, files)
      request = { method: exchange.verb, url: exchange.url, headers: @headers.merge(headers), payload: payload }
      sink ? stream(request, sink) : buffer(request)
    end
  end

  def close; end

  private

  def buffer(request)
    response = RestClient::Request.execute(cookies: @jar, **@options, **request, &method(:judge))
    @jar &&= response.cookie_jar
    [response.code, response.body]
  end

  def stream(request, sink)
    taken = ->(response) { response.read_body(&sink) }
    [RestClient::Request.execute(block_response: taken, **@options, **request).code.to_i, nil]
  end

  # Without a block, an answer that is not a success is raised as an exception.
  def judge(response, *)
    @follow && response.code.between?(301, 308) ? response.follow_redirection(&method(:judge)) : response
  end

  def headers_and_payload(exchange, files)
    body = exchange.body
    case body&.kind
    when "form" then [exchange.headers, RestClient::ParamsArray.new(body.fields)]
    when "multipart" then [exchange.headers, { multipart: true, **body.parts { |upload| part(upload, files) } }]
    else exchange.headers_and_content
    end
  end

  def part(upload, files)
    files[upload].tap do |file|
      file.define_singleton_method(:original_filename) { upload.filename }
      file.define_singleton_method(:content_type) { upload.content_type }
    end
  end
end

Fetchoff.serve(Adapter)
