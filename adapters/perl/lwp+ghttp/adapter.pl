#!/usr/bin/env perl
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../_kit";

use Fetchoff::Kit;
use LWP::Protocol::GHTTP;
use LWP::UserAgent;

LWP::Protocol::implementor( 'http', 'LWP::Protocol::GHTTP' );

serve(
    client   => 'LWP + LWP::Protocol::GHTTP',
    version  => LWP->VERSION,
    engine   => 'HTTP::GHTTP ' . HTTP::GHTTP->VERSION,
    prepare  => \&prepare,
    features => [
        qw(http/1.1 proxy method.get method.head method.post body.form body.json body.multipart body.raw headers
            connection.fresh sink.buffer cookies decompression redirects)
    ],
);

sub prepare {
    my ($settings) = @_;
    my $decoded    = $settings->{decompress};
    my $redirects  = $settings->{redirects};
    my $ua         = LWP::UserAgent->new(
        $redirects           ? ( max_redirect => $redirects ) : ( requests_redirectable => [] ),
        $settings->{cookies} ? ( cookie_jar   => {} )         : (),
    );
    $ua->proxy( http => $settings->{proxy} ) if defined $settings->{proxy};
    $ua->default_header( 'Accept-Encoding' => scalar HTTP::Message::decodable() ) if $decoded;

    return sub {
        my ($exchange) = @_;
        my $method     = lc $exchange->{method};
        my @arguments  = ( @{ $exchange->{headers} }, content_arguments( $exchange->{body} ) );
        my $response   = $ua->$method( $exchange->{url}, @arguments );

        # LWP warns of more than its own failures: of a 401 that it cannot answer, for one.
        my $warning = $response->header('Client-Warning') // '';
        die $response->status_line, "\n" if !$response->code || $warning eq 'Internal response';
        return ( $response->code, $decoded ? decoded($response) : $response->content );
    };
}

sub decoded {
    my ($response) = @_;
    return '' if !length ${ $response->content_ref };
    return $response->decoded_content( charset => 'none', raise_error => 1 );
}

sub content_arguments {
    my ($body) = @_;
    return if !$body;
    return ( Content      => $body->{octets} )                          if $body->{kind} eq 'form';
    return ( Content_Type => 'form-data', Content => form_data($body) ) if $body->{kind} eq 'multipart';
    my ( $type, $content ) = typed_content($body);
    return ( Content_Type => $type, Content => $content );
}
