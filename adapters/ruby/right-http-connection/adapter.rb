# frozen_string_literal: true

require File.expand_path("../../_kit/fetchoff", __FILE__)
require File.expand_path("../../_kit/fetchoff/net_http", __FILE__)
require "rubygems"
require "logger"
require "active_support"
require "active_support/core_ext/object/blank" # it asks for `blank?`, and requires nothing that has it
require "right_http_connection"

class Adapter
  CLIENT = "RightHttpConnection"
  VERSION = Gem.loaded_specs["right_http_connection"].version.to_s
  ENGINE = "Net::HTTP"
  # It replaces methods of Net::HTTP by ones that do not send what `set_form` made. Unless told more than its older
  # versions understand, it trusts every certificate. Timeouts it tries again until it has had four.
  FEATURES = (Fetchoff::NetHttp.features & %w[
    method.get method.head method.post method.put body.form body.json body.raw headers
  ]) + %w[http/1.1 connection.reuse concurrency sink.buffer sink.discard]

  def initialize(settings)
    @headers = Fetchoff::NetHttp.default_headers(settings)
    @connections = {}
  end

  def arguments(exchange)
    Fetchoff::NetHttp.arguments(exchange, @headers)
  end

  def fetch(exchange, &sink)
    response = connection_to(exchange.origin).request(request(exchange)) do |started|
      started.read_body(&sink) if sink
    end
    [response.code.to_i, sink ? nil : response.body]
  end

  def close
    @connections.each_value { |connection| connection.finish }
    @connections.clear
  end

  private

  def connection_to(origin)
    @connections[origin] ||= Rightscale::HttpConnection.new(:logger => Logger.new($stderr))
  end

  def request(exchange)
    { :request => Fetchoff::NetHttp.request(exchange, {}), :server => exchange.uri.host,
      :port => exchange.uri.port, :protocol => exchange.uri.scheme }
  end
end

Fetchoff.serve(Adapter)
