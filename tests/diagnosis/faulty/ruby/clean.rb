# frozen_string_literal: true

# Does nothing wrong: every rule is to stay silent on it.

require_relative "raw"

Fetchoff.serve(Raw)
