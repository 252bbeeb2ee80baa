<?php

declare(strict_types=1);

require __DIR__ . '/../_kit/fetchoff.php';

use Fetchoff\{Body, Client, Exchange, Settings};

final class HttpClient implements Client
{
    private http\Client $http;

    public function __construct(Settings $settings)
    {
        $this->http = new http\Client();
        $this->http->setOptions(self::options($settings));
    }

    public function fetch(Exchange $exchange, ?Closure $take): array
    {
        $request = new http\Client\Request($exchange->method, $exchange->url, $exchange->headersByName());
        $body = $exchange->body;
        match ($body?->kind) {
            null => null,
            // Null instead of an empty list, which crashes pecl_http 4.2.3.
            'multipart' => $request->getBody()->addForm($body->fields, self::parts($body) ?: null),
            default => $request->getBody()->append($body->content()),
        };
        $this->http->reset()->enqueue($request)->send();
        $response = $this->http->getResponse($request);
        $error = $response->getTransferInfo('error');
        $error === '' || throw new RuntimeException($error);
        return [$response->getResponseCode(), (string) $response->getBody()];
    }

    /** @return array<string, mixed> */
    private static function options(Settings $settings): array
    {
        return array_filter([
            'protocol' => http\Client\Curl\HTTP_VERSION_1_1,
            'cookiesession' => !$settings->cookies, // forgets what came in before
            'redirect' => $settings->redirects,
            'compress' => $settings->decompress,
            'connecttimeout' => $settings->connectTimeout,
            'timeout' => $settings->totalTimeout,
            'proxyhost' => $settings->proxy ?? '',
        ], fn (mixed $value): bool => $value !== null);
    }

    /** @return list<array<string, string>> */
    private static function parts(Body $body): array
    {
        $part = fn (stdClass $file): array
            => ['name' => $file->name, 'type' => $file->content_type, 'file' => $file->path];
        return array_map($part, $body->files);
    }
}

Fetchoff\serve(
    client: 'pecl_http',
    version: phpversion('http'),
    engine: 'libcurl ' . http\Client\Curl\Versions\CURL,
    // No `tls`: pecl_http 4.2.3 sets all its `ssl` options or none, and libcurl knows some of them no longer.
    features: [
        'http/1.1', 'proxy', 'method.get', 'method.head', 'method.post', 'method.put',
        'body.form', 'body.json', 'body.multipart', 'body.raw', 'headers', 'connection.reuse',
        'sink.buffer', 'cookies', 'decompression', 'redirects', 'timeout.connect', 'timeout.total',
    ],
    connect: fn (Settings $settings): Client => new HttpClient($settings),
);
