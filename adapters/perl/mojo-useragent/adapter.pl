#!/usr/bin/env perl
use strict;
use warnings;

# Twice the usual length, because requests are made both ways that Mojo has: waiting for each, and by promises.

use FindBin;
use lib "$FindBin::Bin/../_kit";

use Fetchoff::Kit;
use Mojo::IOLoop;
use Mojo::UserAgent;
use Mojolicious ();

serve(
    client   => 'Mojo::UserAgent',
    version  => Mojolicious->VERSION,
    own_json => 1,
    prepare  => \&prepare,
    features => [
        qw(http/1.1 tls proxy method.get method.head method.post method.put
            body.form body.json body.multipart body.raw headers
            connection.reuse connection.fresh concurrency sink.buffer sink.discard
            cookies decompression redirects timeout.connect timeout.read timeout.total)
    ],
);

sub prepare {
    my ($settings) = @_;
    my $ua         = user_agent($settings);
    my $answer_of  = $settings->{sink} eq 'json' ? \&document_of : \&content_of;
    my $start      = sub {
        my ( $exchange, $sink, $done ) = @_;
        $ua->start_p( transaction( $ua, $exchange, $sink ) )
            ->then(
            sub { my $response = $_[0]->res; $done->( $response->code, $answer_of->( $response, $sink ) ) },
            sub { $done->( undef, $_[0] ) } );
    };
    return { start => $start, wait => \&wait_for } if $settings->{concurrency} > 1;

    return sub {
        my ( $exchange, $sink ) = @_;
        my $response = $ua->start( transaction( $ua, $exchange, $sink ) )->result;
        return ( $response->code, $answer_of->( $response, $sink ) );
    };
}

sub wait_for {
    my ($begin) = @_;
    Mojo::IOLoop->next_tick(
        sub {
            $begin->( sub { Mojo::IOLoop->stop } );
        }
    );
    Mojo::IOLoop->start;
    return;
}

sub user_agent {
    my ($settings) = @_;
    my %timeout    = %{ $settings->{timeout_ms} };
    my $ua         = Mojo::UserAgent->new(
        max_redirects => $settings->{redirects},
        max_connections => $settings->{reuse} // 1 ? $settings->{concurrency} : 0,
        defined $settings->{tls_ca} ? ( ca                 => $settings->{tls_ca} )          : (),
        defined $timeout{connect}   ? ( connect_timeout    => seconds( $timeout{connect} ) ) : (),
        defined $timeout{read}      ? ( inactivity_timeout => seconds( $timeout{read} ) )    : (),
        defined $timeout{total}     ? ( request_timeout    => seconds( $timeout{total} ) )   : (),
    );
    $ua->proxy->http( $settings->{proxy} )->https( $settings->{proxy} );
    $ua->transactor->compressed( $settings->{decompress} );
    $ua->cookie_jar->ignore( sub { 1 } ) if !$settings->{cookies};
    return $ua;
}

sub transaction {
    my ( $ua, $exchange, $sink ) = @_;
    my %headers = @{ $exchange->{headers} };
    my @content = content_for( $exchange->{body}, \%headers );
    my $tx      = $ua->build_tx( $exchange->{method} => $exchange->{url} => \%headers => @content );
    $tx->res->max_message_size(0)->content->unsubscribe('read')->on( read => sub { $sink->( $_[1] ) } )
        if $sink;
    return $tx;
}

sub content_of {
    my ( $response, $sink ) = @_;
    return $sink ? undef : $response->body;
}

sub document_of {
    my ($response) = @_;
    return ( $response->body, $response->json );
}

sub content_for {
    my ( $body, $headers ) = @_;
    return if !$body;
    my $kind = $body->{kind};
    return ( form => { @{ $body->{fields} } } ) if $kind eq 'form';
    return ( json => $body->{value} )           if $kind eq 'json';
    $headers->{'Content-Type'} = $body->{content_type} // 'multipart/form-data';
    return $body->{content} if $kind eq 'raw';
    return ( multipart => [ parts($body) ] );
}

# The generator for multipart content, because that for forms sorts the parts by name.
sub parts {
    my ($body) = @_;
    my @fields = @{ $body->{octets} };
    my @parts;
    while ( my ( $name, $value ) = splice @fields, 0, 2 ) {
        push @parts, { content => $value, 'Content-Disposition' => qq{form-data; name="$name"} };
    }
    for my $file ( @{ $body->{files} } ) {
        my $disposition = qq{form-data; name="$file->{name}"; filename="$file->{filename}"};
        push @parts,
            {
            file                  => $file->{path},
            'Content-Disposition' => $disposition,
            'Content-Type'        => $file->{content_type},
            };
    }
    return @parts;
}
