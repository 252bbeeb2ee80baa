# frozen_string_literal: true

require 'sinatra/base'

# Writes a line a request: which one of its connection it is.
class AccessLog
  def initialize(app, path)
    @app = app
    @log = File.open(path, 'a').tap { |file| file.sync = true }
    @known = ObjectSpace::WeakMap.new
    @lock = Mutex.new
  end

  def call(env)
    @lock.synchronize { @log.write("#{number(env['puma.socket'])}\n") }
    @app.call(env)
  end

  private

  def number(socket)
    @known[socket] = (@known[socket] || 0) + 1
  end
end

# The application of the article: Hi and HiPost.
class Hi < Sinatra::Base
  disable :protection

  before { headers 'Connection' => 'close' if params['keep-alive'] == 'off' }
  get('/') { 'Hi' }
  post('/') { 'HiPost' }
end

use AccessLog, ENV.fetch('ACCESS_LOG')
run Hi
