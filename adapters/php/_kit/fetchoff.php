<?php

// What an adapter in PHP needs beside its library: the protocol of docs/protocol.md.
//
//     Fetchoff\serve(
//         client: 'curl',
//         version: phpversion('curl'),
//         engine: 'libcurl 7.88.1',                  // may be left out
//         features: ['http/1.1', 'method.get', ...],
//         connect: fn (Settings $settings): Client => new Adapter($settings),
//     );
//
// `connect` makes a new client object for a workload: a Client, which does one exchange at a time, or a
// ConcurrentClient, which may declare `concurrency`.

declare(strict_types=1);

namespace Fetchoff;

foreach (['Client', 'Settings', 'Exchange', 'Body', 'Sink', 'Tally', 'Batch', 'Session', 'versions'] as $part) {
    require_once __DIR__ . "/src/$part.php";
}

/** @param list<string> $features  @param \Closure(Settings): (Client|ConcurrentClient) $connect */
function serve(string $client, string $version, array $features, \Closure $connect, string $engine = ''): void
{
    // Whatever a library prints goes to standard error; only answers go to the harness.
    ini_set('display_errors', 'stderr');
    ob_start(function (string $printed): string {
        fwrite(STDERR, $printed);
        return '';
    }, 1);
    $description = [
        'client' => $client, 'version' => $version, 'runtime' => 'PHP ' . PHP_VERSION, 'engine' => $engine,
    ];
    (new Session($description, $features, $connect))->serve(STDIN, STDOUT);
}
