# frozen_string_literal: true

require_relative "../_kit/fetchoff"
require "mechanize"

class Adapter
  CLIENT = "Mechanize"
  VERSION = Mechanize::VERSION
  ENGINE = "Net::HTTP::Persistent #{Net::HTTP::Persistent::VERSION}"
  FEATURES = %w[
    http/1.1 tls proxy method.get method.head method.post method.put
    body.form body.json body.multipart body.raw headers
    connection.reuse connection.fresh concurrency sink.buffer sink.discard
    cookies decompression coding.deflate redirects timeout.connect timeout.read
  ].freeze
  FORM = '<form method="post" enctype="multipart/form-data"></form>'

  def initialize(settings)
    @cookies = settings.cookies?
    @agent = Mechanize.new
    @agent.max_history = 1 # by default, 50 pages are remembered
    @agent.conditional_requests = false # by default, a page that has not changed comes out of its memory
    @agent.idle_timeout = 30 # by default, a connection that waits 5 s for its turn is closed
    @agent.keep_alive = settings.reuse?
    @agent.gzip_enabled = settings.decompress?
    @agent.redirect_ok = settings.redirects.positive?
    @agent.redirection_limit = settings.redirects
    @agent.open_timeout = settings.connect_timeout if settings.connect_timeout
    @agent.read_timeout = settings.read_timeout if settings.read_timeout
    @agent.ca_file = settings.tls_ca if settings.tls_ca
    @agent.set_proxy(settings.proxy.host, settings.proxy.port) if settings.proxy
    @agent.pluggable_parser.default = Mechanize::Download if settings.streamed?
  end

  def fetch(exchange, &sink)
    page = page_of(exchange)
    @agent.cookie_jar.clear unless @cookies
    return [page.code.to_i, page.body] unless sink

    while (piece = page.body_io.read(16_384))
      yield piece
    end
    [page.code.to_i, nil]
  end

  def close
    @agent.shutdown
  end

  private

  # An answer that is not a success is raised as an exception.
  def page_of(exchange)
    send_request(exchange)
  rescue Mechanize::ResponseCodeError => e
    e.page
  end

  def send_request(exchange)
    headers, content = exchange.headers_and_content
    case exchange.verb
    when :get then @agent.get(exchange.url, [], nil, headers)
    when :head then @agent.head(exchange.url, {}, headers)
    when :put then @agent.put(exchange.url, content, headers)
    else post(exchange, content, headers)
    end
  end

  def post(exchange, content, headers)
    case exchange.body.kind
    when "form" then @agent.post(exchange.url, exchange.body.fields, exchange.headers)
    when "multipart" then @agent.submit(form(exchange), nil, exchange.headers)
    else @agent.post(exchange.url, content, headers)
    end
  end

  # As it would stand in a page.
  def form(exchange)
    form = Mechanize::Form.new(Nokogiri::HTML.fragment(FORM).at("form"), @agent)
    form.action = exchange.url
    exchange.body.fields.each { |name, value| form.add_field!(name, value) }
    exchange.body.files.each { |file| form.file_uploads << upload(file) }
    form
  end

  def upload(file)
    Mechanize::Form::FileUpload.new({ "name" => file.name }, file.filename).tap do |upload|
      upload.file_data = File.binread(file.path)
      upload.mime_type = file.content_type
    end
  end
end

Fetchoff.serve(Adapter)
