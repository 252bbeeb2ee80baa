# frozen_string_literal: true

require "uri"

module Fetchoff
  # The settings of a `prepare`. Timeouts are in seconds, as Ruby's libraries take them, or nil. `proxy` is a
  # URI or nil.
  class Settings
    attr_reader :protocol, :concurrency, :sink, :read_size, :directory, :redirects, :tls_ca, :proxy, :options

    def initialize(message)
      raise BadRequest, "prepare needs 'settings'" unless message.is_a?(Hash)

      @message = message
      @protocol, @sink, @read_size, @directory, @tls_ca =
        message.values_at("protocol", "sink", "read_size", "directory", "tls_ca")
      @concurrency = message["concurrency"] || 1
      @redirects = message["redirects"] || 0
      @proxy = message["proxy"] && URI.parse(message["proxy"])
      @options = message["options"] || {}
    end

    # Connections are kept where the library can, unless they must not be.
    def reuse?
      @message["reuse"] != false
    end

    def reuse_required?
      @message["reuse"]
    end

    def streamed?
      %w[discard file].include?(sink)
    end

    def cookies?
      @message["cookies"]
    end

    def decompress?
      @message["decompress"]
    end

    def connect_timeout
      seconds(connect_timeout_ms)
    end

    def read_timeout
      seconds((@message["timeout_ms"] || {})["read"])
    end

    def total_timeout
      seconds(total_timeout_ms)
    end

    def connect_timeout_ms
      (@message["timeout_ms"] || {})["connect"]
    end

    def total_timeout_ms
      (@message["timeout_ms"] || {})["total"]
    end

    private

    def seconds(milliseconds)
      milliseconds && (milliseconds / 1000.0)
    end
  end
end
