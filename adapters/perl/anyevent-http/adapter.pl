#!/usr/bin/env perl
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../_kit";

use AnyEvent;
use AnyEvent::HTTP;
use AnyEvent::TLS;
use Fetchoff::Kit;
use URI;
use URI::Escape qw(uri_escape);

serve(
    client   => 'AnyEvent::HTTP',
    version  => AnyEvent::HTTP->VERSION,
    engine   => 'AnyEvent ' . AnyEvent->VERSION,
    prepare  => \&prepare,
    features => [
        qw(http/1.1 tls proxy method.get method.head method.post method.put body.form body.json body.raw headers
            connection.reuse connection.fresh concurrency sink.buffer sink.discard cookies redirects
            timeout.connect timeout.read)
    ],
);

sub prepare {
    my ($settings) = @_;
    my $timeout    = one_timeout($settings);
    my $proxy      = defined $settings->{proxy} ? URI->new( $settings->{proxy} ) : undef;

    # AnyEvent::HTTP (2.25) sends the later requests on a proxy's connection as if to the origin.
    unsupported('connection.reuse') if $proxy && $settings->{reuse};
    my $reuse  = $proxy ? 0 : $settings->{reuse} // 1;
    my %trust  = ( verify => 1, verify_peername => 'https', ca_file => $settings->{tls_ca} );
    my %common = (
        recurse    => $settings->{redirects},
        persistent => $reuse,
        keepalive  => $reuse,
        proxy      => $proxy && [ $proxy->host, $proxy->port, 'http' ],
        tls_ctx    => $ENV{ONE_CONTEXT} ? AnyEvent::TLS->new(%trust) : \%trust,
        defined $timeout     ? ( timeout    => $timeout ) : (),
        $settings->{cookies} ? ( cookie_jar => {} )       : (),
    );
    $AnyEvent::HTTP::MAX_PER_HOST = $settings->{concurrency};

    my $start = sub {
        my ( $exchange, $sink, $done ) = @_;
        my %headers = @{ $exchange->{headers} };
        my %request = ( %common, headers => \%headers );
        if ( my $body = $exchange->{body} ) {
            ( $headers{'Content-Type'}, $request{body} ) = typed_content( $body, \&encode_form );
        }
        $request{on_body} = sub { $sink->( $_[0] ); return 1 }
            if $sink;
        http_request(
            $exchange->{method} => $exchange->{url},
            %request,
            sub {
                my $answer = $_[1];
                my $status = $answer->{Status};
                return $status >= 590 ? $done->( undef, $answer->{Reason} ) : $done->( $status, $_[0] );
            }
        );
    };
    return { start => $start, wait => \&wait_for };
}

sub wait_for {
    my ($begin) = @_;
    my $ended = AE::cv;
    $begin->($ended);
    $ended->recv;
    return;
}

sub encode_form {
    return urlencoded( \&uri_escape, @{ $_[0]{octets} } );
}
