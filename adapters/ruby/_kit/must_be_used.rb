# frozen_string_literal: true

# must_be_used.rb FOLDER SOURCE: fails if the adapter loads nothing of a tree that was installed in FOLDER. Base and
# head of a gate would be the same code.
#
# What only some variants load is named in the checks of adapter.toml. OpenSSL is loaded where there is TLS. An adapter
# that cannot be loaded passes here: those checks come next, and say why, or its hello does.

def required(name)
  require name
rescue LoadError => e
  warn e.message
end

folder, source = ARGV
ARGV.clear
require File.join(folder, "fetchoff_trees")

# Starts the adapter here, which ends where it is asked nothing.
$stdin.reopen("/dev/null")
$PROGRAM_NAME = source
begin
  load source
rescue ScriptError, StandardError, SystemExit => e
  warn e.message
  exit 0
end
manifest = File.exist?("adapter.toml") ? File.read("adapter.toml") : ""
manifest.scan(/require '([^']+)'/).flatten.push("openssl").each { |name| required(name) }

gems = File.realpath(File.join(folder, "gems"))
loaded = $LOADED_FEATURES.map { |path| File.exist?(path) ? File.realpath(path) : path }
of_trees = loaded.select { |path| path.start_with?("#{gems}/") }.map { |path| path.split("/") }
File.foreach(File.join(folder, "fetchoff_trees.txt")) do |line|
  gem, tree = line.chomp.split(" ", 2)
  next if of_trees.any? { |parts| parts.include?(gem) }

  abort "the adapter uses nothing of #{tree}, which installs #{gem}"
end
