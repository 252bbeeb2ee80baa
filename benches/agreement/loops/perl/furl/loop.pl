#!/usr/bin/env perl
# Furl: one object, which keeps its last connection.
use strict;
use warnings;

use Furl;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC CLOCK_PROCESS_CPUTIME_ID);

$| = 1;
my ( $url, $size, @fields ) = @ARGV;
my $furl = Furl->new( max_redirects => 0 );

while ( my $n = <STDIN> ) {
    my ( $cpu, $wall ) = ( clock_gettime(CLOCK_PROCESS_CPUTIME_ID), clock_gettime(CLOCK_MONOTONIC) );
    for ( 1 .. $n ) {
        my $response = @fields ? $furl->post( $url, undef, [@fields] ) : $furl->get($url);
        my $content  = $response->content;
        die $response->status_line, "\n" if $response->code != 200 || length $content != $size;
    }
    $cpu  = clock_gettime(CLOCK_PROCESS_CPUTIME_ID) - $cpu;
    $wall = clock_gettime(CLOCK_MONOTONIC) - $wall;
    printf "%.0f %.0f\n", 1e9 * $cpu, 1e9 * $wall;
}
