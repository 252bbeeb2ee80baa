# frozen_string_literal: true

require_relative "../_kit/fetchoff"
require "http"

class Adapter
  CLIENT = "http.rb"
  VERSION = HTTP::VERSION
  FEATURES = %w[
    http/1.1 tls proxy method.get method.head method.post method.put
    body.form body.json body.multipart body.raw headers
    connection.reuse connection.fresh concurrency sink.buffer sink.discard read-size
    decompression coding.deflate redirects timeout.connect timeout.read timeout.total option.tcp_nodelay
  ].freeze

  def initialize(settings)
    @reuse = settings.reuse?
    @piece = [settings.read_size].compact
    @tls = settings.tls_ca ? { ssl: { ca_file: settings.tls_ca } } : {}
    @configured = with_timeouts(HTTP, settings)
    @configured = @configured.use(:auto_inflate).headers("Accept-Encoding" => "gzip, deflate") if settings.decompress?
    @configured = @configured.follow(max_hops: settings.redirects) if settings.redirects.positive?
    @configured = @configured.nodelay if settings.options["tcp_nodelay"]
    @configured = @configured.via(settings.proxy.host, settings.proxy.port) if settings.proxy
    @clients = {}
  end

  def fetch(exchange, &sink)
    options = { headers: exchange.headers, **content(exchange), **@tls }
    response = client(exchange.origin).request(exchange.verb, exchange.url, options)
    return [response.code, nil] if exchange.verb == :head
    return [response.code, response.to_s] unless sink

    while (piece = response.readpartial(*@piece))
      yield piece
    end
    [response.code, nil]
  rescue HTTP::Error
    close # a persistent client that failed within a response fails its next request as well
    raise
  end

  def close
    @clients.each_value(&:close)
  end

  private

  def client(origin)
    return @configured unless @reuse

    # by default, a connection that waits 5 s for its turn is closed
    @clients[origin] ||= @configured.persistent(origin, timeout: 30)
  end

  def with_timeouts(client, settings)
    each = { connect: settings.connect_timeout, read: settings.read_timeout }.compact
    total = settings.total_timeout_ms
    raise Fetchoff::Unsupported, "timeout.total" if total && each.any? # one or the other

    return client.timeout(total / 1000.0) if total

    each.any? ? client.timeout(each) : client
  end

  def content(exchange)
    body = exchange.body
    case body&.kind
    when nil then {}
    when "form" then { form: body.fields.to_h }
    when "multipart" then { form: HTTP::FormData::Multipart.new(body.parts { |upload| part(upload) }) }
    when "json" then { json: body.value }
    else %i[headers body].zip(exchange.headers_and_content).to_h
    end
  end

  def part(upload)
    HTTP::FormData::File.new(upload.path, content_type: upload.content_type, filename: upload.filename)
  end
end

Fetchoff.serve(Adapter)
