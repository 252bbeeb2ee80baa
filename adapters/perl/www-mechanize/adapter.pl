#!/usr/bin/env perl
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../_kit";

use Fetchoff::Kit;
use LWP::ConnCache;
use WWW::Mechanize;

serve(
    client   => 'WWW::Mechanize',
    version  => WWW::Mechanize->VERSION,
    engine   => 'LWP ' . LWP->VERSION,
    prepare  => \&prepare,
    features => [
        qw(http/1.1 tls proxy method.get method.head method.post method.put
            body.form body.json body.multipart body.raw headers
            connection.reuse connection.fresh sink.buffer sink.discard
            cookies decompression redirects timeout.connect timeout.read)
    ],
);

sub prepare {
    my ($settings) = @_;
    my $streamed   = $settings->{sink} =~ /\A(?:discard|file)\z/;
    my $timeout    = one_timeout($settings);
    unsupported('decompression')
        if $streamed && $settings->{decompress};    # :content_cb is given the coded bytes

    my $mech = WWW::Mechanize->new(
        autocheck   => 0,
        stack_depth => 0,                           # its documentation's advice to those who never go back
        cookie_jar  => $settings->{cookies} ? {} : undef,
        $settings->{reuse} // 1 ? ( conn_cache => LWP::ConnCache->new )     : (),
        $settings->{redirects} ? ( max_redirect => $settings->{redirects} ) : ( requests_redirectable => [] ),
        defined $timeout       ? ( timeout      => $timeout )               : (),
        defined $settings->{tls_ca} ? ( ssl_opts => { SSL_ca_file => $settings->{tls_ca} } ) : (),
    );
    $mech->proxy( [qw(http https)] => $settings->{proxy} ) if defined $settings->{proxy};
    $mech->add_header( 'Accept-Encoding' => 'identity' )   if !$settings->{decompress};

    return sub {
        my ( $exchange, $sink ) = @_;
        my $method    = lc $exchange->{method};
        my @arguments = ( @{ $exchange->{headers} }, content_arguments( $exchange->{body} ) );
        push @arguments, ':content_cb' => $sink if $sink;

        my $response = $mech->$method( $exchange->{url}, @arguments );
        my $died     = $response->header('X-Died');
        my $internal = ( $response->header('Client-Warning') // '' ) eq 'Internal response';
        die $died || $response->status_line if $died || $internal;
        return ( $response->code, $response->content ) if !$settings->{decompress};
        return ( $response->code, $mech->content( decoded_by_headers => 1 ) );
    };
}

sub content_arguments {
    my ($body) = @_;
    return if !$body;
    return ( Content      => $body->{octets} )                          if $body->{kind} eq 'form';
    return ( Content_Type => 'form-data', Content => form_data($body) ) if $body->{kind} eq 'multipart';
    my ( $type, $content ) = typed_content($body);
    return ( Content_Type => $type, Content => $content );
}
