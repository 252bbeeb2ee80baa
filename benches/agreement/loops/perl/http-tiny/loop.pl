#!/usr/bin/env perl
# HTTP::Tiny: one object, which keeps its last connection.
use strict;
use warnings;

use HTTP::Tiny;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC CLOCK_PROCESS_CPUTIME_ID);

$| = 1;
my ( $url, $size, @fields ) = @ARGV;
my $http = HTTP::Tiny->new( max_redirect => 0, verify_SSL => 1 );

while ( my $n = <STDIN> ) {
    my ( $cpu, $wall ) = ( clock_gettime(CLOCK_PROCESS_CPUTIME_ID), clock_gettime(CLOCK_MONOTONIC) );
    for ( 1 .. $n ) {
        my $response = @fields ? $http->post_form( $url, [@fields] ) : $http->get($url);
        die "$response->{status} $response->{reason}\n"
            if $response->{status} != 200 || length $response->{content} != $size;
    }
    $cpu  = clock_gettime(CLOCK_PROCESS_CPUTIME_ID) - $cpu;
    $wall = clock_gettime(CLOCK_MONOTONIC) - $wall;
    printf "%.0f %.0f\n", 1e9 * $cpu, 1e9 * $wall;
}
