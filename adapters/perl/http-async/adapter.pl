#!/usr/bin/env perl
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../_kit";

use Fetchoff::Kit;
use HTTP::Async;
use HTTP::Cookies;
use HTTP::Request::Common qw(POST);
use URI;

serve(
    client   => 'HTTP::Async',
    version  => HTTP::Async->VERSION,
    prepare  => \&prepare,
    features => [
        qw(http/1.1 tls proxy method.get method.head method.post method.put
            body.form body.json body.multipart body.raw headers
            connection.fresh concurrency sink.buffer cookies redirects timeout.read timeout.total)
    ],
);

sub prepare {
    my ($settings) = @_;
    my %timeout    = %{ $settings->{timeout_ms} };
    my $proxy      = defined $settings->{proxy} ? URI->new( $settings->{proxy} ) : undef;
    my $async      = HTTP::Async->new(
        slots        => $settings->{concurrency},
        max_redirect => $settings->{redirects},
        $settings->{cookies}        ? ( cookie_jar       => HTTP::Cookies->new )                            : (),
        defined $timeout{read}      ? ( timeout          => seconds( $timeout{read} ) )                     : (),
        defined $timeout{total}     ? ( max_request_time => seconds( $timeout{total} ) )                    : (),
        defined $settings->{tls_ca} ? ( ssl_options      => { SSL_ca_file => $settings->{tls_ca} } )        : (),
        $proxy                      ? ( proxy_host       => $proxy->host, proxy_port => $proxy->port ) : (),
    );

    my %done;
    my $start = sub {
        my ( $exchange, $sink, $done ) = @_;
        $done{ $async->add( request_for($exchange) ) } = $done;
    };

    # Every look at the sockets comes poll_interval, 50 ms, after the one before.
    my $wait = sub {
        my ($begin) = @_;
        my $ended;
        $begin->( sub { $ended = 1 } );
        while ( !$ended ) {
            my ( $response, $id ) = $async->wait_for_next_response or next;
            delete( $done{$id} )->( $response->code, $response->content );
        }
    };
    return { start => $start, wait => $wait };
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
