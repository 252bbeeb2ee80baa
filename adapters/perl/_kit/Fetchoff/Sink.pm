package Fetchoff::Sink;

# Where content goes. A receiver does one exchange and returns its status, the length of its content and, where
# the content is kept, a reference to it. A digester is a receiver that returns the content's SHA-256 as well.

use strict;
use warnings;

use Digest::SHA ();
use File::Spec  ();
use JSON::XS    ();

my %RECEIVER = (
    buffer  => sub { buffer( $_[0] ) },
    json    => sub { buffer( $_[0] ) },
    discard => sub { discard( $_[0] ) },
    file    => sub { file(@_) },
);

sub receiver {
    my ( $settings, $fetch ) = @_;
    my $sink = $settings->{sink} // '';
    my $make = $RECEIVER{$sink} or die "unknown sink '$sink'\n";
    return $make->( $fetch, path_in( $settings->{directory} ) );
}

sub digester {
    my ( $settings, $fetch ) = @_;
    my $sha = Digest::SHA->new(256);
    return discard( $fetch, $sha ) if $settings->{sink} eq 'discard';

    my $receive = receiver( $settings, $fetch );
    my $path    = path_in( $settings->{directory} );
    return sub {
        my ( $status, $length, $content ) = $receive->(@_);
        $content ? $sha->add($$content) : $sha->addfile( $path, 'b' );
        return ( $status, $length, $content, $sha->hexdigest );
    };
}

sub path_in {
    my ($directory) = @_;
    return defined $directory ? File::Spec->catfile( $directory, "download-$$" ) : undef;
}

sub buffer {
    my ($fetch) = @_;
    return sub {
        my ( $status, $content ) = $fetch->(@_);
        $content = '' if !defined $content;
        return ( $status, length $content, \$content );
    };
}

sub discard {
    my ( $fetch, $sha ) = @_;
    my $received;
    my $sink = sub { $received += length $_[0]; return length $_[0] };
    my $hash = sub { $sha->add( $_[0] ) && $sink->( $_[0] ) };
    my $take = $sha ? $hash : $sink;
    return sub {
        my ($exchange) = @_;
        $received = 0;
        $sha->reset if $sha;
        my ( $status, $rest ) = $fetch->( $exchange, $take );
        $take->($rest) if defined $rest;
        return ( $status, $received, undef, $sha && $sha->hexdigest );
    };
}

sub file {
    my ( $fetch, $path ) = @_;
    defined $path or die "the sink 'file' needs a 'directory'\n";
    my ( $file, $received );
    my $sink = sub {
        print {$file} $_[0] or die "$path: $!\n";
        $received += length $_[0];
        return length $_[0];
    };
    return sub {
        my ($exchange) = @_;
        $received = 0;
        open $file, '>:raw', $path or die "$path: $!\n";
        my ( $status, $rest ) = $fetch->( $exchange, $sink );
        $sink->($rest) if defined $rest;
        close $file or die "$path: $!\n";
        return ( $status, $received );
    };
}

1;
