#!/usr/bin/env perl
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../_kit", $FindBin::Bin;

use CurlAgent;
use Fetchoff::Kit;
use File::Temp;

my ($libcurl) = WWW::Curl::Easy::version() =~ m{\Alibcurl/(\S+)};

serve(
    client   => 'WWW::Curl + HTTP::Response',
    version  => WWW::Curl->VERSION,
    engine   => "libcurl $libcurl",
    prepare  => \&prepare,
    features => [
        qw(http/1.1 tls proxy method.get method.head method.post method.put body.form body.json body.raw headers
            connection.reuse connection.fresh sink.buffer sink.discard
            cookies decompression coding.deflate redirects timeout.connect timeout.total)
    ],
);

sub prepare {
    my ($settings) = @_;
    my %timeout    = %{ $settings->{timeout_ms} };
    my $ua         = CurlAgent->new(
        keep_alive      => $settings->{reuse} // 1,
        max_redirect    => $settings->{redirects},
        decode          => $settings->{decompress},
        proxy           => $settings->{proxy},
        connect_timeout => seconds( $timeout{connect} ),
        timeout         => seconds( $timeout{total} ),
        ssl_opts        => { SSL_ca_file => $settings->{tls_ca} },
        $settings->{cookies} ? ( cookie_jar => { file => File::Temp->new } ) : (),
    );

    return sub {
        my ( $exchange, $sink ) = @_;
        my $method    = lc $exchange->{method};
        my @arguments = ( @{ $exchange->{headers} }, content_arguments( $exchange->{body} ) );
        push @arguments, ':content_cb' => $sink if $sink;

        my $response = $ua->$method( $exchange->{url}, @arguments );
        die $response->status_line if ( $response->header('Client-Warning') // '' ) eq 'Internal response';
        return ( $response->code, $response->content );
    };
}

sub content_arguments {
    my ($body) = @_;
    return                                if !$body;
    return ( Content => $body->{octets} ) if $body->{kind} eq 'form';
    my ( $type, $content ) = typed_content($body);
    return ( Content_Type => $type, Content => $content );
}
