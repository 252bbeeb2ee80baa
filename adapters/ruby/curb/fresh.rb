# frozen_string_literal: true

require_relative "adapter"

# Each handle has a Curl::Multi of its own, which would keep its connection until it is collected.
Curl::Multi.autoclose = true if Curl::Multi.respond_to?(:autoclose=)

# As Curl::Easy.perform and Curl::Easy.http_post have it: a handle of libcurl's for each request.
class Fresh < Adapter
  FEATURES = Adapter::FEATURES - %w[connection.reuse cookies]

  def initialize(settings)
    super
    @settings = settings
  end

  def fetch(exchange, &sink)
    @curl = handle(@settings)
    @current = nil
    @headers = {}
    super
  ensure
    @curl.close
  end

  def close; end
end

Fetchoff.serve(Fresh)
