package Transfer;

# What a WWW::Curl::Easy handle is told: once for a workload, and anew for each exchange.

use strict;
use warnings;

use Exporter           qw(import);
use Fetchoff::Exchange qw(joined typed_content urlencoded);
use URI::Escape        qw(uri_escape);
use WWW::Curl::Easy;
use WWW::Curl::Form;

our @EXPORT = qw(features handle libcurl set_post_fields set_request);

my $built_with   = WWW::Curl::Easy::version();
my ($libcurl)    = $built_with =~ m{\Alibcurl/(\S+)};
my %http_version = (
    'http/1.1' => CURL_HTTP_VERSION_1_1,
    'h2'       => CURL_HTTP_VERSION_2TLS,
    'h2c'      => CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE,
);

sub libcurl { return "libcurl $libcurl" }

sub features {
    return (
        qw(http/1.1 h2 tls proxy method.get method.head method.post method.put
            body.form body.json body.multipart body.raw headers
            connection.reuse connection.fresh sink.buffer sink.discard read-size
            cookies decompression coding.deflate redirects timeout.connect timeout.total
            option.tcp_nodelay option.forbid_reuse),
        $libcurl    !~ /\A7[.]88[.]/ ? 'h2c'         : (),  # 7.88 fails at the second request on a connection
        $built_with =~ /brotli/      ? 'coding.br'   : (),
        $built_with =~ /zstd/        ? 'coding.zstd' : (),
    );
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
        [ CURLOPT_COOKIEFILE,        $settings->{cookies}    ? '' : undef ],
        [ CURLOPT_ACCEPT_ENCODING,   $settings->{decompress} ? '' : undef ],    # all that it can decode
        [ CURLOPT_PROXY,             $settings->{proxy} // '' ],
        [ CURLOPT_BUFFERSIZE,        $settings->{read_size} ],
        [ CURLOPT_CAINFO,            $settings->{tls_ca} ],
        [ CURLOPT_CONNECTTIMEOUT_MS, $timeout{connect} ],
        [ CURLOPT_TIMEOUT_MS,        $timeout{total} ],
        [ CURLOPT_TCP_NODELAY,       $asked{tcp_nodelay} // $ENV{TCP_NODELAY} ],
    );
    my $curl = WWW::Curl::Easy->new;
    $curl->setopt(@$_) for grep { defined $_->[1] } @options;
    return $curl;
}

# Content is written to `$$content`, or given to `$sink`. Returns the form, which has to outlive the transfer.
sub set_request {
    my ( $curl, $exchange, $content, $sink ) = @_;
    $curl->setopt( CURLOPT_URL,           $exchange->{url} );
    $curl->setopt( CURLOPT_WRITEDATA,     $content );
    $curl->setopt( CURLOPT_WRITEFUNCTION, $sink ) if $sink;
    my ( $type, $form ) = set_content( $curl, @$exchange{qw(method body)} );
    my @headers = ( @{ $exchange->{headers} }, $type ? ( 'Content-Type' => $type ) : () );
    $curl->setopt( CURLOPT_HTTPHEADER, [ joined( ': ', @headers ) ] );
    return $form;
}

# Returns the content's type, where libcurl does not know it, and the form, which has to outlive the transfer.
sub set_content {
    my ( $curl, $method, $body ) = @_;
    $curl->setopt( CURLOPT_HTTPGET,       1 );
    $curl->setopt( CURLOPT_NOBODY,        1 ) if $method eq 'HEAD';
    $curl->setopt( CURLOPT_CUSTOMREQUEST, $method eq 'PUT' ? 'PUT' : undef );
    if ( $body && $body->{kind} eq 'multipart' ) {
        my $form   = WWW::Curl::Form->new;
        my @fields = @{ $body->{octets} };
        while ( my ( $name, $value ) = splice @fields, 0, 2 ) { $form->formadd( $name, $value ) }
        $form->formaddfile( @$_{qw(path name content_type)} ) for @{ $body->{files} };
        $curl->setopt( CURLOPT_HTTPPOST, $form );
        return ( undef, $form );
    }
    return if !$body && $method ne 'POST';
    return set_post_fields( $curl, $body );
}

# What the handle posts, and the content's type where libcurl does not know it.
sub set_post_fields {
    my ( $curl, $body )    = @_;
    my ( $type, $content ) = $body ? typed_content( $body, \&encode_form ) : ( undef, '' );
    $curl->setopt( CURLOPT_POSTFIELDSIZE, length $content );
    $curl->setopt( CURLOPT_POSTFIELDS,    $content );
    return $type;
}

sub encode_form {
    return urlencoded( \&uri_escape, @{ $_[0]{octets} } );
}

1;
