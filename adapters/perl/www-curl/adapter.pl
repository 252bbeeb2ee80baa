#!/usr/bin/env perl
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../_kit", $FindBin::Bin;

use Fetchoff::Kit;
use Transfer;
use WWW::Curl::Easy;

serve(
    client   => 'WWW::Curl',
    version  => WWW::Curl->VERSION,
    engine   => libcurl(),
    prepare  => \&prepare,
    features => [ Transfer::features() ],
);

sub prepare {
    my ($settings) = @_;
    my $curl       = handle($settings);
    my $last       = 0;
    my $content;    # the memory of one answer serves the next
    return sub {
        my ( $exchange, $sink ) = @_;
        my $form;
        $content = '';
        if ( $exchange == $last ) {    # what the handle was told stays with it
            $curl->setopt( CURLOPT_URL,           $exchange->{url} );
            $curl->setopt( CURLOPT_WRITEDATA,     \$content );
            $curl->setopt( CURLOPT_WRITEFUNCTION, $sink ) if $sink;    # a run with digests has another
            set_post_fields( $curl, $exchange->{body} ) if $exchange->{body};
        }
        else {
            $form = set_request( $curl, $exchange, \$content, $sink );
            $last = $form ? 0 : $exchange;
        }
        my $code = $curl->perform;
        die $curl->strerror($code), ': ', $curl->errbuf, "\n" if $code;
        return ( $curl->getinfo(CURLINFO_HTTP_CODE), \$content );
    };
}
