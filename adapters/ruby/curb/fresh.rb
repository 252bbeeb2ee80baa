# frozen_string_literal: true

require_relative "adapter"

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
    super
  ensure
    @curl.close
  end

  def close; end
end

Fetchoff.serve(Fresh)
