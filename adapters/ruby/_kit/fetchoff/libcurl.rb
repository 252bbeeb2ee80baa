# frozen_string_literal: true

module Fetchoff
  # What a libcurl was built with, by its own account: "libcurl/7.88.1 OpenSSL/3.0.17 zlib/1.2.13 brotli/1.0.9 …".
  class Libcurl
    CODINGS = { "zlib" => "coding.deflate", "brotli" => "coding.br", "zstd" => "coding.zstd" }.freeze

    def initialize(text)
      @parts = text.split.to_h { |part| part.split("/", 2) }
    end

    def to_s
      "libcurl #{@parts['libcurl']}"
    end

    def features
      features = CODINGS.select { |library, _| @parts.key?(library) }.values
      features << "h2" if @parts.key?("nghttp2")
      features
    end

    # 7.88.1 breaks off the second exchange of a connection ("Error in the HTTP2 framing layer").
    def prior_knowledge
      @parts.key?("nghttp2") && @parts["libcurl"].to_i >= 8 ? ["h2c"] : []
    end
  end
end
