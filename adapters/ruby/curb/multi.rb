# frozen_string_literal: true

require_relative "adapter"
require_relative "../_kit/fetchoff/fibers"

# All that is in flight on one Curl::Multi, which has the connections; a handle for each transfer, as Curl::Multi.http
# has it. What belongs to a handle is lost with it, and a multipart form can only be sent by Curl::Easy#http_post.
class Multi < Adapter
  FEATURES = Adapter::FEATURES - %w[body.multipart cookies]

  def initialize(settings)
    super
    @settings = settings
    @multi = Curl::Multi.new
    @multi.pipeline = Curl::CURLPIPE_MULTIPLEX
    # libcurl's own rule is four for each in flight, and few are at a batch's end.
    @multi.max_connects = 4 * settings.concurrency
  end

  def together(jobs)
    tallies = nil
    Fetchoff::Fibers.start(jobs) { |results| tallies = results }
    @multi.perform until tallies
    tallies
  end

  def fetch(exchange, &sink)
    curl = transfer(exchange)
    curl.on_body { |piece| taken(piece, sink) } if sink
    Fetchoff::Fibers.wait do |done|
      curl.on_complete(&done)
      @multi.add(curl)
    end
    raise_failure_of(curl)
    [curl.response_code, sink ? nil : curl.body_str]
  end

  def close
    @multi.close
  end

  private

  def crowded?(_settings)
    false
  end

  # As Curl::Easy#perform does.
  def raise_failure_of(curl)
    return if curl.last_result.zero?

    error, text = Curl::Easy.error(curl.last_result)
    raise error, text
  end

  def transfer(exchange)
    handle(@settings).tap do |curl|
      curl.set(:pipewait, 1) # of HTTP/2, streams of one connection
      curl.url = exchange.url
      curl.headers, content = exchange.headers_and_content
      case exchange.verb
      when :head then curl.head = true
      when :put then curl.put_data = content || ""
      when :post then curl.post_body = content || ""
      end
    end
  end
end

Fetchoff.serve(Multi)
