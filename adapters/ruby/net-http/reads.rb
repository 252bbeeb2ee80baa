# frozen_string_literal: true

# How Net::BufferedIO reads, to be replaced. Ruby 1.8 has `timeout(@read_timeout) { @rbuf << @io.sysread(BUFSIZE) }`
# in rbuf_fill, and a thread for each timeout; Ruby from 1.9.2 on reads without blocking, and waits where there is
# nothing yet. A variant says in `read_some(size, buffer)` how one read is done.

require File.expand_path("../adapter", __FILE__)

class Net::BufferedIO
  READ_SIZE = 16 * 1024 # as BUFSIZE from 1.8.7 on

  # Content goes from one buffer, which every read fills anew, straight to whom it is for. In the stock class it
  # goes by way of @rbuf, a new String for every read.
  module OneBuffer
    def read(length, destination = String.new, ignore_eof = false)
      left = length - pass_on(length, destination)
      while left > 0
        piece = read_some([left, READ_SIZE].min, one_buffer)
        left -= piece.bytesize
        destination << piece
      end
      destination
    rescue EOFError
      ignore_eof ? destination : raise
    end

    def read_all(destination = String.new)
      pass_on(nil, destination)
      loop { destination << read_some(READ_SIZE, one_buffer) }
    rescue EOFError
      destination
    end

    private

    def rbuf_fill
      @rbuf_empty = false # newer ones keep account of it
      @rbuf << read_some(READ_SIZE, one_buffer)
    end

    # What came with the head of the response.
    def pass_on(most, destination)
      size = [@rbuf.bytesize - (@rbuf_offset || 0), most].compact.min
      destination << rbuf_consume(size) if size > 0
      size
    end

    def one_buffer
      @one_buffer ||= ["\0" * READ_SIZE].pack("a*") # pack makes it binary
    end
  end

  def self.use_one_buffer
    [:read, :read_all, :rbuf_fill].each { |name| remove_method(name) }
    include OneBuffer
  end

  private

  def rbuf_fill
    @rbuf_empty = false
    @rbuf.empty? ? read_some(READ_SIZE, @rbuf) : @rbuf << read_some(READ_SIZE, String.new)
  end

  # One select for each read, whether there is something already or not.
  def select_readable
    return if @io.respond_to?(:pending) && @io.pending > 0 # the rest of a TLS record

    raise Timeout::Error, "nothing to read in time" unless IO.select([@io], nil, nil, @read_timeout)
  end
end
