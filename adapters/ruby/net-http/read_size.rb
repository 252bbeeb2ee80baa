# frozen_string_literal: true

require File.expand_path("../adapter", __FILE__)

class Net::BufferedIO
  read_size = Integer(ENV.fetch("READ_SIZE"))

  if const_defined?(:BUFSIZE)
    remove_const(:BUFSIZE)
    BUFSIZE = read_size
  else # 1.8.6 has the number itself
    define_method(:rbuf_fill) { timeout(@read_timeout) { @rbuf << @io.sysread(read_size) } }
  end
end

Fetchoff.serve(Adapter)
