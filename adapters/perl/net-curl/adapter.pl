#!/usr/bin/env perl
use strict;
use warnings;

# Longer than most, because libcurl is told everything, option by option.

use FindBin;
use lib "$FindBin::Bin/../_kit";

use Fetchoff::Kit;
use Net::Curl;
use Net::Curl::Easy qw(:constants);
use Net::Curl::Form qw(:constants);

my $built_with   = Net::Curl::version();
my ($libcurl)    = $built_with =~ m{\Alibcurl/(\S+)};
my %http_version = (
    'http/1.1' => CURL_HTTP_VERSION_1_1,
    'h2'       => CURL_HTTP_VERSION_2TLS,
    'h2c'      => CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE,
);

serve(
    client   => 'Net::Curl',
    version  => Net::Curl->VERSION,
    engine   => "libcurl $libcurl",
    prepare  => \&prepare,
    features => [
        qw(http/1.1 h2 tls proxy method.get method.head method.post method.put
            body.form body.json body.multipart body.raw headers
            connection.reuse connection.fresh sink.buffer sink.discard read-size
            cookies decompression coding.deflate redirects timeout.connect timeout.total
            option.tcp_nodelay option.forbid_reuse),
        $libcurl    !~ /\A7[.]88[.]/ ? 'h2c'         : (),  # 7.88 fails at the second request on a connection
        $built_with =~ /brotli/      ? 'coding.br'   : (),
        $built_with =~ /zstd/        ? 'coding.zstd' : (),
    ],
);

sub prepare {
    my ($settings) = @_;
    my $easy       = handle($settings);
    my $last       = 0;
    my $content;    # the memory of one answer serves the next
    return sub {
        my ( $exchange, $sink ) = @_;
        $content = '';
        $easy->setopt( CURLOPT_URL, $exchange->{url} );
        if ( $exchange == $last ) {    # what the handle was told stays with it
            set_post_fields( $easy, $exchange->{body} ) if $exchange->{body};
        }
        else {
            set_request( $easy, $exchange );
            $last = is_multipart($exchange) ? 0 : $exchange;
        }
        $sink
            ? $easy->setopt( CURLOPT_WRITEFUNCTION, sub { return $sink->( $_[1] ) } )
            : $easy->setopt( CURLOPT_WRITEDATA,     \$content );

        eval { $easy->perform; 1 } or die "$@: ", $easy->error, "\n";
        return ( $easy->getinfo(CURLINFO_RESPONSE_CODE), \$content );
    };
}

sub handle {
    my ($settings) = @_;
    my %timeout    = %{ $settings->{timeout_ms} };
    my %asked      = %{ $settings->{options} };
    my @options    = (
        [ CURLOPT_HTTP_VERSION,   $http_version{ $settings->{protocol} } ],
        [ CURLOPT_FORBID_REUSE,   $asked{forbid_reuse} || defined $settings->{reuse} && !$settings->{reuse} ],
        [ CURLOPT_FOLLOWLOCATION, $settings->{redirects} > 0 ],
        [ CURLOPT_MAXREDIRS,      $settings->{redirects} ],
        [ CURLOPT_COOKIEFILE,     $settings->{cookies}    ? '' : undef ],
        [ CURLOPT_ENCODING,       $settings->{decompress} ? '' : undef ],    # all that it can decode
        [ CURLOPT_PROXY,             $settings->{proxy} // '' ],
        [ CURLOPT_BUFFERSIZE,        $settings->{read_size} ],
        [ CURLOPT_CAINFO,            $settings->{tls_ca} ],
        [ CURLOPT_CONNECTTIMEOUT_MS, $timeout{connect} ],
        [ CURLOPT_TIMEOUT_MS,        $timeout{total} ],
        [ CURLOPT_TCP_NODELAY,       $asked{tcp_nodelay} ],
    );
    my $easy = Net::Curl::Easy->new;
    $easy->setopt(@$_) for grep { defined $_->[1] } @options;
    return $easy;
}

sub set_request {
    my ( $easy, $exchange ) = @_;
    my $type    = set_content( $easy, $exchange );
    my @headers = ( @{ $exchange->{headers} }, $type ? ( 'Content-Type' => $type ) : () );
    $easy->setopt( CURLOPT_HTTPHEADER, [ joined( ': ', @headers ) ] );
    return;
}

sub is_multipart {
    my ($exchange) = @_;
    return $exchange->{body} && $exchange->{body}{kind} eq 'multipart';
}

# Returns the content's type, where libcurl does not know it.
sub set_content {
    my ( $easy,   $exchange ) = @_;
    my ( $method, $body )     = @$exchange{qw(method body)};
    $easy->setopt( CURLOPT_HTTPGET,       1 );
    $easy->setopt( CURLOPT_NOBODY,        1 ) if $method eq 'HEAD';
    $easy->setopt( CURLOPT_CUSTOMREQUEST, $method );
    if ( is_multipart($exchange) ) {
        $easy->setopt( CURLOPT_HTTPPOST, form($body) );
        return;
    }
    return if !$body && $method ne 'POST';
    return set_post_fields( $easy, $body );
}

# What the handle posts, and the content's type where libcurl does not know it.
sub set_post_fields {
    my ( $easy, $body )    = @_;
    my ( $type, $content ) = $body ? typed_content( $body, encoder($easy) ) : ( undef, '' );
    $easy->setopt( CURLOPT_POSTFIELDSIZE,  length $content );
    $easy->setopt( CURLOPT_COPYPOSTFIELDS, $content );
    return $type;
}

sub form {
    my ($body) = @_;
    my $form   = Net::Curl::Form->new;
    my @fields = @{ $body->{octets} };
    while ( my ( $name, $value ) = splice @fields, 0, 2 ) {
        $form->add( CURLFORM_COPYNAME() => $name, CURLFORM_COPYCONTENTS() => $value );
    }
    for my $file ( @{ $body->{files} } ) {
        $form->add(
            CURLFORM_COPYNAME()    => $file->{name},
            CURLFORM_FILE()        => $file->{path},
            CURLFORM_FILENAME()    => $file->{filename},
            CURLFORM_CONTENTTYPE() => $file->{content_type},
        );
    }
    return $form;
}

sub encoder {
    my ($easy) = @_;
    return sub {
        urlencoded( sub { $easy->escape( $_[0] ) }, @{ $_[0]{octets} } );
    };
}
