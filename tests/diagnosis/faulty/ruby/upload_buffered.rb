# frozen_string_literal: true

require_relative "raw"

# Copies what it sends.
class UploadBuffered < Raw
  private

  def send_request(connection, head, content)
    connection.write(head.b + content)
  end
end

Fetchoff.serve(UploadBuffered)
