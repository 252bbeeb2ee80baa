# frozen_string_literal: true

require "strscan"

module Fetchoff
  # The JSON of the protocol, for a Ruby without a library for it. Strings are bytes there.
  class PlainJson
    LITERALS = { "true" => true, "false" => false, "null" => nil }.freeze
    ESCAPES = { "b" => "\b", "f" => "\f", "n" => "\n", "r" => "\r", "t" => "\t" }.freeze

    def self.parse(text)
      new(text).document
    end

    def self.generate(value)
      case value
      when Hash then "{#{value.map { |name, member| "#{generate(name.to_s)}:#{generate(member)}" }.join(',')}}"
      when Array then "[#{value.map { |item| generate(item) }.join(',')}]"
      when String then "\"#{value.gsub(/["\\\x00-\x1f]/) { |char| format('\\u%04x', char.unpack('C').first) }}\""
      when nil then "null"
      else value.to_s
      end
    end

    def initialize(text)
      @text = StringScanner.new(text)
    end

    def document
      whole = value
      wrong unless skip && @text.eos?
      whole
    end

    private

    def value
      skip
      if @text.scan(/\{/) then members
      elsif @text.scan(/\[/) then items
      elsif @text.scan(/"/) then string
      elsif @text.scan(/true|false|null/) then LITERALS[@text.matched]
      elsif @text.scan(/-?\d+[.eE][-+.eE\d]*/) then @text.matched.to_f
      elsif @text.scan(/-?\d+/) then @text.matched.to_i
      else
        wrong
      end
    end

    def members
      all = {}
      each_up_to(/\}/) do
        take(/"/)
        name = string
        take(/:/)
        all[name] = value
      end
      all
    end

    def items
      all = []
      each_up_to(/\]/) { all << value }
      all
    end

    def each_up_to(closing)
      skip
      return if @text.scan(closing)

      loop do
        yield
        skip
        return if @text.scan(closing)

        take(/,/)
      end
    end

    def string
      coded = @text.scan(/[^"\\]*(?:\\.[^"\\]*)*/)
      take(/"/)
      coded.gsub(/((?:\\u[0-9a-fA-F]{4})+)|\\(.)/) { $1 ? characters($1) : ESCAPES.fetch($2, $2) }
    end

    # UTF-8 of a run of \u escapes, which are UTF-16.
    def characters(escapes)
      units = escapes.scan(/[0-9a-fA-F]{4}/).map { |digits| digits.hex }
      points = units.inject([]) do |all, unit|
        low = (0xDC00..0xDFFF).include?(unit) && all.last
        all << (low ? 0x10000 + ((all.pop - 0xD800) << 10) + (unit - 0xDC00) : unit)
      end
      points.pack("U*")
    end

    def take(pattern)
      skip
      @text.scan(pattern) || wrong
    end

    def skip
      @text.skip(/\s*/)
    end

    def wrong
      raise BadRequest, "this is not JSON: #{@text.rest[0, 20]}"
    end
  end
end

JSON = Fetchoff::PlainJson
