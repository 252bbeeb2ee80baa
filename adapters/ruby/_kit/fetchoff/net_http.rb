# frozen_string_literal: true

require "net/http"

module Fetchoff
  # Requests for Net::HTTP and what is built upon it.
  module NetHttp
    REQUESTS = { get: Net::HTTP::Get, head: Net::HTTP::Head, post: Net::HTTP::Post, put: Net::HTTP::Put }.freeze
    IDENTITY = { "Accept-Encoding" => "identity" }.freeze

    def self.request(exchange, files, defaults)
      request = REQUESTS.fetch(exchange.verb).new(exchange.uri, defaults.merge(exchange.headers))
      body = exchange.body
      case body&.kind
      when nil then nil
      when "form" then request.set_form_data(body.fields)
      when "multipart" then request.set_form(body.fields + parts(files), "multipart/form-data")
      else
        request.body = body.content
        request.content_type = body.content_type
      end
      request
    end

    # Net::HTTP asks for gzip, and decodes it, unless it is told otherwise.
    def self.default_headers(settings)
      settings.decompress? ? {} : IDENTITY
    end

    def self.parts(files)
      files.map do |upload, file|
        [upload.name, file, { filename: upload.filename, content_type: upload.content_type }]
      end
    end
  end
end
