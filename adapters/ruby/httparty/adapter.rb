# frozen_string_literal: true

require_relative "../_kit/fetchoff"
require "httparty"

class Adapter
  CLIENT = "HTTParty"
  VERSION = HTTParty::VERSION
  ENGINE = "Net::HTTP"
  FEATURES = %w[
    http/1.1 tls proxy method.get method.head method.post method.put
    body.form body.json body.multipart body.raw headers
    connection.fresh concurrency sink.buffer sink.discard decompression coding.deflate redirects
    timeout.connect timeout.read
  ].freeze

  # HTTParty asks an upload for its name and type as Rails' uploads have them.
  UploadedFile = Struct.new(:original_filename, :content_type, :path) do
    def read
      File.read(path)
    end
  end

  def initialize(settings)
    @headers = settings.decompress? ? {} : { "Accept-Encoding" => "identity" }
    @options = {
      follow_redirects: settings.redirects.positive?,
      limit: settings.redirects + 1, # counts requests
      open_timeout: settings.connect_timeout,
      read_timeout: settings.read_timeout,
      cert_store: settings.tls_ca && trusting(settings.tls_ca),
      stream_body: settings.streamed?
    }.compact
    # nil: not that of the environment
    @options.update(http_proxyaddr: settings.proxy&.host, http_proxyport: settings.proxy&.port)
  end

  def fetch(exchange, &sink)
    options = @options.merge(headers: exchange.headers, **content(exchange))
    options[:headers] = @headers.merge(options[:headers])
    response = HTTParty.public_send(exchange.verb, exchange.url, options, &(sink && final(sink)))
    [response.code, sink ? nil : response.body]
  end

  def close; end

  private

  # An ssl_ca_file would be trusted from then on, by every request of the process.
  def trusting(file)
    OpenSSL::X509::Store.new.tap { |store| store.add_file(file) }
  end

  def content(exchange)
    body = exchange.body
    case body&.kind
    when nil then {}
    when "form" then { body: body.fields.to_h }
    when "multipart" then { multipart: true, body: body.parts { |upload| uploaded_file(upload) } }
    else %i[headers body].zip(exchange.headers_and_content).to_h
    end
  end

  def uploaded_file(upload)
    UploadedFile.new(upload.filename, upload.content_type, upload.path)
  end

  # The block is given the contents of redirects, too.
  def final(sink)
    ->(fragment) { sink.call(fragment) unless @options[:follow_redirects] && fragment.code.between?(300, 399) }
  end
end

Fetchoff.serve(Adapter)
