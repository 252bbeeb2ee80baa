#!/usr/bin/env perl
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../_kit";

use Fetchoff::Kit;
use HTTP::CookieJar;
use HTTP::Tiny;

serve(
    client   => 'HTTP::Tiny',
    version  => HTTP::Tiny->VERSION,
    prepare  => \&prepare,
    features => [
        qw(http/1.1 tls proxy method.get method.head method.post method.put body.form body.json body.raw headers
            connection.reuse connection.fresh sink.buffer sink.discard cookies redirects
            timeout.connect timeout.read)
    ],
);

sub prepare {
    my ($settings) = @_;
    my $timeout    = one_timeout($settings);
    my $reuse      = $settings->{reuse};

    # HTTP::Tiny (0.080) sends the later requests on a proxy's connection as if to the origin.
    if ( defined $settings->{proxy} ) {
        unsupported('connection.reuse') if $reuse;
        $reuse = 0;
    }

    my $http = HTTP::Tiny->new(
        max_redirect => $settings->{redirects},
        verify_SSL   => 1,
        http_proxy   => $settings->{proxy},
        https_proxy  => $settings->{proxy},
        defined $reuse              ? ( keep_alive  => $reuse )                                 : (),
        defined $timeout            ? ( timeout     => $timeout )                               : (),
        $settings->{cookies}        ? ( cookie_jar  => HTTP::CookieJar->new )                   : (),
        defined $settings->{tls_ca} ? ( SSL_options => { SSL_ca_file => $settings->{tls_ca} } ) : (),
    );
    my $encode_form = sub { $http->www_form_urlencode( $_[0]{fields} ) };

    return sub {
        my ( $exchange, $sink ) = @_;
        my @options  = $exchange->{is_bare} && !$sink ? () : options( $exchange, $sink, $encode_form );
        my $response = $http->request( @$exchange{qw(method url)}, @options );
        die $response->{content} if $response->{status} == 599;
        return ( $response->{status}, delete $response->{content} );
    };
}

# What a request has beside its method and its URL.
sub options {
    my ( $exchange, $sink, $encode_form ) = @_;
    my ( $body, $fields ) = @$exchange{qw(body headers)};
    my %options = ( headers => {@$fields} );
    $options{data_callback} = $sink if $sink;
    ( $options{headers}{'Content-Type'}, $options{content} ) = typed_content( $body, $encode_form ) if $body;
    return \%options;
}
