# frozen_string_literal: true

require "uri"

module Fetchoff
  # One request and what its response must be. `verb` is :get, :head, :post or :put; `headers` is a Hash; `arguments`
  # are what the adapter made of it in `prepare`. `status` and `length` are those that the response must have, nil if
  # any will do.
  class Exchange
    attr_reader :verb, :url, :uri, :headers, :body, :arguments, :status, :length

    NO_FILES = {}.freeze

    def initialize(message)
      raise BadRequest, "an exchange needs 'method' and 'url'" unless whole?(message)

      @verb = message["method"].downcase.to_sym
      @url = message["url"]
      @uri = URI.parse(@url)
      @headers = (message["headers"] || []).inject({}) { |all, (name, value)| all.merge(name => value) }
      @body = message["body"] && Body.new(message["body"])
      expect = message["expect"] || {}
      @status, @length, @member = expect.values_at("status", "bytes", "json")
    end

    # The headers with the Content-Type, and the content, of a body that is sent as one string; a multipart body is
    # the library's business.
    def headers_and_content
      return [headers, nil] if body.nil? || body.kind == "multipart"

      [headers.merge("Content-Type" => body.content_type), body.content]
    end

    # "http://127.0.0.1:8080"
    def origin
      @origin ||= "#{uri.scheme}://#{uri.host}:#{uri.port}"
    end

    # Yields the opened File of each Upload, for as long as the request lasts.
    def with_files
      return yield(NO_FILES) if body.nil? || body.files.empty?

      files = {}
      begin
        body.files.each { |upload| files[upload] = File.open(upload.path, "rb") }
        yield files
      ensure
        files.each_value { |file| file.close }
      end
    end

    # A copy for the one adapter object that will do it.
    def prepared_by(adapter)
      copy = dup
      copy.arguments = adapter.arguments(copy) if adapter.respond_to?(:arguments)
      copy
    end

    # The length of the content, if the answer is the expected one.
    def check(status, length)
      return length if status == @status && length == @length

      raise Unexpected, "status #{status} instead of #{@status}" if @status && status != @status
      raise Unexpected, "#{length} bytes instead of #{@length}" if @length && length != @length

      length
    end

    def json_fault_in(document)
      return unless @member

      name, value = @member
      "the JSON member '#{name}' is not '#{value}'" unless document.is_a?(Hash) && document[name] == value
    end

    def to_s
      "#{verb.to_s.upcase} #{url}"
    end

    protected

    attr_writer :arguments

    private

    def whole?(message)
      message.is_a?(Hash) && message["method"].is_a?(String) && message["url"].is_a?(String)
    end
  end

  # What a request carries.
  class Body
    Upload = Struct.new(:name, :filename, :content_type, :path)

    TYPES = { "form" => "application/x-www-form-urlencoded", "json" => "application/json" }.freeze

    # fields: pairs of name and value. value: of a JSON body. files: Uploads. content_type: nil of a multipart body.
    attr_reader :kind, :fields, :value, :files, :content_type

    def initialize(message)
      @kind = message["kind"]
      @fields = message["fields"]
      @value = message["value"]
      @files = (message["files"] || []).map do |file|
        Upload.new(*file.values_at("name", "filename", "content_type", "path"))
      end
      @content_type = TYPES.fetch(kind, message["content_type"])
      @raw = File.open(message["path"], "rb") { |file| file.read } if kind == "raw"
    end

    # Fields and files as the one Hash that most libraries take; the block makes a value of an Upload.
    def parts
      fields.to_h.merge(files.to_h { |upload| [upload.name, yield(upload)] })
    end

    # Serialised anew at each call.
    def content
      case kind
      when "form" then URI.encode_www_form(fields)
      when "json" then JSON.generate(value)
      else @raw
      end
    end
  end
end
