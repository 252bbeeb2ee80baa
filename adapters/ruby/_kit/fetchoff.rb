# frozen_string_literal: true

# What an adapter in Ruby needs beside its library: the protocol of docs/protocol.md.
#
#     class Adapter
#       CLIENT = "excon"
#       VERSION = Excon::VERSION
#       ENGINE = ""                      # may be left out
#       FEATURES = %w[http/1.1 method.get ...].freeze
#
#       def initialize(settings)         # a new client object
#       def fetch(exchange, &sink)       # one exchange: [status, content], or an exception
#       def close                        # drop the connections
#     end
#
#     Fetchoff.serve(Adapter)
#
# With a block, `fetch` yields the content piece by piece instead of returning it. Each of the threads that
# `concurrency` asks for has an adapter object of its own.

require_relative "fetchoff/errors"
require_relative "fetchoff/settings"
require_relative "fetchoff/exchange"
require_relative "fetchoff/sinks"
require_relative "fetchoff/batch"
require_relative "fetchoff/workers"
require_relative "fetchoff/session"

# What is read is the same in every locale.
Encoding.default_external = Encoding::UTF_8

module Fetchoff
  def self.serve(adapter_class)
    # Whatever a library prints goes to standard error; only answers go to the harness.
    answers = $stdout.dup
    $stdout.reopen($stderr)
    answers.sync = true
    Session.new(adapter_class, $stdin, answers).serve
  end
end
