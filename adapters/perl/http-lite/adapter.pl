#!/usr/bin/env perl
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../_kit";

use Fetchoff::Kit;
use HTTP::Lite;
use Tie::IxHash;

serve(
    client   => 'HTTP::Lite',
    version  => HTTP::Lite->VERSION,
    prepare  => \&prepare,
    features => [
        qw(http/1.1 method.get method.head method.post body.form headers connection.fresh
            sink.buffer sink.discard)
    ],
);

sub prepare {
    my ($settings) = @_;
    my $http = HTTP::Lite->new;
    $http->http11_mode(1);

    return sub {
        my ( $exchange, $sink ) = @_;
        my $body    = $exchange->{body};
        my @headers = @{ $exchange->{headers} };
        $http->reset;
        $http->prepare_post( in_order( $body->{octets} ) ) if $body;
        $http->method( $exchange->{method} );
        while ( my ( $name, $value ) = splice @headers, 0, 2 ) { $http->add_req_header( $name, $value ) }

        # A callback that returns undef has taken what it was given.
        my $status = $http->request( $exchange->{url}, $sink && sub { $sink->( ${ $_[1] } ); return } );
        die $! || 'no answer', "\n" if !$status;
        return ( $status, $http->body );
    };
}

# prepare_post takes a hash, whose order would be anyone's guess.
sub in_order {
    my ($fields) = @_;
    tie my %fields, 'Tie::IxHash', @$fields;
    return \%fields;
}
