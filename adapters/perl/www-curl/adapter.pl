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
    my $curl = handle($settings);
    my $last = '';
    return sub {
        my ( $exchange, $sink ) = @_;
        my $content = '';
        my $is_set  = $exchange eq $last && !$exchange->{body};
        my $form    = set_request( $curl, $exchange, \$content, $sink, $is_set );
        $last = $exchange;
        my $code    = $curl->perform;
        die $curl->strerror($code), ': ', $curl->errbuf, "\n" if $code;
        return ( $curl->getinfo(CURLINFO_HTTP_CODE), $content );
    };
}
