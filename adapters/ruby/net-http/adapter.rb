# frozen_string_literal: true

# In words that Ruby 1.8 understands, for the runtimes that adapter.toml lists.

require File.expand_path("../../_kit/fetchoff", __FILE__)
require File.expand_path("../../_kit/fetchoff/net_http", __FILE__)

class Adapter
  CLIENT = "Net::HTTP"
  VERSION = RUBY_VERSION < "3" ? RUBY_VERSION : Net::HTTP::VERSION
  FEATURES = Fetchoff::NetHttp.features + %w[
    http/1.1 proxy connection.reuse connection.fresh concurrency sink.buffer sink.discard
  ]

  def initialize(settings)
    @settings = settings
    @headers = Fetchoff::NetHttp.default_headers(settings)
    @connections = {}
  end

  def arguments(exchange)
    Fetchoff::NetHttp.arguments(exchange, @headers)
  end

  def fetch(exchange, &sink)
    exchange.with_files do |files|
      request = Fetchoff::NetHttp.request(exchange, files)
      with_connection(exchange) do |http|
        response = http.request(request) { |started| started.read_body(&sink) if sink }
        [response.code.to_i, sink ? nil : response.body]
      end
    end
  rescue Timeout::Error
    close # Ruby 1.8 would read the late answer as that of the next request
    raise
  end

  def close
    @connections.each_value { |http| http.finish }
    @connections.clear
  end

  private

  def with_connection(exchange, &block)
    return connection_to(exchange.uri).start(&block) unless @settings.reuse?

    yield @connections[exchange.origin] ||= connection_to(exchange.uri).start
  end

  def connection_to(uri)
    proxy = @settings.proxy
    http = Net::HTTP.new(uri.host, uri.port, proxy && proxy.host, proxy && proxy.port)
    secure(http) if uri.scheme == "https"
    http.open_timeout = @settings.connect_timeout if @settings.connect_timeout
    http.read_timeout = @settings.read_timeout if @settings.read_timeout
    # By default, a connection that waits 2 s for its turn is closed.
    http.keep_alive_timeout = 30 if http.respond_to?(:keep_alive_timeout=)
    http
  end

  def secure(http)
    http.use_ssl = true
    http.verify_mode = OpenSSL::SSL::VERIFY_PEER # the default from 1.9 on
    http.ca_file = @settings.tls_ca if @settings.tls_ca
  end
end

Fetchoff.serve(Adapter) if __FILE__ == $PROGRAM_NAME
