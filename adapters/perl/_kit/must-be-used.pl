#!/usr/bin/env perl
# must-be-used.pl FOLDER SOURCE TREE...: fails if the adapter loads nothing of a tree that was installed in FOLDER. Base
# and head of a gate would be the same code.
#
# What is loaded only for TLS, say, is named in the checks of adapter.toml. What cannot be loaded passes here: those
# checks come next, and say why, or its hello does.
use strict;
use warnings;

use File::Find qw(find);

my ( $folder, $source, @trees ) = @ARGV;
@ARGV = ();
require lib;
lib->import("$folder/lib/perl5");

# Starts the adapter here, which ends where it is asked nothing.
open STDIN, '<', '/dev/null' or die "/dev/null: $!\n";
$0 = $source;
do $source;
if ($@) {
    warn $@;
    exit 0;
}

open my $file, '<', 'adapter.toml' or die "adapter.toml: $!\n";
my $manifest = do { local $/ = undef; <$file> };
for my $module ( $manifest =~ /"-M([\w:]+)"/g ) {
    eval "require $module; 1" or warn $@;
}

for my $tree (@trees) {
    my @paths = modules_of($tree);
    next if grep { ( $INC{$_} // '' ) =~ m{^\Q$folder\E/} } @paths;
    my $names = join ', ', map { s{/}{::}gr =~ s{\.pm$}{}r } sort @paths;
    die "the adapter uses nothing of @{ [ $tree =~ m{([^/]+)/*$} ] }, which installs $names\n";
}

# By their paths below a folder of Perl's, such as HTTP/Tiny.pm.
sub modules_of {
    my ($tree) = @_;
    my %found;
    for my $built ( grep { -d } "$tree/blib/lib", "$tree/blib/arch" ) {
        find( { no_chdir => 1, wanted => sub { $found{$1} = 1 if m{^\Q$built\E/(.+\.pm)$} } }, $built );
    }
    return keys %found;
}
