# frozen_string_literal: true

module Fetchoff
  # The conversation with the harness: one answer to each line, until `finish` or the end of the input.
  class Session
    PROTOCOL = 1

    def initialize(adapter_class, input, output)
      @adapter_class = adapter_class
      @input = input
      @output = output
    end

    def serve
      while (line = @input.gets)
        answer = answer_to(line)
        @output.write("#{JSON.generate(answer)}\n")
        break if answer[:finished]
      end
    end

    private

    def answer_to(line)
      request = parsed(line)
      case request["op"]
      when "hello" then hello(request)
      when "prepare" then prepare(request)
      when "run" then run(request)
      when "finish" then { :finished => true }
      else raise BadRequest, "unknown op #{request['op'].inspect}"
      end
    rescue *FAILURES => e
      { :error => printable(e.message) }
    end

    def parsed(line)
      request = JSON.parse(line)
      request.is_a?(Hash) ? request : raise(TypeError)
    rescue StandardError # what JSON raises has had several names
      raise BadRequest, "not a JSON object on one line"
    end

    def hello(request)
      raise BadRequest, "this adapter speaks protocol #{PROTOCOL}" unless request["protocol"] == PROTOCOL

      { :protocol => PROTOCOL, :client => @adapter_class::CLIENT, :version => @adapter_class::VERSION,
        :runtime => Fetchoff.runtime, :engine => engine, :features => features }
    end

    def engine
      @adapter_class.const_defined?(:ENGINE) ? @adapter_class::ENGINE : ""
    end

    # The adapter's features and those that the kit adds.
    def features
      declared = @adapter_class::FEATURES
      added = ["inject.busy"]
      added << "sink.json" if declared.include?("sink.buffer") && !defined?(PlainJson)
      added << "sink.file" if declared.include?("sink.discard")
      declared + added
    end

    def prepare(request)
      drop
      missing = ((request["require"] || []) - features).first
      return { :unsupported => missing } if missing

      settings = Settings.new(request["settings"])
      @workers = Workers.start(@adapter_class, exchanges_of(request), settings)
      @parse = settings.sink == "json"
      { :ready => true }
    rescue Unsupported => e
      { :unsupported => e.message }
    end

    def exchanges_of(request)
      exchanges = request["exchanges"]
      raise BadRequest, "prepare needs 'exchanges'" unless exchanges.is_a?(Array) && !exchanges.empty?

      exchanges.map { |message| Exchange.new(message) }
    end

    # Some libraries close their sockets only when the garbage collector finds them.
    def drop
      @workers.close if @workers
      @workers = nil
      GC.start
    end

    def run(request)
      n = request["n"]
      raise BadRequest, "run before prepare" unless @workers
      raise BadRequest, "'n' must be a whole number from 1" unless n.is_a?(Integer) && n > 0

      return run_allocating(n) if request["allocations"]

      batch = Batch.new(n, request["busy_ns"] || 0, request["digest"])
      start = Fetchoff.now_ns
      tally = @workers.run(batch)
      report(tally, Fetchoff.now_ns - start, batch)
    end

    # Of objects alone: how many bytes theirs are isn't counted.
    def run_allocating(iterations)
      batch = Batch.new(iterations, 0, false)
      start = Fetchoff.now_ns
      before = GC.stat[:total_allocated_objects]
      tally = @workers.run(batch)
      after = GC.stat[:total_allocated_objects]
      answer = report(tally, Fetchoff.now_ns - start, batch)
      answer[:allocations] = before ? { :calls => after - before } : {}
      answer
    end

    def report(tally, wall_ns, batch)
      answer = { :done => tally.done, :failed => tally.failed, :bytes => tally.bytes, :wall_ns => wall_ns }
      answer[:error] = printable(tally.error) if tally.error
      answer[:sha256] = tally.sha256 if batch.digest?
      answer[:busy_ns] = tally.spun_ns if batch.busy_ns > 0
      answer[:parse_ns] = tally.parse_ns if @parse
      answer
    end

    # One line of valid UTF-8, whatever the library said.
    def printable(text)
      Fetchoff.utf8(text).split("\n").first.to_s.strip
    end
  end
end
