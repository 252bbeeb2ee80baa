# frozen_string_literal: true

require_relative "../_kit/fetchoff"
require "httpclient"

class Adapter
  CLIENT = "HTTPClient"
  VERSION = HTTPClient::VERSION
  FEATURES = %w[
    http/1.1 tls proxy method.get method.head method.post method.put
    body.form body.json body.multipart body.raw headers
    connection.reuse connection.fresh concurrency sink.buffer sink.discard read-size
    cookies decompression coding.deflate redirects timeout.connect timeout.read
  ].freeze

  def initialize(settings)
    @reuse = settings.reuse?
    @follow = settings.redirects.positive?
    @client = HTTPClient.new
    @client.proxy = settings.proxy # nil: not that of the environment
    @client.cookie_manager = nil unless settings.cookies?
    @client.transparent_gzip_decompression = settings.decompress?
    @client.follow_redirect_count = settings.redirects + 1 # counts requests
    @client.read_block_size = settings.read_size if settings.read_size
    @client.connect_timeout = settings.connect_timeout if settings.connect_timeout
    @client.receive_timeout = settings.read_timeout if settings.read_timeout
    @client.ssl_config.set_trust_ca(settings.tls_ca) if settings.tls_ca
  end

  def fetch(exchange, &sink)
    exchange.with_files do |files|
      arguments = { follow_redirect: @follow, header: exchange.headers, **content(exchange, files) }
      response = @client.request(exchange.verb, exchange.url, arguments, &sink)
      @client.reset_all unless @reuse
      [response.status, sink ? nil : response.content]
    end
  end

  def close
    @client.reset_all
  end

  private

  def content(exchange, files)
    case exchange.body&.kind
    when nil then {}
    when "form" then { body: exchange.body.fields }
    when "multipart"
      { header: exchange.headers.merge("Content-Type" => "multipart/form-data"), body: parts(exchange.body, files) }
    else %i[header body].zip(exchange.headers_and_content).to_h
    end
  end

  def parts(body, files)
    fields = body.fields.map { |name, value| { "Content-Disposition" => disposition(name), content: value } }
    fields + files.map do |upload, file|
      { "Content-Disposition" => "#{disposition(upload.name)}; filename=\"#{upload.filename}\"",
        "Content-Type" => upload.content_type, content: file }
    end
  end

  def disposition(name)
    "form-data; name=\"#{name}\""
  end
end

Fetchoff.serve(Adapter)
