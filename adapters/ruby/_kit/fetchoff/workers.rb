# frozen_string_literal: true

module Fetchoff
  # The workers of one `prepare`: one in the main thread, several in threads that live until `close`, so that
  # no batch pays for starting them, or all in the event loop of one adapter.
  class Workers
    def self.start(adapter_class, exchanges, settings)
      return InLoop.new(adapter_class, exchanges, settings) if adapter_class.method_defined?(:together)

      workers = Array.new(settings.concurrency) do |number|
        Worker.new(adapter_class.new(settings), exchanges, settings, number)
      end
      workers.size == 1 ? Alone.new(workers.first) : new(workers)
    end

    # A single worker needs no threads.
    class Alone
      def initialize(worker)
        @worker = worker
      end

      def run(batch)
        @worker.work(batch, 1..batch.iterations)
      end

      def close
        @worker.close
      end
    end

    # Of an adapter with `together`, one object serves all workers. `together` calls each of a list of jobs in a
    # fiber or task of its own, in which `fetch` may let others have their turn, and returns their results.
    class InLoop
      def initialize(adapter_class, exchanges, settings)
        @adapter = adapter_class.new(settings)
        @workers = Array.new(settings.concurrency) { |number| Worker.new(@adapter, exchanges, settings, number) }
      end

      def run(batch)
        jobs = @workers.map { |worker| lambda { worker.work(batch, batch) } }
        @adapter.together(jobs).inject { |sum, tally| sum + tally }
      end

      def close
        @adapter.close
      end
    end

    def initialize(workers)
      @workers = workers
      @batches = workers.map { Queue.new }
      @tallies = Queue.new
      @threads = workers.zip(@batches).map { |worker, batches| Thread.new { serve(worker, batches) } }
    end

    def run(batch)
      @batches.each { |batches| batches << batch }
      @workers.map { @tallies.pop }.inject { |sum, tally| sum + tally }
    end

    def close
      @batches.each { |batches| batches << nil }
      @threads.each { |thread| thread.join }
      @workers.each { |worker| worker.close }
    end

    private

    def serve(worker, batches)
      while (batch = batches.pop)
        @tallies << worker.work(batch, batch)
      end
    end
  end
end
