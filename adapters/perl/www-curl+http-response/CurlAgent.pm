package CurlAgent;

# What LWP::UserAgent is used for in most applications, done by libcurl: get, head, post and put take the same
# arguments and return an HTTP::Response, so that an application hardly changes when it changes over.
#
# GET and POST have a handle each, whose options stay as they are from one request to the next. The handles share
# their cookies, and a file keeps them for the next process.

use strict;
use warnings;

use HTTP::Response;
use URI::Escape qw(uri_escape);
use WWW::Curl::Easy;
use WWW::Curl::Share;

my %HANDLE = ( GET => 'get', HEAD => 'get', POST => 'post', PUT => 'post' );

# keep_alive, timeout, max_redirect, cookie_jar => { file => ... } and ssl_opts are LWP's; connect_timeout, and proxy
# for every scheme, are libcurl's. With decode => 1, content comes decoded.
sub new {
    my ( $class, %options ) = @_;
    my $share = WWW::Curl::Share->new;
    $share->setopt( CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE );
    return bless {
        share   => $share,
        get     => handle( $share, \%options ),
        post    => handle( $share, \%options ),
        jar     => $options{cookie_jar},
        decoded => $options{decode},
    }, $class;
}

# The share and the cookie file must outlive the handles, which write that file when they go.
sub DESTROY {
    my ($self) = @_;
    delete @$self{qw(get post)};
    delete $self->{jar};
    return;
}

sub get  { my ( $self, @arguments ) = @_; return $self->fetch( GET  => @arguments ) }
sub head { my ( $self, @arguments ) = @_; return $self->fetch( HEAD => @arguments ) }
sub post { my ( $self, @arguments ) = @_; return $self->fetch( POST => @arguments ) }
sub put  { my ( $self, @arguments ) = @_; return $self->fetch( PUT  => @arguments ) }

sub fetch {
    my ( $self, $method, $url, @arguments ) = @_;
    my ( $headers, $special )               = sorted(@arguments);
    my ( $head, $content )                  = ( '', '' );
    my $curl = $self->{ $HANDLE{$method} };
    my $take = $special->{':content_cb'};
    $curl->setopt( CURLOPT_URL,           $url );
    $curl->setopt( CURLOPT_HTTPHEADER,    $headers );
    $curl->setopt( CURLOPT_WRITEHEADER,   \$head );
    $curl->setopt( CURLOPT_WRITEDATA,     \$content );
    $curl->setopt( CURLOPT_WRITEFUNCTION, $take && sub { $take->( $_[0] ); return length $_[0] } );
    set_method( $curl, $method, $special->{Content} );

    my $code = $curl->perform;
    return failure( $url, $curl->errbuf || $curl->strerror($code) ) if $code;
    return $self->response( $head, \$content );
}

# The status line and fields of the last response, which is what those before it (redirects, a proxy's) led to.
sub response {
    my ( $self, $head, $content ) = @_;
    my ($last)   = grep { m{\AHTTP/} } reverse split /\r\n\r\n/, $head;
    my $response = HTTP::Response->parse($last);
    $response->remove_header('Content-Encoding') if $self->{decoded};
    $response->content_ref($content);
    return $response;
}

# As LWP reports what never became an answer.
sub failure {
    my ( $url, $reason ) = @_;
    return HTTP::Response->new( 500, "$url: $reason", [ 'Client-Warning' => 'Internal response' ] );
}

# Content, encoded if it is a form, goes in one write with the head, so that nothing waits for an acknowledgement.
sub set_method {
    my ( $curl, $method, $content ) = @_;
    if ( $HANDLE{$method} eq 'get' ) {
        $curl->setopt( CURLOPT_HTTPGET, 1 );
        $curl->setopt( CURLOPT_NOBODY,  1 ) if $method eq 'HEAD';
        return;
    }
    $content = ref $content ? urlencoded(@$content) : $content // '';
    $curl->setopt( CURLOPT_CUSTOMREQUEST, $method );
    $curl->setopt( CURLOPT_POSTFIELDSIZE, length $content );
    $curl->setopt( CURLOPT_POSTFIELDS,    $content );
    return;
}

# LWP's list of arguments as header lines, and what is not a header.
sub sorted {
    my (@arguments) = @_;
    my ( @headers, %special );
    while ( my ( $name, $value ) = splice @arguments, 0, 2 ) {
        if ( $name =~ /\A(?:Content|:.*)\z/ ) { $special{$name} = $value; next }
        $name =~ tr/_/-/;
        push @headers, "$name: $value";
    }
    return ( \@headers, \%special );
}

sub urlencoded {
    my (@fields) = map { uri_escape($_) } @_;
    my @pairs;
    while ( my ( $name, $value ) = splice @fields, 0, 2 ) { push @pairs, "$name=$value" }
    return join '&', @pairs;
}

sub handle {
    my ( $share, $options ) = @_;
    my $redirects = $options->{max_redirect} // 7;
    my $jar       = ( $options->{cookie_jar} // {} )->{file};
    my @options   = (
        [ CURLOPT_SHARE,             $share ],
        [ CURLOPT_FORBID_REUSE,      !( $options->{keep_alive} // 1 ) ],
        [ CURLOPT_FOLLOWLOCATION,    $redirects > 0 ],
        [ CURLOPT_MAXREDIRS,         $redirects ],
        [ CURLOPT_COOKIEFILE,        $jar ],
        [ CURLOPT_COOKIEJAR,         $jar ],
        [ CURLOPT_ACCEPT_ENCODING,   $options->{decode} ? '' : undef ],
        [ CURLOPT_PROXY,             $options->{proxy} // '' ],
        [ CURLOPT_CAINFO,            $options->{ssl_opts}{SSL_ca_file} ],
        [ CURLOPT_CONNECTTIMEOUT_MS, in_ms( $options->{connect_timeout} ) ],
        [ CURLOPT_TIMEOUT_MS,        in_ms( $options->{timeout} ) ],
    );
    my $curl = WWW::Curl::Easy->new;
    $curl->setopt(@$_) for grep { defined $_->[1] } @options;
    return $curl;
}

sub in_ms { return defined $_[0] ? int( 1000 * $_[0] ) : undef }

1;
