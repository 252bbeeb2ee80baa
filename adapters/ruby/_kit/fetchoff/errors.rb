# frozen_string_literal: true

module Fetchoff
  # A message that cannot be followed.
  class BadRequest < StandardError; end

  # A response that is not the expected one.
  class Unexpected < StandardError; end

  # For an adapter's `initialize`: this feature is not to be had together with the others that were asked for.
  class Unsupported < StandardError; end
end
