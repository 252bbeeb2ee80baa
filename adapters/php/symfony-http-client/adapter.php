<?php

declare(strict_types=1);

// Two classes: one request after another, and several at once by stream().

require __DIR__ . '/../_kit/fetchoff.php';
require __DIR__ . '/requests.php';

use Fetchoff\{Client, ConcurrentClient, Exchange, Settings};
use Symfony\Component\HttpClient\HttpClient;
use Symfony\Contracts\HttpClient\{ChunkInterface, HttpClientInterface, ResponseInterface};

final class SymfonyClient implements Client
{
    private HttpClientInterface $http;

    public function __construct(Settings $settings)
    {
        $this->http = HttpClient::create(client_options($settings));
    }

    public function fetch(Exchange $exchange, ?Closure $take): array
    {
        $options = ['buffer' => $take === null] + request_options($exchange);
        $response = $this->http->request($exchange->method, $exchange->url, $options);
        if ($take === null) {
            return [$response->getStatusCode(), $response->getContent(throw: false)];
        }
        foreach ($this->http->stream($response) as $chunk) {
            if ($chunk->isFirst()) {
                $response->getStatusCode(); // unless it's asked for, a status from 300 on is an exception
            }
            $take($chunk->getContent());
        }
        return [$response->getStatusCode(), null];
    }
}

final class SymfonyStreams implements ConcurrentClient
{
    private const AT_ONCE = 1e-6; // at 0, all idle responses time out before the next has been looked at

    private HttpClientInterface $http;
    /** @var SplObjectStorage<ResponseInterface, array{?Closure, Closure}> */
    private SplObjectStorage $flying;

    public function __construct(Settings $settings)
    {
        $this->http = HttpClient::create(client_options($settings), maxHostConnections: $settings->concurrency);
        $this->flying = new SplObjectStorage();
    }

    public function start(Exchange $exchange, ?Closure $take, Closure $done): void
    {
        $options = ['buffer' => $take === null] + request_options($exchange);
        $this->flying[$this->http->request($exchange->method, $exchange->url, $options)] = [$take, $done];
    }

    public function tick(): void
    {
        $this->pass(null);
        // Then what has come as well: a pass starts with all responses, so it should not be for a single one.
        $this->pass(self::AT_ONCE);
    }

    /** Without a timeout, ends after the first response; with one, when nothing comes in that time. */
    private function pass(?float $timeout): void
    {
        $turns = count($this->flying); // not more: large responses that keep coming would hold up the next requests
        $last = null;
        foreach ($this->http->stream($this->flying, $timeout) as $response => $chunk) {
            if ($response !== $last) {
                $last = $response;
                $turns--;
            }
            [$take, $done] = $this->flying[$response];
            try {
                if ($timeout !== null && $chunk->isTimeout()) {
                    return;
                }
                $outcome = $this->outcome($response, $chunk, $take);
            } catch (Throwable $error) {
                $response->cancel();
                $outcome = $error;
            }
            if ($outcome !== null) {
                $this->flying->detach($response);
                $done($outcome);
            }
            if ($timeout === null ? $outcome !== null : $turns < 0) {
                return;
            }
        }
    }

    private function outcome(ResponseInterface $response, ChunkInterface $chunk, ?Closure $take): ?array
    {
        if ($chunk->isFirst()) { // an exception where the response has failed
            $response->getStatusCode(); // unless it's asked for, a status from 300 on is an exception
        }
        $piece = $chunk->getContent();
        if ($take !== null) {
            $take($piece);
        }
        if (!$chunk->isLast()) {
            return null;
        }
        return [$response->getStatusCode(), $take === null ? $response->getContent(throw: false) : null];
    }
}

Fetchoff\serve(
    client: 'Symfony HttpClient',
    version: Fetchoff\installed_version('symfony/http-client', 'php-symfony-http-client'),
    engine: 'libcurl ' . curl_version()['version'],
    features: [
        'http/1.1', 'h2', 'tls', 'proxy', 'method.get', 'method.head', 'method.post', 'method.put',
        'body.form', 'body.json', 'body.multipart', 'body.raw', 'headers', 'connection.reuse', 'connection.fresh',
        'concurrency', 'sink.buffer', 'sink.discard', 'decompression', 'redirects',
        'timeout.connect', 'timeout.read', 'timeout.total',
    ],
    connect: fn (Settings $settings): Client|ConcurrentClient
        => $settings->concurrency > 1 ? new SymfonyStreams($settings) : new SymfonyClient($settings),
);
