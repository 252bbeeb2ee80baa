package Fetchoff::Kit;

# What an adapter in Perl needs beside its library: the protocol of docs/protocol.md.
#
#     serve(
#         client   => 'HTTP::Tiny',
#         version  => HTTP::Tiny->VERSION,
#         engine   => '',                     # may be left out
#         features => [qw(http/1.1 method.get ...)],
#         prepare  => sub {
#             my ($settings, $exchanges) = @_;
#             my $http = ...;                 # a new client object
#             return sub {
#                 my ($exchange, $sink) = @_;
#                 ...;
#                 return ($status, $content);
#             };
#         },
#     );
#
# `prepare` gives back the code that does one exchange: it returns status and content, or dies. With a `$sink`,
# it hands the content to that piece by piece instead; a sink returns the length of what it took.
#
# Perl copies what is returned out of a variable or a hash. So an adapter returns what a call gives it, what it deletes
# from a hash, or a reference to the content.
#
# Where the library parses JSON, `own_json => 1` says so (and adapter.toml does). With the sink `json`, the code gives
# back the document as well: status, content, document.
#
# An event-driven library, which may declare `concurrency`, gives back two pieces of code instead:
#
#     return {
#         start => sub { my ($exchange, $sink, $done) = @_; ... },    # in the end, $done->($status, $content)
#         wait  => sub { my ($begin) = @_; ... },                     # or $done->(undef, $reason)
#     };
#
# `wait` calls `$begin` with code that ends the waiting, and runs the event loop until that has been called.

use strict;
use warnings;

use Exporter qw(import);
use IO::Handle;
use JSON::XS qw(encode_json);

use Fetchoff::Batch    ();
use Fetchoff::Exchange qw(form_data joined typed_content urlencoded);
use Fetchoff::Flight   ();
use Fetchoff::Sink     ();

our @EXPORT = qw(serve unsupported one_timeout seconds form_data joined typed_content urlencoded);

use constant PROTOCOL => 1;

sub serve {
    my %adapter = @_;

    # Whatever a library prints goes to standard error; only answers go to the harness.
    open my $answers, '>&', \*STDOUT or die "standard output: $!";
    open STDOUT,      '>&', \*STDERR or die "standard error: $!";
    $answers->autoflush;

    # A peer that went away is a failed exchange, not the end of the adapter.
    local $SIG{PIPE} = 'IGNORE';

    my $state = { adapter => \%adapter, features => [ features( @{ $adapter{features} } ) ] };
    while ( defined( my $line = <STDIN> ) ) {
        my $answer = eval { answer( $state, $line ) } || { error => Fetchoff::Batch::text_of($@) };
        print {$answers} encode_json($answer), "\n";
        last if $answer->{finished};
    }
    return;
}

# The adapter's features and those that the kit adds.
sub features {
    my @declared = @_;
    my %has      = map { $_ => 1 } @declared;
    return (
        @declared, 'inject.busy',
        $has{'sink.buffer'}  ? 'sink.json' : (),
        $has{'sink.discard'} ? 'sink.file' : (),
    );
}

my %ANSWER = ( hello => \&hello, prepare => \&prepare, run => \&run, finish => \&finish );

sub answer {
    my ( $state, $line ) = @_;
    my $request = eval { JSON::XS::decode_json($line) };
    ref $request eq 'HASH' or die "not a JSON object on one line\n";
    my $op     = $request->{op};
    my $method = $ANSWER{ $op // '' } or die defined $op ? "unknown op '$op'\n" : "no 'op'\n";
    return $method->( $state, $request );
}

sub hello {
    my ( $state, $request ) = @_;
    my $adapter = $state->{adapter};
    ( $request->{protocol} // 0 ) == PROTOCOL or die 'this adapter speaks protocol ' . PROTOCOL . "\n";
    return {
        protocol => $request->{protocol},
        client   => $adapter->{client},
        version  => "$adapter->{version}",
        runtime  => sprintf( 'Perl v%vd', $^V ),
        engine   => $adapter->{engine} // '',
        features => $state->{features},
    };
}

sub prepare {
    my ( $state, $request ) = @_;
    delete @$state{qw(exchanges run fetch receive digest is_only_counted lanes wait)};
    my %has = map { $_ => 1 } @{ $state->{features} };
    for my $feature ( @{ $request->{require} // [] } ) {
        return { unsupported => $feature } if !$has{$feature};
    }
    my $settings  = $request->{settings};
    my $exchanges = $request->{exchanges};
    ref $settings eq 'HASH'                  or die "prepare needs 'settings'\n";
    ref $exchanges eq 'ARRAY' && @$exchanges or die "prepare needs 'exchanges'\n";
    $_ = Fetchoff::Exchange::from_message($_) for @$exchanges;
    for my $switch ( @$settings{qw(reuse cookies decompress)}, values %{ $settings->{options} } ) {
        $switch = $switch ? 1 : 0 if JSON::XS::is_bool($switch);
    }

    my $client = eval { $state->{adapter}{prepare}->( $settings, $exchanges ) };
    return { unsupported => $@->{unsupported} } if ref $@ eq 'HASH';
    $client or die $@;
    $state->{exchanges} = $exchanges;
    $state->{own_json}  = $settings->{sink} eq 'json' && $state->{adapter}{own_json};
    $state->{parse}     = $settings->{sink} eq 'json' && !$state->{own_json};
    ref $client eq 'HASH' ? take_off( $state, $settings, $client ) : line_up( $state, $settings, $client );
    return { ready => JSON::XS::true };
}

# For a library that does one exchange at a time.
sub line_up {
    my ( $state, $settings, $fetch ) = @_;
    $state->{fetch}   = $fetch;
    $state->{receive} = Fetchoff::Sink::receiver( $settings, $fetch );
    $state->{digest}  = Fetchoff::Sink::digester( $settings, $fetch );
    $state->{run}     = \&Fetchoff::Batch::run;

    my @open = grep { !defined $_->{status} || !defined $_->{bytes} } @{ $state->{exchanges} };
    $state->{is_only_counted} = $settings->{sink} eq 'buffer' && !@open;
    return;
}

# For an event-driven library.
sub take_off {
    my ( $state, $settings, $client ) = @_;
    my @lanes = 1 .. $settings->{concurrency} // 1;
    $state->{lanes} = [ map { Fetchoff::Sink::starter( $settings, $client->{start}, $_ ) } @lanes ];
    $state->{wait}  = $client->{wait};
    $state->{run}   = \&Fetchoff::Flight::run;
    return;
}

sub run {
    my ( $state, $request ) = @_;
    $state->{run}                                or die "run before prepare\n";
    ( $request->{n} // '' ) =~ /\A[1-9][0-9]*\z/ or die "'n' must be a whole number from 1\n";
    return $state->{run}->( $state, $request );
}

sub finish { return { finished => JSON::XS::true } }

# For an adapter's `prepare`: this feature is not to be had together with the others that were asked for.
sub unsupported { die { unsupported => $_[0] } }

# Milliseconds as the seconds that Perl's libraries take; undef stays undef.
sub seconds { return defined $_[0] ? $_[0] / 1000 : undef }

# The one number, in seconds, of a library that bounds connecting and reading by the same timeout.
sub one_timeout {
    my ($settings) = @_;
    my ( $connect, $read ) = @{ $settings->{timeout_ms} }{qw(connect read)};
    unsupported('timeout.connect') if defined $connect && defined $read && $connect != $read;
    return seconds( $connect // $read );
}

1;
