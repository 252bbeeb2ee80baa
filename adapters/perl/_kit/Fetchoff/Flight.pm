package Fetchoff::Flight;

# The measured loop of an event-driven client: as many iterations at once as there are lanes, each answer checked.

use strict;
use warnings;

use Fetchoff::Batch ();
use Time::HiRes     qw(clock_gettime CLOCK_MONOTONIC);

sub run {
    my ( $work, $request ) = @_;
    my $tally = { failed => 0, bytes => 0, spun => 0, parsing => 0, sha256 => [] };
    my $left  = $request->{n};

    my $start = clock_gettime(CLOCK_MONOTONIC);
    $work->{wait}->(
        sub {
            my ($finished) = @_;
            my $flying     = my @lanes = @{ $work->{lanes} };
            my $landed     = sub { $finished->() if !--$flying };
            fly( $work, $request, $tally, $_, \$left, $landed ) for @lanes;
        }
    );
    $tally->{wall} = clock_gettime(CLOCK_MONOTONIC) - $start;
    return Fetchoff::Batch::report( $work, $request, $tally );
}

# One iteration after another in one lane, as long as there are any left.
sub fly {
    my ( $work, $request, $tally, $lane, $left, $landed ) = @_;
    my @coming;
    my $next;
    $next = sub {
        @coming = @{ $work->{exchanges} } if !@coming && $$left-- > 0;
        my $exchange = shift @coming or return $landed->( undef $next );
        $lane->(
            $exchange,
            $request->{digest},
            sub {
                count( $work, $request, $tally, $exchange, @_ );
                $next->();
            }
        );
    };
    $next->();
    return;
}

sub count {
    my ( $work, $request, $tally, $exchange, $status, $length, $content, $sha256 ) = @_;
    my $fault = defined $status ? undef : Fetchoff::Batch::text_of($length);
    if ( defined $status ) {
        $fault = Fetchoff::Batch::fault_in( $exchange, $status, $length );
        $fault //= Fetchoff::Batch::json_fault( $exchange, $content, \$tally->{parsing} ) if $work->{parse};
        $tally->{bytes} += $length;
    }
    if ( defined $fault ) {
        $tally->{failed}++;
        $tally->{error} //= "$exchange->{method} $exchange->{url}: $fault";
    }
    push @{ $tally->{sha256} }, $sha256 // '' if $request->{digest};
    $tally->{spun} += Fetchoff::Batch::spun( $request->{busy_ns} ) if $request->{busy_ns};
    return;
}

1;
