package Fetchoff::Exchange;

# An exchange as adapters see it:
#
#     method   url   status   bytes   json        (the last three: what is expected of the answer)
#     headers  [name, value, name, value, ...]
#     is_bare  whether method and url are all there is to tell a library
#     body     undef, or a hash with its kind and
#         form       fields, octets: [name, value, ...] as characters and as UTF-8
#         json       value
#         multipart  fields, octets, files: [{name, filename, content_type, path}, ...]
#         raw        content_type, content
#
# All texts but `fields` and `value` are bytes, as libraries that write to sockets want them.

use strict;
use warnings;

use Encode   ();
use Exporter qw(import);
use JSON::XS qw(encode_json);

our @EXPORT_OK = qw(form_data joined typed_content urlencoded);

sub from_message {
    my ($message) = @_;
    ref $message eq 'HASH' && defined $message->{method} && defined $message->{url}
        or die "an exchange needs 'method' and 'url'\n";
    my $headers = $message->{headers} // [];
    return {
        method  => octets( $message->{method} ),
        url     => octets( $message->{url} ),
        headers => [ map { octets(@$_) } @$headers ],
        body    => $message->{body}  && body( $message->{body} ),
        is_bare => !$message->{body} && !@$headers,
        map { $_ => $message->{expect}{$_} } qw(status bytes json),
    };
}

sub body {
    my ($message) = @_;
    my %body = %$message;
    if ( $body{fields} ) {
        $body{fields} = [ map { @$_ } @{ $body{fields} } ];
        $body{octets} = [ octets( @{ $body{fields} } ) ];
    }
    for my $file ( @{ $body{files} // [] } ) {
        $_ = octets($_) for @$file{qw(name filename content_type path)};
    }
    if ( $body{kind} eq 'raw' ) {
        $body{content_type} = octets( $body{content_type} );
        $body{content}      = slurp( $body{path} );
    }
    return \%body;
}

# The Content-Type and the content of a body that is sent as one string. A form is encoded by the library, or
# by what its documentation points to: `$encode_form` takes the body.
sub typed_content {
    my ( $body, $encode_form ) = @_;
    my $kind = $body->{kind};
    return ( 'application/x-www-form-urlencoded', $encode_form->($body) )         if $kind eq 'form';
    return ( 'application/json',                  encode_json( $body->{value} ) ) if $kind eq 'json';
    return ( $body->{content_type},               $body->{content} );
}

# The fields of a form in one string; `$escape` is what the library or its documentation escapes with.
sub urlencoded {
    my ( $escape, @fields ) = @_;
    my @pairs;
    while ( my ( $name, $value ) = splice @fields, 0, 2 ) {
        push @pairs, $escape->($name) . '=' . $escape->($value);
    }
    return join '&', @pairs;
}

# A multipart body as HTTP::Request::Common takes it.
sub form_data {
    my ($body) = @_;
    my @files = map { $_->{name} => [ @$_{qw(path filename)}, Content_Type => $_->{content_type} ] }
        @{ $body->{files} };
    return [ @{ $body->{octets} }, @files ];
}

# A list of names and values as strings: joined('=', qw(a 1 b 2)) is ('a=1', 'b=2').
sub joined {
    my ( $glue, @list ) = @_;
    my @joined;
    while ( my ( $name, $value ) = splice @list, 0, 2 ) { push @joined, "$name$glue$value" }
    return @joined;
}

sub octets {
    my @texts = map { Encode::encode_utf8($_) } @_;
    return wantarray ? @texts : $texts[0];
}

sub slurp {
    my ($path) = @_;
    open my $file, '<:raw', $path or die "$path: $!\n";
    local $/ = undef;
    return scalar <$file>;
}

1;
