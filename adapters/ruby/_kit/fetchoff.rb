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
#       def arguments(exchange)          # what `fetch` finds in exchange.arguments, made once; may be left out
#       def fetch(exchange, &sink)       # one exchange: [status, content], or an exception
#       def close                        # drop the connections
#       def together(jobs)               # only of event loops: see workers.rb
#     end
#
#     Fetchoff.serve(Adapter)
#
# With a block, `fetch` yields the content piece by piece instead of returning it. Each of the threads that
# `concurrency` asks for has an adapter object of its own.
#
# The kit is written in what Ruby 1.8 understands, because it runs on every runtime of kit.toml.

%w[older_rubies errors settings exchange sinks batch workers session].each do |part|
  require File.expand_path("../fetchoff/#{part}", __FILE__)
end

# What is read is the same in every locale.
Encoding.default_external = Encoding::UTF_8 if defined?(Encoding)

module Fetchoff
  def self.serve(adapter_class)
    # Whatever a library prints goes to standard error; only answers go to the harness.
    answers = $stdout.dup
    $stdout.reopen($stderr)
    answers.sync = true
    Session.new(adapter_class, $stdin, answers).serve
  end
end
