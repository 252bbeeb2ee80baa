<?php

declare(strict_types=1);

require __DIR__ . '/../_kit/fetchoff.php';
require __DIR__ . '/requests.php';

use Fetchoff\{Client, Exchange, Settings};
use GuzzleHttp\Handler\StreamHandler;
use GuzzleHttp\HandlerStack;

final class GuzzleStreams implements Client
{
    private const READ_SIZE = 8192;

    private GuzzleHttp\Client $guzzle;
    private int $readSize;

    public function __construct(Settings $settings)
    {
        $handler = HandlerStack::create(new StreamHandler());
        // StreamHandler's `timeout` is that of PHP's http wrapper: for connecting, and for each read.
        $options = ['handler' => $handler, 'timeout' => $settings->oneTimeout() ?? 0] + client_options($settings);
        $options['stream_context'] = ['http' => ['request_fulluri' => $settings->proxy !== null]];
        $this->guzzle = new GuzzleHttp\Client($options);
        $this->readSize = $settings->readSize ?? self::READ_SIZE;
    }

    public function fetch(Exchange $exchange, ?Closure $take): array
    {
        $options = ['stream' => $take !== null] + request_options($exchange, null);
        $response = $this->guzzle->request($exchange->method, $exchange->url, $options);
        $body = $response->getBody();
        if ($take === null) {
            return [$response->getStatusCode(), (string) $body];
        }
        while (!$body->eof()) {
            $take($body->read($this->readSize));
        }
        return [$response->getStatusCode(), null];
    }
}

Fetchoff\serve(
    client: 'Guzzle (streams)',
    version: Fetchoff\installed_version('guzzlehttp/guzzle', 'php-guzzlehttp-guzzle'),
    engine: 'PHP streams',
    features: [...FEATURES, 'read-size', 'timeout.connect', 'timeout.read'],
    connect: fn (Settings $settings): Client => new GuzzleStreams($settings),
);
