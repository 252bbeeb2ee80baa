#!/usr/bin/env perl
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../_kit";

use Fetchoff::Kit;
use Hijk ();
use URI;
use URI::Escape qw(uri_escape);

serve(
    client   => 'Hijk',
    version  => Hijk->VERSION,
    prepare  => \&prepare,
    features => [
        qw(http/1.1 method.get method.head method.post method.put body.form body.json body.raw headers
            connection.reuse connection.fresh sink.buffer timeout.connect timeout.read)
    ],
);

sub prepare {
    my ( $settings, $exchanges ) = @_;
    my %common = (
        socket_cache    => $settings->{reuse} // 1 ? {} : undef,
        connect_timeout => seconds( $settings->{timeout_ms}{connect} ),
        read_timeout    => seconds( $settings->{timeout_ms}{read} ),
        parse_chunked   => 1,    # without it, Hijk dies of a chunked response
    );

    # Hijk wants a URL in its parts, and so do its users, who talk to one service.
    my %target = map { $_->{url} => target( $_->{url} ) } @$exchanges;

    return sub {
        my ($exchange) = @_;
        my @head       = @{ $exchange->{headers} };
        my $target     = $target{ $exchange->{url} };
        my %request    = ( %common, %$target, method => $exchange->{method}, head => \@head );
        if ( my $body = $exchange->{body} ) {
            ( my $type, $request{body} ) = typed_content( $body, \&encode_form );
            push @head, 'Content-Type' => $type;
        }
        my $response = Hijk::request( \%request );
        die failure($response) if $response->{error};
        return ( $response->{status}, delete $response->{body} );
    };
}

sub target {
    my $uri = URI->new( $_[0] );
    return { host => $uri->host, port => $uri->port, path => $uri->path, query_string => $uri->query };
}

sub encode_form {
    return urlencoded( \&uri_escape, @{ $_[0]{octets} } );
}

sub failure {
    my ($response) = @_;
    return "timeout\n" if $response->{error} & Hijk::Error::TIMEOUT;
    return join( ': ', grep { defined } @$response{qw(error_message errno_string)} ) . "\n";
}
