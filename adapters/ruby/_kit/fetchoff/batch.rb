# frozen_string_literal: true

require "digest/sha2"

module Fetchoff
  # One timed run of n iterations.
  class Batch
    attr_reader :iterations, :busy_ns

    def initialize(iterations, busy_ns, digest)
      @iterations = @left = iterations
      @lock = Mutex.new
      @busy_ns = busy_ns
      @digest = digest
    end

    def digest?
      @digest
    end

    # Yields for each iteration that this worker gets, where several share them out among themselves.
    def each
      yield while claim?
    end

    private

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

    def succeed(exchanges, bytes)
      @done += exchanges
      @bytes += bytes
    end

    def fail(exchange, error)
      @error ||= "#{exchange}: #{error.message.empty? ? error.class.name : error.message}"
      @failed += 1
    end

    def spin(nanoseconds)
      start = now = Fetchoff.now_ns
      now = Fetchoff.now_ns while now < start + nanoseconds
      @spun_ns += now - start
    end

    def parsed_for(nanoseconds)
      @parse_ns += nanoseconds
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
      @exchanges = exchanges.map { |exchange| exchange.prepared_by(adapter) }
      @settings = settings
      @number = number
      @sink = sink_of(adapter)
    end

    # An iteration for each of the turns.
    def work(batch, turns)
      tally = Tally.new
      if batch.digest?
        receive(turns, batch, tally, sink_of(Digested.new(@adapter, tally.sha256)))
      elsif @sink.is_a?(Sinks::Buffer)
        only_count(turns, batch, tally)
      else
        receive(turns, batch, tally, @sink)
      end
      tally
    end

    def close
      @adapter.close
    end

    private

    # Content that is wanted whole, and of which nothing but its length is asked. A program that checks its answers
    # takes as many steps: what the other loop does beside was 2 % of what Curb does.
    def only_count(turns, batch, tally)
      adapter = @adapter
      busy_ns = batch.busy_ns
      done = bytes = 0
      turns.each do
        @exchanges.each do |exchange|
          begin
            status, content = adapter.fetch(exchange)
            length = content ? content.bytesize : 0
            exchange.check(status, length) unless status == exchange.status && length == exchange.length
            bytes += length
            done += 1
          rescue *FAILURES => e
            tally.fail(exchange, e)
          end
          tally.spin(busy_ns) if busy_ns > 0
        end
      end
      tally.succeed(done, bytes)
    end

    def receive(turns, batch, tally, sink)
      busy_ns = batch.busy_ns
      done = bytes = 0
      turns.each do
        @exchanges.each do |exchange|
          begin
            bytes += sink.take(exchange)
            done += 1
          rescue *FAILURES => e
            tally.fail(exchange, e)
          end
          tally.spin(busy_ns) if busy_ns > 0
        end
      end
      tally.succeed(done, bytes)
      tally.parsed_for(sink.take_parse_ns) if sink.respond_to?(:take_parse_ns)
    end

    def sink_of(adapter)
      Sinks.for(@settings, adapter, @number)
    end
  end

  # Stands in an adapter's place in unmeasured runs, and adds the SHA-256 of each content to a list, or an empty text
  # where an error was raised.
  class Digested
    def initialize(adapter, sha256)
      @adapter = adapter
      @sha256 = sha256
    end

    def fetch(exchange, &sink)
      digest = Digest::SHA256.new
      hex = ""
      status, content = @adapter.fetch(exchange, &(sink && through(digest, sink)))
      digest.update(content) if content
      hex = digest.hexdigest
      [status, content]
    ensure
      @sha256 << hex
    end

    private

    def through(digest, sink)
      lambda do |piece|
        digest.update(piece)
        sink.call(piece)
      end
    end
  end
end
