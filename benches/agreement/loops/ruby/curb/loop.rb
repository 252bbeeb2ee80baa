# frozen_string_literal: true

# Curb: one Curl::Easy for all exchanges.

require "curb"
require "uri"

url = ARGV.fetch(0)
size = Integer(ARGV.fetch(1))
fields = ARGV.drop(2).each_slice(2).to_h
curl = Curl::Easy.new
curl.version = Curl::HTTP_1_1
curl.proxy_url = ""

def now(clock)
  Process.clock_gettime(clock, :nanosecond)
end

while (line = $stdin.gets)
  cpu = now(Process::CLOCK_PROCESS_CPUTIME_ID)
  wall = now(Process::CLOCK_MONOTONIC)
  line.to_i.times do
    curl.url = url
    fields.empty? ? curl.http_get : curl.http_post(URI.encode_www_form(fields))
    content = curl.body_str
    abort("status #{curl.response_code}") if curl.response_code != 200 || content.bytesize != size
  end
  cpu = now(Process::CLOCK_PROCESS_CPUTIME_ID) - cpu
  wall = now(Process::CLOCK_MONOTONIC) - wall
  $stdout.puts("#{cpu} #{wall}")
  $stdout.flush
end
