# frozen_string_literal: true

require File.expand_path("../reads", __FILE__)

class Net::BufferedIO
  use_one_buffer

  private

  def read_some(size, buffer)
    @io.readpartial(size, buffer)
  end
end

class Untimed < Adapter
  FEATURES = Adapter::FEATURES - ["timeout.read"]
end

Fetchoff.serve(Untimed)
