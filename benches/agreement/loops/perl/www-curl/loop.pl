#!/usr/bin/env perl
# WWW::Curl: one WWW::Curl::Easy handle for all exchanges.
use strict;
use warnings;

use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC CLOCK_PROCESS_CPUTIME_ID);
use URI::Escape qw(uri_escape);
use WWW::Curl::Easy;

$| = 1;
my ( $url, $size, @fields ) = @ARGV;
my $curl = WWW::Curl::Easy->new;
$curl->setopt( CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1 );
$curl->setopt( CURLOPT_PROXY,        q{} );

sub form {
    my @pairs;
    while ( my ( $name, $value ) = splice @_, 0, 2 ) {
        push @pairs, uri_escape($name) . '=' . uri_escape($value);
    }
    return join '&', @pairs;
}

while ( my $n = <STDIN> ) {
    my ( $cpu, $wall ) = ( clock_gettime(CLOCK_PROCESS_CPUTIME_ID), clock_gettime(CLOCK_MONOTONIC) );
    my $content;    # the memory of one answer serves the next
    for ( 1 .. $n ) {
        $content = q{};
        $curl->setopt( CURLOPT_URL,       $url );
        $curl->setopt( CURLOPT_WRITEDATA, \$content );
        my $form;    # outlives the transfer
        if (@fields) {
            $form = form(@fields);
            $curl->setopt( CURLOPT_POSTFIELDSIZE, length $form );
            $curl->setopt( CURLOPT_POSTFIELDS,    $form );
        }
        my $code = $curl->perform;
        die $curl->strerror($code), "\n" if $code;
        my $status = $curl->getinfo(CURLINFO_HTTP_CODE);
        die "status $status\n" if $status != 200 || length $content != $size;
    }
    $cpu  = clock_gettime(CLOCK_PROCESS_CPUTIME_ID) - $cpu;
    $wall = clock_gettime(CLOCK_MONOTONIC) - $wall;
    printf "%.0f %.0f\n", 1e9 * $cpu, 1e9 * $wall;
}
