# frozen_string_literal: true

require "fiber"

module Fetchoff
  # Callbacks as the kit's loop wants them: one after the other, and others meanwhile.
  module Fibers
    # Gives the block something to call back with a result, and returns that; until then other fibers have their turn.
    def self.wait
      fiber = Fiber.current
      outcome = nil
      asleep = false
      yield lambda { |result|
        outcome ||= [result]
        fiber.resume if asleep
      }
      asleep = true
      Fiber.yield until outcome
      asleep = false
      outcome.first
    end

    # Calls every job in a fiber of its own. `all_done` is called with their results when the last one has ended.
    def self.start(jobs, &all_done)
      results = []
      jobs.each do |job|
        Fiber.new do
          results << job.call
          all_done.call(results) if results.size == jobs.size
        end.resume
      end
    end
  end
end
