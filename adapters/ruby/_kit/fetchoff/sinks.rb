# frozen_string_literal: true

module Fetchoff
  # Where content goes: `take` has the adapter do one exchange, checks the answer, and returns the content's length.
  module Sinks
    def self.for(settings, adapter, worker)
      case settings.sink
      when "buffer" then Buffer.new(adapter)
      when "json" then Json.new(adapter)
      when "discard" then Discard.new(adapter)
      when "file" then ToFile.new(adapter, settings.directory, worker)
      else raise BadRequest, "unknown sink '#{settings.sink}'"
      end
    end

    # Content whole in memory.
    class Buffer
      def initialize(adapter)
        @adapter = adapter
      end

      def take(exchange)
        status, content = @adapter.fetch(exchange)
        exchange.check(status, content ? content.bytesize : 0)
      end
    end

    # The same, then parsed.
    class Json
      def initialize(adapter)
        @adapter = adapter
        @parse_ns = 0
      end

      def take(exchange)
        status, content = @adapter.fetch(exchange)
        length = exchange.check(status, content ? content.bytesize : 0)
        fault = exchange.json_fault_in(parse(content || ""))
        fault ? raise(Unexpected, fault) : length
      end

      # Nanoseconds in the parser since this was asked last.
      def take_parse_ns
        @parse_ns.tap { @parse_ns = 0 }
      end

      private

      def parse(content)
        start = Fetchoff.now_ns
        JSON.parse(content)
      ensure
        @parse_ns += Fetchoff.now_ns - start
      end
    end

    # Content read piece by piece, and dropped.
    class Discard
      def initialize(adapter)
        @adapter = adapter
        @count = lambda { |piece| @length += piece.bytesize }
      end

      def take(exchange)
        @length = 0
        status, rest = @adapter.fetch(exchange, &@count)
        @count.call(rest) if rest
        exchange.check(status, @length)
      end
    end

    # Content read piece by piece into one file, which each exchange starts anew.
    class ToFile
      def initialize(adapter, directory, worker)
        raise BadRequest, "the sink 'file' needs a 'directory'" unless directory

        @adapter = adapter
        @path = File.join(directory, "download-#{Process.pid}-#{worker}")
      end

      def take(exchange)
        status = File.open(@path, "wb") { |file| fetch_into(file, exchange) }
        exchange.check(status, File.size(@path))
      end

      private

      def fetch_into(file, exchange)
        status, rest = @adapter.fetch(exchange) { |piece| file.write(piece) }
        file.write(rest) if rest
        status
      end
    end
  end
end
