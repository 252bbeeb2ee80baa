# frozen_string_literal: true

require_relative "raw"

# Closes its connection after each request.
class Closing < Raw
  private

  def release(_origin, connection)
    connection.close
  end
end

Fetchoff.serve(Closing)
