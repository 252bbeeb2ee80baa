#!/usr/bin/env perl
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../_kit";

use Fetchoff::Kit;
use HTTP::GHTTP qw(:methods);
use URI::Escape qw(uri_escape);

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

    # An object keeps its connection, and also its headers: each exchange has one of its own.
    my %request = map { $_ => request( $settings, $_ ) } @$exchanges;

    return sub {
        my ($exchange) = @_;
        my $request    = $request{$exchange};
        my $body       = $exchange->{body};
        my ( $type, $content ) = $body ? typed_content( $body, \&encode_form ) : ();
        $request->set_header( 'Content-Type' => $type )   if $type;
        $request->set_header( 'Connection'   => 'close' ) if $fresh;
        $request->set_body($content) if defined $content;
        $request->process_request;

        my ($status) = $request->get_status;
        die $request->get_error || 'no answer', "\n" if !$status;
        return ( $status, $request->get_body );
    };
}

sub request {
    my ( $settings, $exchange ) = @_;
    my $request = HTTP::GHTTP->new( $exchange->{url}, @{ $exchange->{headers} } );
    $request->set_type( $type{ $exchange->{method} } );
    $request->set_proxy( $settings->{proxy} ) if defined $settings->{proxy};
    return $request;
}

sub encode_form {
    return join '&', joined( '=', map { uri_escape($_) } @{ $_[0]{octets} } );
}
