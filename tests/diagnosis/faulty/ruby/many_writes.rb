# frozen_string_literal: true

require_relative "raw"

# Writes each line of a request by itself, with Nagle's algorithm off.
class ManyWrites < Raw
  private

  def send_request(connection, head, content)
    head.each_line { |line| connection.write(line) }
    connection.write(content) unless content.empty?
  end
end

Fetchoff.serve(ManyWrites)
