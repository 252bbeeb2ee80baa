# frozen_string_literal: true

require_relative "adapter"
require_relative "../_kit/fetchoff/fibers"

class Hydra < Adapter
  def initialize(settings)
    super
    @options[:pipewait] = true # of HTTP/2, streams of one connection
    @hydra = Typhoeus::Hydra.new(max_concurrency: settings.concurrency)
  end

  def together(jobs)
    tallies = nil
    Fetchoff::Fibers.start(jobs) { |results| tallies = results }
    @hydra.run
    tallies
  end

  private

  def crowded?(_settings)
    false
  end

  def perform(request)
    Fetchoff::Fibers.wait do |done|
      request.on_complete(&done)
      @hydra.queue(request)
    end
  end
end

Fetchoff.serve(Hydra)
