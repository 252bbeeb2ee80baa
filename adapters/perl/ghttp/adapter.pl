#!/usr/bin/env perl
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../_kit";

use Fetchoff::Kit;
use HTTP::GHTTP qw(:methods);
use URI::Escape qw(uri_escape);

# libghttp keeps a connection's port as a signed short. A greater one never is that of the next request, and so each
# request connects anew.
my $GREATEST_PORT = 32_767;

my %type = ( GET => METHOD_GET, HEAD => METHOD_HEAD, POST => METHOD_POST, PUT => METHOD_PUT );

serve(
    client   => 'HTTP::GHTTP',
    version  => HTTP::GHTTP->VERSION,
    engine   => 'libghttp',
    prepare  => \&prepare,
    features => [
        qw(http/1.1 proxy method.get method.head method.post method.put body.form body.json body.raw headers
            connection.reuse connection.fresh sink.buffer)
    ],
);

sub prepare {
    my ( $settings, $exchanges ) = @_;
    my $fresh = defined $settings->{reuse} && !$settings->{reuse};
    unsupported('connection.reuse') if $settings->{reuse} && grep { !keeps( $_->{url} ) } @$exchanges;
    my $kept = HTTP::GHTTP->new;

    return sub {
        my ($exchange) = @_;
        my $request    = defined $settings->{proxy} ? proxied( $settings->{proxy} ) : $kept;
        my $body       = $exchange->{body};
        my ( $type, $content ) = $body ? typed_content( $body, \&encode_form ) : ();
        my @headers = @{ $exchange->{headers} };
        push @headers, 'Content-Type' => $type   if $type;
        push @headers, 'Connection'   => 'close' if $fresh;

        $request->clean;    # of all but the connection
        $request->set_uri( $exchange->{url} );
        $request->set_type( $type{ $exchange->{method} } );
        while ( my ( $name, $value ) = splice @headers, 0, 2 ) { $request->set_header( $name, $value ) }
        $request->set_body($content) if defined $content;

        # `process_request` does both, and keeps what went wrong to itself.
        $request->prepare;
        defined $request->process or give_up($request);
        my ($status) = $request->get_status;
        return ( $status, $request->get_body );
    };
}

# Without `close`, a connection that the server has closed would be used for ever.
sub give_up {
    my ($request) = @_;
    my $reason = $request->get_error || 'no answer';
    $request->close;
    die "$reason\n";
}

# An object of its own: after `clean`, libghttp has no URI to ask a proxy for.
sub proxied {
    my ($proxy) = @_;
    my $request = HTTP::GHTTP->new;
    $request->set_proxy($proxy);
    return $request;
}

sub keeps {
    my ($url)  = @_;
    my ($port) = $url =~ m{\A\w+://[^/]*:(\d+)};
    return ( $port // 0 ) <= $GREATEST_PORT;
}

sub encode_form {
    return urlencoded( \&uri_escape, @{ $_[0]{octets} } );
}
