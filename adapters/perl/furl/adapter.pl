#!/usr/bin/env perl
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../_kit";

use Fetchoff::Kit;
use Furl;
use HTTP::CookieJar;
use HTTP::Request::Common qw(POST);
use IO::Socket::SSL       ();

serve(
    client   => 'Furl',
    version  => Furl->VERSION,
    prepare  => \&prepare,
    features => [
        qw(http/1.1 tls proxy method.get method.head method.post method.put
            body.form body.json body.multipart body.raw headers
            connection.reuse connection.fresh sink.buffer sink.discard
            cookies decompression redirects timeout.read timeout.total)
    ],
);

sub prepare {
    my ( $settings, $exchanges ) = @_;
    my %timeout = %{ $settings->{timeout_ms} };

    # Furl's documentation: "if you use the HEAD method, the connection is closed immediately".
    unsupported('connection.reuse') if $settings->{reuse} && grep { $_->{method} eq 'HEAD' } @$exchanges;

    my @headers = (
        $settings->{decompress}                           ? ( 'Accept-Encoding' => 'gzip' )  : (),
        defined $settings->{reuse} && !$settings->{reuse} ? ( 'Connection'      => 'close' ) : (),
    );
    my $furl = Furl->new(
        headers       => \@headers,
        max_redirects => $settings->{redirects},
        defined $settings->{proxy}  ? ( proxy              => $settings->{proxy} )              : (),
        $settings->{cookies}        ? ( cookie_jar         => HTTP::CookieJar->new )            : (),
        defined $timeout{read}      ? ( inactivity_timeout => seconds( $timeout{read} ) )       : (),
        defined $timeout{total}     ? ( timeout            => seconds( $timeout{total} ) )      : (),
        defined $settings->{tls_ca} ? ( ssl_opts           => trusting( $settings->{tls_ca} ) ) : (),
    );

    return sub {
        my ( $exchange, $sink ) = @_;
        my $response = $furl->request(
            method => $exchange->{method},
            url    => $exchange->{url},
            $exchange->{is_bare} ? () : headers_and_content($exchange),
            $sink                ? ( write_code => sub { $sink->( $_[3] ) } ) : (),
        );
        my $status = $response->code;
        die $response->message if $status == 500 && $response->message =~ /\AInternal Response: /;
        return ( $status, $response->content );
    };
}

sub trusting {
    my ($file) = @_;
    my %trust = ( SSL_ca_file => $file );
    return \%trust if !$ENV{ONE_CONTEXT};
    $trust{SSL_verify_mode} = IO::Socket::SSL::SSL_VERIFY_PEER();
    return {
        %trust,
        SSL_verifycn_scheme => 'www',
        SSL_reuse_ctx       => IO::Socket::SSL::SSL_Context->new(%trust)
    };
}

sub headers_and_content {
    my ($exchange) = @_;
    my ( $type, $content ) = $exchange->{body} ? content_of( $exchange->{body} ) : ();
    return (
        headers => $type ? [ @{ $exchange->{headers} }, 'Content-Type' => $type ] : $exchange->{headers},
        content => $content,
    );
}

sub content_of {
    my ($body) = @_;
    return ( undef, $body->{octets} ) if $body->{kind} eq 'form';
    return typed_content($body)       if $body->{kind} ne 'multipart';
    my $post = POST( '', Content_Type => 'form-data', Content => form_data($body) );
    return ( $post->header('Content-Type'), $post->content );
}
