package Fetchoff::Flight;

# The measured loop of an event-driven client: as many iterations at once as there are lanes, each answer checked.

use strict;
use warnings;

use Fetchoff::Batch ();
use Time::HiRes     qw(clock_gettime CLOCK_MONOTONIC);

sub run {
    my ( $work, $request ) = @_;
    my $tally = Fetchoff::Batch::tally();
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
                Fetchoff::Batch::count( $work, $request, $tally, $exchange, @_ );
                $next->();
            }
        );
    };
    $next->();
    return;
}

1;
