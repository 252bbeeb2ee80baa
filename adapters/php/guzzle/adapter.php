<?php

declare(strict_types=1);

require __DIR__ . '/../_kit/fetchoff.php';
require __DIR__ . '/requests.php';

use Fetchoff\{Client, ConcurrentClient, Exchange, Settings};
use GuzzleHttp\Handler\CurlMultiHandler;
use GuzzleHttp\{HandlerStack, Promise};
use Psr\Http\Message\ResponseInterface;

final class GuzzleClient implements Client
{
    private GuzzleHttp\Client $guzzle;

    public function __construct(Settings $settings)
    {
        $this->guzzle = new GuzzleHttp\Client(client_options($settings));
    }

    public function fetch(Exchange $exchange, ?Closure $take): array
    {
        $response = $this->guzzle->request($exchange->method, $exchange->url, request_options($exchange, $take));
        return [$response->getStatusCode(), $take === null ? (string) $response->getBody() : null];
    }
}

final class GuzzlePromises implements ConcurrentClient
{
    private CurlMultiHandler $handler;
    private GuzzleHttp\Client $guzzle;

    public function __construct(Settings $settings)
    {
        // libcurl's own rule, but counted from all handles: those in flight are few at a batch's end.
        $kept = [CURLMOPT_MAXCONNECTS => 4 * $settings->concurrency];
        $this->handler = new CurlMultiHandler(['options' => $kept]);
        $handler = HandlerStack::create($this->handler);
        $this->guzzle = new GuzzleHttp\Client(['handler' => $handler] + client_options($settings));
    }

    public function start(Exchange $exchange, ?Closure $take, Closure $done): void
    {
        $answer = fn (ResponseInterface $response): array
            => [$response->getStatusCode(), $take === null ? (string) $response->getBody() : null];
        $this->guzzle
            ->requestAsync($exchange->method, $exchange->url, request_options($exchange, $take))
            ->then(fn (ResponseInterface $response) => $done($answer($response)), $done);
    }

    public function tick(): void
    {
        $this->handler->tick();
        Promise\Utils::queue()->run();
    }
}

Fetchoff\serve(
    client: 'Guzzle',
    version: Fetchoff\installed_version('guzzlehttp/guzzle', 'php-guzzlehttp-guzzle'),
    engine: 'libcurl ' . curl_version()['version'],
    features: [...FEATURES, 'h2', 'connection.reuse', 'concurrency', 'timeout.connect', 'timeout.total'],
    connect: fn (Settings $settings): Client|ConcurrentClient
        => $settings->concurrency > 1 ? new GuzzlePromises($settings) : new GuzzleClient($settings),
);
