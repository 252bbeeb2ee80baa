# frozen_string_literal: true

module Fetchoff
  # The workers of one `prepare`: one in the main thread, or several in threads that live until `close`, so that
  # no batch pays for starting them.
  class Workers
    def self.start(adapter_class, exchanges, settings)
      workers = Array.new(settings.concurrency) do |number|
        Worker.new(adapter_class.new(settings), exchanges, settings, number)
      end
      workers.one? ? Alone.new(workers.first) : new(workers)
    end

    # A single worker needs no threads.
    class Alone
      def initialize(worker)
        @worker = worker
      end

      def run(batch)
        @worker.work(batch)
      end

      def close
        @worker.close
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
      Array.new(@workers.size) { @tallies.pop }.inject(:+)
    end

    def close
      @batches.each(&:close)
      @threads.each(&:join)
      @workers.each(&:close)
    end

    private

    def serve(worker, batches)
      while (batch = batches.pop)
        @tallies << worker.work(batch)
      end
    end
  end
end
