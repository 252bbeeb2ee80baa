# frozen_string_literal: true

# A bare client whose faults its tests make: how it connects and sends, and in which pieces.

require "openssl"
require "socket"

require File.expand_path("../../../../adapters/ruby/_kit/fetchoff", __dir__)

# HTTP/1.1 over a blocking socket. A subclass overrides the step that is to go wrong.
class Raw
  CLIENT = "raw"
  VERSION = RUBY_VERSION
  FEATURES = %w[
    http/1.1 tls method.get method.head method.post method.put body.form body.json body.raw headers
    connection.reuse connection.fresh concurrency sink.buffer
  ].freeze
  END_OF_HEAD = "\r\n\r\n"
  READ_BYTES = LARGE_BYTES = 65_536

  def initialize(settings)
    @settings = settings
    @connections = {}
  end

  def fetch(exchange)
    connection = @connections.delete(exchange.origin) || connect(exchange.uri)
    headers, content = exchange.headers_and_content
    send_request(connection, head(exchange, headers, content), content || "".b)
    status, answer, keep = receive(connection, exchange.verb)
    keep && @settings.reuse? ? release(exchange.origin, connection) : connection.close
    [status, answer]
  end

  def close
    @connections.each_value(&:close)
    @connections.clear
  end

  private

  def nodelay
    1
  end

  def connect(uri)
    connection = TCPSocket.new(uri.host, uri.port)
    connection.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, nodelay)
    uri.scheme == "https" ? secured(connection) : connection
  end

  def secured(connection)
    secure = OpenSSL::SSL::SSLSocket.new(connection, context)
    secure.sync_close = true
    secure.session = @session if @session
    secure.connect
  end

  # Sessions are resumed.
  def context
    @context ||= OpenSSL::SSL::SSLContext.new.tap do |made|
      made.set_params(:ca_file => @settings.tls_ca, :verify_hostname => false)
      made.session_cache_mode = OpenSSL::SSL::SSLContext::SESSION_CACHE_CLIENT
      made.session_new_cb = lambda { |(_, session)| @session = session }
    end
  end

  def head(exchange, headers, content)
    fields = { "Host" => "#{exchange.uri.host}:#{exchange.uri.port}" }.merge(headers)
    fields["Connection"] = "close" unless @settings.reuse?
    fields["Content-Length"] = content.bytesize if content
    lines = fields.map { |name, value| "#{name}: #{value}\r\n" }
    "#{exchange.verb.to_s.upcase} #{exchange.uri.request_uri} HTTP/1.1\r\n#{lines.join}\r\n"
  end

  def send_request(connection, head, content)
    if content.bytesize < LARGE_BYTES
      connection.write(head.b + content)
    else # joined, it would be copied
      connection.write(head)
      connection.write(content)
    end
  end

  # One read of what has arrived.
  def piece(connection)
    connection.readpartial(READ_BYTES)
  end

  # What is done with a connection that could carry another request.
  def release(origin, connection)
    @connections[origin] = connection
  end

  # The status, the content, and whether the connection may be kept.
  def receive(connection, verb)
    data = "".b
    data << piece(connection) until data.include?(END_OF_HEAD)
    head, content = data.split(END_OF_HEAD, 2)
    head.downcase!
    length = verb == :head ? 0 : head[/^content-length: (\d+)/, 1].to_i
    content << piece(connection) while content.bytesize < length
    [head[9, 3].to_i, content, head !~ /^connection: close/]
  end
end
