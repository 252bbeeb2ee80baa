package Fetchoff::Sink;

# Where content goes. A sink is three pieces of code: `begin` before an exchange; `take` for each piece of content,
# or undef where content is wanted whole; `end` for what is left to take, which returns the length of the content and,
# where it is kept, a reference to it. With `$sha`, the content is added to that Digest::SHA.
#
# Content stays in @_ where it can: to take it out copies it.

use strict;
use warnings;

use Digest::SHA ();
use File::Spec  ();
use JSON::XS    ();

my %SINK = ( buffer => \&buffer, json => \&buffer, discard => \&discard, file => \&file );

# Code that does one exchange by `$fetch` and returns its status, the length of its content, where the content is kept a
# reference to it, no SHA-256, and the document if the client has parsed it.
sub receiver {
    my ( $settings, $fetch ) = @_;
    my ( $begin, $take, $end ) = sink( $settings, '' );
    return sub {
        my ($exchange) = @_;
        $begin->() if $begin;
        my ( $status, $rest, $document ) = $fetch->( $exchange, $take );
        my ( $length, $content ) = $end->($rest);
        return ( $status, $length, $content, undef, $document );
    };
}

# The same with the content's SHA-256 as well.
sub digester {
    my ( $settings, $fetch ) = @_;
    my $sha = Digest::SHA->new(256);
    my ( $begin, $take, $end ) = sink( $settings, '', $sha );
    return sub {
        my ($exchange) = @_;
        $sha->reset;
        $begin->() if $begin;
        my ( $status, $rest, $document ) = $fetch->( $exchange, $take );
        my ( $length, $content ) = $end->($rest);
        return ( $status, $length, $content, $sha->hexdigest, $document );
    };
}

# Code that starts one exchange by `$start`. When that has ended, `$done` is called with status, length, content, SHA-256
# and document, or with undef and the reason. Exchanges that are in flight together need a receiver, with a lane, each.
sub starter {
    my ( $settings, $start, $lane ) = @_;
    my $sha  = Digest::SHA->new(256);
    my %sink = map { $_ => [ sink( $settings, "-$lane", $_ ? $sha : () ) ] } 0, 1;
    return sub {
        my ( $exchange, $digest, $done ) = @_;
        my ( $begin,    $take,   $end )  = @{ $sink{ $digest ? 1 : 0 } };
        $sha->reset if $digest;
        $begin->()  if $begin;
        $start->(
            $exchange,
            $take,
            sub {
                my ($status) = @_;
                return $done->( undef, $_[1] ) if !defined $status;
                my ( $length, $content ) = $end->( $_[1] );
                return $done->( $status, $length, $content, $digest && $sha->hexdigest, $_[2] );
            }
        );
        return;
    };
}

sub sink {
    my ( $settings, $suffix, $sha ) = @_;
    my $name = $settings->{sink} // '';
    my $sink = $SINK{$name} or die "unknown sink '$name'\n";
    return $sink->( $sha, $settings->{directory}, $suffix );
}

# A reference to content, for which an adapter may return the content, such a reference, or undef.
sub reference_to { return !defined $_[0] ? \q{} : ref $_[0] ? $_[0] : \$_[0] }

sub buffer {
    my ($sha) = @_;
    my $end = sub {
        my $content = reference_to( $_[0] );
        $sha->add($$content) if $sha;
        return ( length $$content, $content );
    };
    return ( undef, undef, $end );
}

sub discard {
    my ($sha) = @_;
    my $received;
    my $count = sub { $received += length $_[0]; return length $_[0] };
    my $hash  = sub { $sha->add( $_[0] );        return $count->( $_[0] ) };
    my $take  = $sha ? $hash : $count;
    my $end   = sub { $take->( ${ reference_to( $_[0] ) } ); return $received };
    return ( sub { $received = 0 }, $take, $end );
}

sub file {
    my ( $sha, $directory, $suffix ) = @_;
    defined $directory or die "the sink 'file' needs a 'directory'\n";
    my $path = File::Spec->catfile( $directory, "download-$$" . $suffix );
    my ( $file, $received );
    my $begin = sub {
        $received = 0;
        open $file, '>:raw', $path or die "$path: $!\n";
    };
    my $take = sub {
        print {$file} $_[0] or die "$path: $!\n";
        $received += length $_[0];
        return length $_[0];
    };
    my $end = sub {
        $take->( ${ reference_to( $_[0] ) } );
        close $file or die "$path: $!\n";
        $sha->addfile( $path, 'b' ) if $sha;
        return $received;
    };
    return ( $begin, $take, $end );
}

1;
