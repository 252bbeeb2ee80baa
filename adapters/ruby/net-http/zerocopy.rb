# frozen_string_literal: true

require File.expand_path("../reads", __FILE__)

class Net::BufferedIO
  use_one_buffer

  private

  def read_some(size, buffer)
    select_readable
    @io.sysread(size, buffer)
  end
end

Fetchoff.serve(Adapter)
