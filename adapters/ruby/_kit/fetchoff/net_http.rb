# frozen_string_literal: true

module Fetchoff
  # Requests for Net::HTTP and what is built upon it.
  module NetHttp
    begin
      require "net/https"
      # Servers of today refuse what the OpenSSL of JRuby 1.7 offers ("handshake_failure").
      TLS = !(defined?(JRUBY_VERSION) && JRUBY_VERSION < "9")
    rescue LoadError, RuntimeError # JRuby 1.1 has OpenSSL in a gem of its own; TruffleRuby 23.1 wants libssl.so.10
      require "net/http"
      TLS = false
    end

    REQUESTS = { :get => Net::HTTP::Get, :head => Net::HTTP::Head, :post => Net::HTTP::Post,
                 :put => Net::HTTP::Put }.freeze
    # They do not interrupt what blocks in JRuby 1.1.
    TIMEOUTS_IN_VAIN = defined?(JRUBY_VERSION) && JRUBY_VERSION < "1.2"
    IDENTITY = { "Accept-Encoding" => "identity" }.freeze

    # What its request objects have learnt over the years: multipart in Ruby 1.9.2, decoding in 2.0.
    def self.features
      features = %w[method.get method.head method.post method.put body.form body.raw headers]
      features << "tls" if TLS
      features << "body.json" unless defined?(PlainJson)
      features << "body.multipart" if Net::HTTPHeader.method_defined?(:set_form)
      features.push("timeout.connect", "timeout.read") unless TIMEOUTS_IN_VAIN
      features.push("decompression", "coding.deflate") if Net::HTTPResponse.method_defined?(:decode_content)
      features
    end

    # What `request` finds in exchange.arguments.
    def self.arguments(exchange, defaults)
      target = RUBY_VERSION < "2" ? exchange.uri.request_uri : exchange.uri
      [REQUESTS.fetch(exchange.verb), target, defaults.merge(exchange.headers)]
    end

    def self.request(exchange, files)
      kind, target, headers = exchange.arguments
      request = kind.new(target, headers)
      write_body(request, exchange.body, files) if exchange.body
      request
    end

    def self.write_body(request, body, files)
      case body.kind
      when "form" then request.set_form_data(body.fields)
      when "multipart" then request.set_form(body.fields + parts(files), "multipart/form-data")
      else
        request.body = body.content
        request.content_type = body.content_type
      end
    end

    # Net::HTTP asks for gzip, and decodes it, unless it is told otherwise.
    def self.default_headers(settings)
      settings.decompress? ? {} : IDENTITY
    end

    def self.parts(files)
      files.map do |upload, file|
        [upload.name, file, { :filename => upload.filename, :content_type => upload.content_type }]
      end
    end
  end
end
