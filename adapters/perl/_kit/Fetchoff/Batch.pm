package Fetchoff::Batch;

# The measured loop: n iterations, each answer checked.

use strict;
use warnings;

use JSON::XS    ();
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

# What a spin costs before its first look at the clock and after its last: about a microsecond.
my $UNSEEN_S = unseen_s(1_000);

sub run {
    my ( $work, $request ) = @_;
    my $digest    = $request->{digest};
    my $exchanges = $work->{exchanges};
    my $receive   = $digest ? $work->{digest} : $work->{receive};
    my $busy_ns   = $request->{busy_ns};
    my ( $failed, $bytes, $spun, $parsing, $error, @sha256 ) = ( 0, 0, 0, 0 );

    my $start = clock_gettime(CLOCK_MONOTONIC);
    for ( 1 .. $request->{n} ) {
        for my $exchange (@$exchanges) {
            my ( $status, $length, $content, $sha256 ) = eval { $receive->($exchange) };
            my $fault = defined $status ? fault_in( $exchange, $status, $length ) : text_of($@);
            $fault //= json_fault( $exchange, $content, \$parsing ) if $work->{parse};
            if ( defined $fault ) {
                $failed++;
                $error //= "$exchange->{method} $exchange->{url}: $fault";
            }
            $bytes += $length // 0;
            push @sha256, $sha256 // '' if $digest;
            $spun += spun($busy_ns) if $busy_ns;
        }
    }
    my $wall = clock_gettime(CLOCK_MONOTONIC) - $start;

    my %tally = (
        failed  => $failed,
        bytes   => $bytes,
        spun    => $spun,
        parsing => $parsing,
        error   => $error,
        sha256  => \@sha256,
        wall    => $wall,
    );
    return report( $work, $request, \%tally );
}

# The answer to a `run`.
sub report {
    my ( $work, $request, $tally ) = @_;
    return {
        done    => $request->{n} * @{ $work->{exchanges} } - $tally->{failed},
        failed  => $tally->{failed},
        bytes   => $tally->{bytes},
        wall_ns => int( $tally->{wall} * 1e9 ),
        defined $tally->{error} ? ( error    => $tally->{error} )                : (),
        $request->{digest}      ? ( sha256   => $tally->{sha256} )               : (),
        $request->{busy_ns}     ? ( busy_ns  => int( $tally->{spun} * 1e9 ) )    : (),
        $work->{parse}          ? ( parse_ns => int( $tally->{parsing} * 1e9 ) ) : (),
    };
}

# Nothing, or what is wrong with an answer.
sub fault_in {
    my ( $exchange, $status, $length ) = @_;
    my $expect = $exchange->{expect};
    return "status $status instead of $expect->{status}"
        if defined $expect->{status} && $status != $expect->{status};
    return "$length bytes instead of $expect->{bytes}"
        if defined $expect->{bytes} && $length != $expect->{bytes};
    return;
}

# `$parsing`: a reference to the seconds that have gone into parsing.
sub json_fault {
    my ( $exchange, $content, $parsing ) = @_;
    my $start    = clock_gettime(CLOCK_MONOTONIC);
    my $document = eval { JSON::XS::decode_json($$content) };
    $$parsing += clock_gettime(CLOCK_MONOTONIC) - $start;
    return 'not JSON: ' . text_of($@) if $@;
    my $member = $exchange->{expect}{json} or return;
    my ( $name, $value ) = @$member;
    return if ref $document eq 'HASH' && ( $document->{$name} // '' ) eq $value;
    return "the JSON member '$name' is not '$value'";
}

# The text of an exception, without the places in the source.
sub text_of {
    my ($error) = @_;
    $error =~ s/\s+at \S+ line \d+(?:, <\w*> line \d+)?\.?//g;
    $error =~ s/\s+\z//;
    return $error;
}

# Spins, and returns the seconds that it took, what it does not see included.
sub spun {
    my ($busy_ns) = @_;
    return spin( $busy_ns / 1e9 ) + $UNSEEN_S;
}

sub spin {
    my ($seconds) = @_;
    my $start     = clock_gettime(CLOCK_MONOTONIC);
    my $now       = $start;
    $now = clock_gettime(CLOCK_MONOTONIC) while $now < $start + $seconds;
    return $now - $start;
}

sub unseen_s {
    my ($spins) = @_;
    my $seen    = 0;
    my $start   = clock_gettime(CLOCK_MONOTONIC);
    $seen += spin(0) for 1 .. $spins;
    return ( clock_gettime(CLOCK_MONOTONIC) - $start - $seen ) / $spins;
}

1;
