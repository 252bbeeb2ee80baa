#!/usr/bin/env perl
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../_kit";

use Fetchoff::Kit;
use LWP::UserAgent;

# The bytes of the document; what they spell is the business of what reads them.
my @DECODING = ( charset => 'none', raise_error => 1 );

serve(
    client   => 'LWP',
    version  => LWP->VERSION,
    prepare  => \&prepare,
    features => [
        qw(http/1.1 tls proxy method.get method.head method.post method.put
            body.form body.json body.multipart body.raw headers
            connection.reuse connection.fresh sink.buffer sink.discard read-size
            cookies decompression coding.deflate redirects timeout.connect timeout.read)
    ],
);

sub prepare {
    my ($settings) = @_;
    my $streamed   = $settings->{sink} =~ /\A(?:discard|file)\z/;
    my $decoded    = $settings->{decompress};
    my $redirects  = $settings->{redirects};
    unsupported('decompression') if $streamed && $decoded;    # :content_cb is given the coded bytes

    my $ua = LWP::UserAgent->new(
        keep_alive => $settings->{reuse} // 1,
        $redirects                  ? ( max_redirect => $redirects ) : ( requests_redirectable => [] ),
        $settings->{cookies}        ? ( cookie_jar   => {} )         : (),
        defined $settings->{tls_ca} ? ( ssl_opts     => { SSL_ca_file => $settings->{tls_ca} } ) : (),
    );
    if ( defined( my $timeout = one_timeout($settings) ) ) { $ua->timeout($timeout) }
    $ua->proxy( [qw(http https)] => $settings->{proxy} ) if defined $settings->{proxy};
    $ua->default_header( 'Accept-Encoding' => scalar HTTP::Message::decodable() ) if $decoded;

# Where content was cut short, LWP says so in a header. To ask for one by `header` costs 3 % of an exchange, and is
# not what a program does that only wants content; so this looks into the object.
    return sub {
        my ( $exchange, $sink ) = @_;
        my $method    = lc $exchange->{method};
        my @arguments = ( @{ $exchange->{headers} }, content_arguments( $exchange->{body} ) );
        push @arguments, ':content_cb' => $sink, ':read_size_hint' => $settings->{read_size} if $sink;

        my $response = $ua->$method( $exchange->{url}, @arguments );
        my $status   = $response->code;
        my $died     = $response->{_headers}{'x-died'};
        die $died || $response->status_line if $died || ( $status == 500 && is_internal($response) );
        return ( $status, $decoded ? decoded($response) : $response->content );
    };
}

sub decoded {
    my ($response) = @_;
    return length ${ $response->content_ref } ? $response->decoded_content(@DECODING) : '';
}

# Whether no server has sent it, but LWP itself: it could not connect, say.
sub is_internal {
    my ($response) = @_;
    return ( $response->header('Client-Warning') // '' ) eq 'Internal response';
}

sub content_arguments {
    my ($body) = @_;
    return if !$body;
    return ( Content      => $body->{octets} )                          if $body->{kind} eq 'form';
    return ( Content_Type => 'form-data', Content => form_data($body) ) if $body->{kind} eq 'multipart';
    my ( $type, $content ) = typed_content($body);
    return ( Content_Type => $type, Content => $content );
}
