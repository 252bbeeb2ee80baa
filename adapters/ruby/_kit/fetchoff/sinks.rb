# frozen_string_literal: true

module Fetchoff
  # Where content goes: `receive` does one exchange and returns its status, the length of its content and, where
  # the content is kept, the content. With `sha256`, a digest object, each content is added to that.
  module Sinks
    def self.for(settings, worker)
      case settings.sink
      when "buffer", "json" then Buffer.new
      when "discard" then Discard.new
      when "file" then ToFile.new(settings.directory, worker)
      else raise BadRequest, "unknown sink '#{settings.sink}'"
      end
    end

    # Content whole in memory.
    class Buffer
      def receive(adapter, exchange, sha256)
        status, content = adapter.fetch(exchange)
        content ||= ""
        sha256.update(content) if sha256
        [status, content.bytesize, content]
      end
    end

    # Content read piece by piece, and dropped.
    class Discard
      def receive(adapter, exchange, sha256)
        length = 0
        status, rest = adapter.fetch(exchange) do |piece|
          sha256.update(piece) if sha256
          length += piece.bytesize
        end
        length += rest.bytesize if rest
        sha256.update(rest) if rest && sha256
        [status, length]
      end
    end

    # Content read piece by piece into one file, which each exchange starts anew.
    class ToFile
      def initialize(directory, worker)
        raise BadRequest, "the sink 'file' needs a 'directory'" unless directory

        @path = File.join(directory, "download-#{Process.pid}-#{worker}")
      end

      def receive(adapter, exchange, sha256)
        status = File.open(@path, "wb") { |file| fetch_into(file, adapter, exchange) }
        File.open(@path, "rb") { |file| sha256.update(file.read) } if sha256
        [status, File.size(@path)]
      end

      private

      def fetch_into(file, adapter, exchange)
        status, rest = adapter.fetch(exchange) { |piece| file.write(piece) }
        file.write(rest) if rest
        status
      end
    end
  end
end
