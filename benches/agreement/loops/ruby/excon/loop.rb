# frozen_string_literal: true

# Excon: one persistent connection.

require "excon"

url = ARGV.fetch(0)
size = Integer(ARGV.fetch(1))
fields = ARGV.drop(2).each_slice(2).to_h
uri = URI(url)
path = uri.path
connection = Excon.new("#{uri.scheme}://#{uri.host}:#{uri.port}", persistent: true, disable_proxy: true)

def now(clock)
  Process.clock_gettime(clock, :nanosecond)
end

def post(path, fields)
  headers = { "Content-Type" => "application/x-www-form-urlencoded" }
  { method: :post, path: path, headers: headers, body: URI.encode_www_form(fields) }
end

while (line = $stdin.gets)
  cpu = now(Process::CLOCK_PROCESS_CPUTIME_ID)
  wall = now(Process::CLOCK_MONOTONIC)
  line.to_i.times do
    response = connection.request(fields.empty? ? { method: :get, path: path } : post(path, fields))
    content = response.body
    abort("status #{response.status}") if response.status != 200 || content.bytesize != size
  end
  cpu = now(Process::CLOCK_PROCESS_CPUTIME_ID) - cpu
  wall = now(Process::CLOCK_MONOTONIC) - wall
  $stdout.puts("#{cpu} #{wall}")
  $stdout.flush
end
