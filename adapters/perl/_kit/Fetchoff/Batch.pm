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
    my $tally = tally();
    my $loop  = $work->{is_only_counted} && !$request->{digest} ? \&only_count : \&receive;

    my $start = clock_gettime(CLOCK_MONOTONIC);
    $loop->( $work, $request, $tally );
    $tally->{wall} = clock_gettime(CLOCK_MONOTONIC) - $start;
    return report( $work, $request, $tally );
}

sub tally { return { failed => 0, bytes => 0, spun => 0, parsing => 0, sha256 => [] } }

# Content that is wanted whole, and of which nothing but its length is asked. A program that checks its answers takes as
# many steps: what the other loop does beside was 5 % of what Furl does (`make bench-instructions`).
sub only_count {
    my ( $work, $request, $tally ) = @_;
    my ( $fetch, $exchanges ) = @$work{qw(fetch exchanges)};
    my $busy_ns = $request->{busy_ns};
    my $bytes   = 0;
    for ( 1 .. $request->{n} ) {
        for my $exchange (@$exchanges) {
            my ( $status, $content ) = eval { $fetch->($exchange) };
            if (   defined $status
                && $status == $exchange->{status}
                && length( ref $content ? $$content : $content // '' ) == $exchange->{bytes} )
            {
                $bytes += $exchange->{bytes};
                $tally->{spun} += spun($busy_ns) if $busy_ns;
            }
            else {
                count( $work, $request, $tally, $exchange, $status,
                    defined $status ? length( ref $content ? $$content : $content // '' ) : $@ );
            }
        }
    }
    $tally->{bytes} += $bytes;
    return;
}

sub receive {
    my ( $work, $request, $tally ) = @_;
    my $receive = $request->{digest} ? $work->{digest} : $work->{receive};
    for ( 1 .. $request->{n} ) {
        for my $exchange ( @{ $work->{exchanges} } ) {
            my @answer = eval { $receive->($exchange) };
            count( $work, $request, $tally, $exchange, @answer ? @answer : ( undef, $@ ) );
        }
    }
    return;
}

# An answer: its status, the length of its content, where it is kept a reference to it, its SHA-256, and the document
# where the client parses. Or undef and the reason why there is none.
sub count {
    my ( $work, $request, $tally, $exchange, $status, $length, $content, $sha256, $document ) = @_;
    my $fault = defined $status ? undef : text_of($length);
    if ( defined $status ) {
        $fault = fault_in( $exchange, $status, $length );
        $fault //= json_fault( $exchange, $content, \$tally->{parsing} ) if $work->{parse};
        $fault //= member_fault( $exchange, $document )                  if $work->{own_json};
        $tally->{bytes} += $length;
    }
    if ( defined $fault ) {
        $tally->{failed}++;
        $tally->{error} //= "$exchange->{method} $exchange->{url}: $fault";
    }
    push @{ $tally->{sha256} }, $sha256 // '' if $request->{digest};
    $tally->{spun} += spun( $request->{busy_ns} ) if $request->{busy_ns};
    return;
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
    return "status $status instead of $exchange->{status}"
        if defined $exchange->{status} && $status != $exchange->{status};
    return "$length bytes instead of $exchange->{bytes}"
        if defined $exchange->{bytes} && $length != $exchange->{bytes};
    return;
}

# `$parsing`: a reference to the seconds that have gone into parsing.
sub json_fault {
    my ( $exchange, $content, $parsing ) = @_;
    my $start    = clock_gettime(CLOCK_MONOTONIC);
    my $document = eval { JSON::XS::decode_json($$content) };
    $$parsing += clock_gettime(CLOCK_MONOTONIC) - $start;
    return 'not JSON: ' . text_of($@) if $@;
    return member_fault( $exchange, $document );
}

sub member_fault {
    my ( $exchange, $document ) = @_;
    my $member = $exchange->{json} or return;
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
