#!/usr/bin/env perl
use strict;
use warnings;

# Longer than most, because everything is a Future, and content comes by a callback that makes a callback.

use FindBin;
use lib "$FindBin::Bin/../_kit";

use Fetchoff::Kit;
use HTTP::Cookies;
use HTTP::Request::Common qw(POST);
use IO::Async::Loop;
use Net::Async::HTTP;
use URI;

my $loop = IO::Async::Loop->new;
my $http;

serve(
    client   => 'Net::Async::HTTP',
    version  => Net::Async::HTTP->VERSION,
    engine   => 'IO::Async ' . IO::Async::Loop->VERSION,
    prepare  => \&prepare,
    features => [
        qw(http/1.1 tls proxy method.get method.head method.post method.put
            body.form body.json body.multipart body.raw headers
            connection.reuse connection.fresh concurrency sink.buffer sink.discard
            cookies decompression redirects timeout.read timeout.total)
    ],
);

sub prepare {
    my ($settings) = @_;
    $loop->remove($http) if $http;
    $http = client($settings);
    $loop->add($http);

    my $start = sub {
        my ( $exchange, $sink, $done ) = @_;
        my @streamed = $sink ? ( on_header => sub { streaming( $sink, @_ ) } ) : ();
        $http->do_request( request => request_for($exchange), @streamed )->on_ready(
            sub {
                my ($future) = @_;
                return $done->( undef, scalar $future->failure ) if $future->is_failed;
                my $response = $future->result;
                $done->( $response->code, $sink ? undef : $response->content );
            }
        )->retain;
    };
    return { start => $start, wait => \&wait_for };
}

sub wait_for {
    my ($begin) = @_;
    my $ended = $loop->new_future;
    $begin->( sub { $ended->done } );
    $ended->await;
    return;
}

sub client {
    my ($settings) = @_;
    my %timeout    = %{ $settings->{timeout_ms} };
    my $proxy      = defined $settings->{proxy} ? URI->new( $settings->{proxy} ) : undef;
    return Net::Async::HTTP->new(
        max_connections_per_host => $settings->{concurrency},
        pipeline            => 0,                      # an origin answers what is pipelined one after another
        max_redirects       => $settings->{redirects},
        decode_content      => $settings->{decompress},
        close_after_request => !( $settings->{reuse} // 1 ),
        $settings->{cookies}        ? ( cookie_jar    => HTTP::Cookies->new )                       : (),
        defined $timeout{read}      ? ( stall_timeout => seconds( $timeout{read} ) )                : (),
        defined $timeout{total}     ? ( timeout       => seconds( $timeout{total} ) )               : (),
        defined $settings->{tls_ca} ? ( SSL_ca_file   => $settings->{tls_ca} )                      : (),
        $proxy                      ? ( proxy_host    => $proxy->host, proxy_port => $proxy->port ) : (),
    );
}

# What `on_header` gives back takes the pieces of the content, and in the end nothing.
sub streaming {
    my ( $sink, $response ) = @_;
    return sub {
        return $response if !@_;
        $sink->( $_[0] );
        return;
    };
}

sub request_for {
    my ($exchange) = @_;
    my ( $method, $url, $headers, $body ) = @$exchange{qw(method url headers body)};
    return HTTP::Request->new( $method, $url, $headers ) if !$body;
    return POST( $url, @$headers, Content => $body->{octets} ) if $body->{kind} eq 'form';
    return POST( $url, @$headers, Content_Type => 'form-data', Content => form_data($body) )
        if $body->{kind} eq 'multipart';
    my ( $type, $content ) = typed_content($body);
    return HTTP::Request->new( $method, $url, [ @$headers, 'Content-Type' => $type ], $content );
}
