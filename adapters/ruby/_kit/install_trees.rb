# frozen_string_literal: true

# install_trees.rb FOLDER TREE...: installs these libraries as gems into FOLDER/gems. It also writes
# FOLDER/fetchoff_trees.rb, with which a program finds them before all others, and FOLDER/fetchoff_trees.txt, a line
# GEM TREE for each.

require "rubygems"
require "rubygems/installer"
require "rubygems/package"

# What old gemspecs set, and RubyGems no longer knows.
%w[has_rdoc= rubyforge_project= default_executable=].each do |name|
  Gem::Specification.send(:define_method, name) { |value| value } unless Gem::Specification.method_defined?(name)
end

# Neither a gem's dependencies nor its Ruby version are asked for: what it misses shows when it is required.
USE = <<~RUBY
  require "rubygems"
  Dir[File.join(File.dirname(__FILE__), "gems", "specifications", "*.gemspec")].each do |path|
    spec = Gem::Specification.load(path)
    $LOAD_PATH.unshift(*spec.full_require_paths)
    Gem.loaded_specs[spec.name] = spec
  end
RUBY

REQUIRED = Dir["*.rb"].map { |source| File.read(source).scan(/^\s*require\s*\(?["']([^"']+)/) }.flatten # by the adapter

# A gem that lies among sources was built of what they were before.
def gem_of(tree)
  Dir.chdir(tree) do
    packed = one_of(Dir["*.gem"]) if Dir["{*.gemspec,lib}"].empty?
    packed || Gem::Package.build(specification, true)
  end
end

# The one that the adapter requires, if there are several.
def one_of(paths)
  return paths.first if paths.length < 2

  wanted = paths.select { |path| required?(path[/\A(.+?)(-\d[^-]*)?\.gem(spec)?\z/, 1]) }
  return wanted.first if wanted.length == 1

  named = paths.sort.join(", ")
  abort "there are several gems in #{File.basename(Dir.pwd)}: #{named}: give the one to measure, packed (gem build)"
end

def required?(name)
  [name, name.tr("-", "/")].any? { |path| REQUIRED.any? { |one| one == path || one.start_with?("#{path}/") } }
end

def specification
  path = one_of(Dir["*.gemspec"])
  spec = path ? Gem::Specification.load(path) : from_the_name
  abort "#{Dir.pwd}: #{path || 'there is no .gemspec, and its name is not NAME-VERSION'}" unless spec

  named = spec.files - spec.extensions - spec.extra_rdoc_files
  spec.files = Dir["**/*"].select { |file| File.file?(file) } if named.empty? # as git's list is, outside of a clone
  spec
end

# Of before there was a .gemspec in every tree: the Rakefile held it.
def from_the_name
  name, version = File.basename(Dir.pwd).match(/\A(.+)-(\d[\w.]*)\z/)&.captures
  return unless name

  Gem::Specification.new(name, version) do |spec|
    spec.summary = spec.authors = name
    spec.extensions = Dir["ext/**/extconf.rb"]
  end
end

# The last line says what is wrong: it is the reason that the user reads.
def install(gem, folder)
  options = { :install_dir => folder, :ignore_dependencies => true, :force => true, :document => [] }
  Gem::Installer.at(gem, options).install
rescue Gem::Ext::BuildError => e
  warn e.message
  abort e.message[/^.*\berror: .*$/] || "its extension cannot be built"
end

folder, *trees = ARGV
installed = trees.map do |tree|
  spec = install(File.expand_path(gem_of(tree), tree), File.join(folder, "gems"))
  "#{spec.full_name} #{File.basename(tree)}\n"
end
File.write(File.join(folder, "fetchoff_trees.rb"), USE)
File.write(File.join(folder, "fetchoff_trees.txt"), installed.join)
