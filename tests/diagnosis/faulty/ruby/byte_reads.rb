# frozen_string_literal: true

require_relative "raw"

# Reads answers in pieces of READ_BYTES, one byte by default.
class ByteReads < Raw
  SIZE = Integer(ENV.fetch("READ_BYTES", "1"))

  private

  def piece(connection)
    connection.readpartial(SIZE)
  end
end

Fetchoff.serve(ByteReads)
