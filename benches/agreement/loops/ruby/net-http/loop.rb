# frozen_string_literal: true

# Net::HTTP: started once, and every request on that connection.

require "net/http"

url = ARGV.fetch(0)
size = Integer(ARGV.fetch(1))
fields = ARGV.drop(2).each_slice(2).to_h
uri = URI(url)
headers = { "Accept-Encoding" => "identity" }
http = Net::HTTP.new(uri.host, uri.port)
http.keep_alive_timeout = 30 # by default, a connection that waited 2 s for its turn is closed
http.start

def now(clock)
  Process.clock_gettime(clock, :nanosecond)
end

def post(uri, headers, fields)
  request = Net::HTTP::Post.new(uri, headers)
  request.set_form_data(fields)
  request
end

while (line = $stdin.gets)
  cpu = now(Process::CLOCK_PROCESS_CPUTIME_ID)
  wall = now(Process::CLOCK_MONOTONIC)
  line.to_i.times do
    response = http.request(fields.empty? ? Net::HTTP::Get.new(uri, headers) : post(uri, headers, fields))
    content = response.body
    abort("status #{response.code}") if response.code != "200" || content.bytesize != size
  end
  cpu = now(Process::CLOCK_PROCESS_CPUTIME_ID) - cpu
  wall = now(Process::CLOCK_MONOTONIC) - wall
  $stdout.puts("#{cpu} #{wall}")
  $stdout.flush
end
