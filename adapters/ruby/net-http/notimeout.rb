# frozen_string_literal: true

require File.expand_path("../reads", __FILE__)

class Net::BufferedIO
  private

  def read_some(size, buffer)
    @io.sysread(size, buffer)
  end
end

class Untimed < Adapter
  FEATURES = Adapter::FEATURES - ["timeout.read"]
end

Fetchoff.serve(Untimed)
