# frozen_string_literal: true

# What the kit asks of Ruby and older ones answer otherwise, or not at all.

require "thread" # Mutex and Queue, in 1.8
require "timeout"

begin
  require "json"
rescue LoadError
  require File.expand_path("../plain_json", __FILE__) # no library of 1.8 has JSON
end

class String
  alias bytesize length unless method_defined?(:bytesize) # 1.8.6
end

module Fetchoff
  # In 1.8, Timeout::Error is not a StandardError.
  FAILURES = [StandardError, Timeout::Error].freeze

  if defined?(Process::CLOCK_MONOTONIC) # 2.1
    def self.now_ns
      Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    end
  elsif defined?(JRUBY_VERSION)
    require "java"

    def self.now_ns
      java.lang.System.nano_time
    end
  else
    def self.now_ns
      now = Time.now
      (now.to_i * 1_000_000_000) + (now.usec * 1000)
    end
  end

  # Text that is valid UTF-8, whatever it was.
  if String.method_defined?(:scrub) # 2.1
    def self.utf8(text)
      text.dup.force_encoding(Encoding::UTF_8).scrub
    end
  else
    def self.utf8(text)
      bytes = text.respond_to?(:force_encoding) ? text.dup.force_encoding("BINARY") : text
      bytes.gsub(/[^\n\x20-\x7e]/n, "?")
    end
  end

  # "JRuby 9.4.14.0 (3.1.7)"
  def self.runtime
    engine = defined?(RUBY_ENGINE) ? RUBY_ENGINE : "ruby" # 1.8.6 does not say
    case engine
    when "ruby" then "Ruby #{RUBY_VERSION}"
    when "jruby" then "JRuby #{JRUBY_VERSION} (#{RUBY_VERSION})"
    when "truffleruby" then "TruffleRuby #{RUBY_ENGINE_VERSION} (#{RUBY_VERSION})"
    else "#{engine} (#{RUBY_VERSION})"
    end
  end
end
