#!/usr/bin/env perl
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../_kit", $FindBin::Bin;

use Fetchoff::Kit;
use Scalar::Util qw(refaddr);
use Transfer;
use WWW::Curl::Easy;
use WWW::Curl::Multi;
use WWW::Curl::Share;

serve(
    client   => 'WWW::Curl (multi)',
    version  => WWW::Curl->VERSION,
    engine   => libcurl(),
    prepare  => \&prepare,
    features => [ Transfer::features(), 'concurrency' ],
);

# WWW::Curl::Multi has no setopt, and so no CURLMOPT_MAXCONNECTS: at the end of a batch, when few are in flight,
# libcurl closes connections beyond four for each of those.
sub prepare {
    my ($settings) = @_;
    my $multi      = WWW::Curl::Multi->new;
    my $cookies    = WWW::Curl::Share->new;
    my ( @idle, %flying );
    $cookies->setopt( CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE );

    my $start = sub {
        my ( $exchange, $sink, $done ) = @_;
        my $curl   = pop @idle // shared_handle( $settings, $cookies );
        my $flight = { curl => $curl, content => '', done => $done };
        $flight->{form} = set_request( $curl, $exchange, \$flight->{content}, $sink );
        $flying{ refaddr $curl } = $flight;
        $curl->setopt( CURLOPT_PRIVATE, '' . refaddr $curl );
        $multi->add_handle($curl);
    };

    my $wait = sub {
        my ($begin) = @_;
        my $ended;
        $begin->( sub { $ended = 1 } );
        while ( !$ended ) {
            if ( $multi->perform == keys %flying ) { wait_for_sockets($multi); next }
            while ( my ( $id, $code ) = $multi->info_read ) {
                my $flight = delete $flying{$id};
                push @idle, $flight->{curl};
                land( $flight, $code );
            }
        }
    };
    return { start => $start, wait => $wait };
}

sub land {
    my ( $flight, $code ) = @_;
    my ( $curl,   $done ) = @$flight{qw(curl done)};
    return $done->( undef, $curl->strerror($code) . ': ' . $curl->errbuf ) if $code;
    return $done->( $curl->getinfo(CURLINFO_HTTP_CODE), delete $flight->{content} );
}

# PIPEWAIT: a request waits for the connection that it can share, instead of opening another.
sub shared_handle {
    my ( $settings, $cookies ) = @_;
    my $curl = handle($settings);
    $curl->setopt( CURLOPT_SHARE,    $cookies );
    $curl->setopt( CURLOPT_PIPEWAIT, $settings->{protocol} ne 'http/1.1' );
    return $curl;
}

sub wait_for_sockets {
    my ($multi) = @_;
    my @vectors;
    for my $sockets ( $multi->fdset ) {
        my $vector = '';
        vec( $vector, $_, 1 ) = 1 for @$sockets;
        push @vectors, $vector;
    }
    my $longest_s = grep( { length } @vectors ) ? 0.2 : 0.001;
    select $vectors[0], $vectors[1], $vectors[2], $longest_s;
    return;
}
