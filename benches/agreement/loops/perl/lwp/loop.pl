#!/usr/bin/env perl
# LWP: one LWP::UserAgent with keep_alive, without redirects.
use strict;
use warnings;

use LWP::UserAgent;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC CLOCK_PROCESS_CPUTIME_ID);

$| = 1;
my ( $url, $size, @fields ) = @ARGV;
my $ua  = LWP::UserAgent->new( keep_alive => 1, requests_redirectable => [] );

while ( my $n = <STDIN> ) {
    my ( $cpu, $wall ) = ( clock_gettime(CLOCK_PROCESS_CPUTIME_ID), clock_gettime(CLOCK_MONOTONIC) );
    for ( 1 .. $n ) {
        my $response = @fields ? $ua->post( $url, [@fields] ) : $ua->get($url);
        my $content  = $response->content;
        die $response->status_line, "\n" if $response->code != 200 || length $content != $size;
    }
    $cpu  = clock_gettime(CLOCK_PROCESS_CPUTIME_ID) - $cpu;
    $wall = clock_gettime(CLOCK_MONOTONIC) - $wall;
    printf "%.0f %.0f\n", 1e9 * $cpu, 1e9 * $wall;
}
