# frozen_string_literal: true

# In words that Ruby 1.8 understands, for which RFuzz was written.

require File.expand_path("../../_kit/fetchoff", __FILE__)
require "rubygems"
require "stringio"
require "rfuzz/client"

class Adapter
  CLIENT = "RFuzz"
  VERSION = Gem.loaded_specs["rfuzz"].version.to_s
  # Without HEAD, after which it waits for as much content as the answer's Content-Length says. Its cookies
  # have no attributes, and its redirects no origin: neither is declared.
  FEATURES = %w[
    http/1.1 method.get method.post method.put body.form body.json body.raw headers
    connection.fresh concurrency sink.buffer
  ].freeze

  def initialize(_settings)
    @clients = {}
  end

  def fetch(exchange)
    headers, content = exchange.headers_and_content
    options = { :head => headers.dup } # it adds Host and Content-Length
    options[:body] = bytes(content) if content
    client = client_of(exchange)
    client.reset # cookies, which it always keeps
    response = client.send(exchange.verb, exchange.uri.request_uri, options)
    [response.http_status.to_i, response.http_body]
  end

  def close
    @clients.clear
  end

  private

  # Its Content-Length is `length`, which counts characters from Ruby 1.9 on.
  def bytes(content)
    content.respond_to?(:b) ? content.b : content
  end

  def client_of(exchange)
    @clients[exchange.origin] ||= RFuzz::HttpClient.new(exchange.uri.host, exchange.uri.port)
  end
end

Fetchoff.serve(Adapter)
