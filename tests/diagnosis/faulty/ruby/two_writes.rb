# frozen_string_literal: true

require_relative "raw"

# Writes head and content separately, with Nagle's algorithm on.
class TwoWrites < Raw
  private

  def nodelay
    0
  end

  def send_request(connection, head, content)
    connection.write(head)
    connection.write(content)
  end
end

Fetchoff.serve(TwoWrites)
