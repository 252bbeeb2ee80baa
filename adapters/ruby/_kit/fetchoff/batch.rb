# frozen_string_literal: true

require "digest/sha2"

module Fetchoff
  # One timed run of n iterations, which workers share out among themselves.
  class Batch
    attr_reader :busy_ns

    def initialize(iterations, busy_ns, digest)
      @left = iterations
      @lock = Mutex.new
      @busy_ns = busy_ns
      @digest = digest
    end

    def digest?
      @digest
    end

    # Whether there is another iteration to do; the caller has it then.
    def claim?
      @lock.synchronize { (@left -= 1) >= 0 }
    end
  end

  # What was done.
  class Tally
    attr_reader :done, :failed, :bytes, :spun_ns, :parse_ns, :error, :sha256

    def initialize
      @done = @failed = @bytes = @spun_ns = @parse_ns = 0
      @sha256 = []
    end

    def count(length, fault)
      @bytes += length
      return @done += 1 unless fault

      @error ||= fault
      @failed += 1
    end

    def spin(nanoseconds)
      start = now = Fetchoff.now_ns
      now = Fetchoff.now_ns while now < start + nanoseconds
      @spun_ns += now - start
    end

    # The document in the content.
    def parse(content)
      start = Fetchoff.now_ns
      JSON.parse(content)
    ensure
      @parse_ns += Fetchoff.now_ns - start
    end

    def +(other)
      @done += other.done
      @failed += other.failed
      @bytes += other.bytes
      @spun_ns += other.spun_ns
      @parse_ns += other.parse_ns
      @error ||= other.error
      @sha256.concat(other.sha256)
      self
    end
  end

  # One client object and its part in batches: the measured loop.
  class Worker
    def initialize(adapter, exchanges, settings, number)
      @adapter = adapter
      @exchanges = exchanges
      @sink = Sinks.for(settings, number)
      @parse = settings.sink == "json"
    end

    def work(batch)
      tally = Tally.new
      sha256 = Digest::SHA256.new if batch.digest?
      busy_ns = batch.busy_ns
      while batch.claim?
        @exchanges.each do |exchange|
          perform(exchange, tally, sha256)
          tally.spin(busy_ns) if busy_ns > 0
        end
      end
      tally
    end

    def close
      @adapter.close
    end

    private

    def perform(exchange, tally, sha256)
      length = 0
      status, length, content = @sink.receive(@adapter, exchange, sha256)
      fault = exchange.fault_in(status, length)
      fault ||= exchange.json_fault_in(tally.parse(content)) if @parse
    rescue *FAILURES => e
      raised = true
      fault = e.message.empty? ? e.class.name : e.message
    ensure
      tally.count(length, fault && "#{exchange}: #{fault}")
      tally.sha256 << digest_of(sha256, raised) if sha256
    end

    # Of an exchange that raised an error there is none.
    def digest_of(sha256, raised)
      digest = sha256.hexdigest
      sha256.reset
      raised ? "" : digest
    end
  end
end
