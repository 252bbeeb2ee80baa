<?php

declare(strict_types=1);

require_once 'GuzzleHttp/autoload.php';

use Fetchoff\{Body, Exchange, Settings};
use GuzzleHttp\Cookie\CookieJar;
use GuzzleHttp\Psr7\{FnStream, Utils};

const FEATURES = [
    'http/1.1', 'tls', 'proxy', 'method.get', 'method.head', 'method.post', 'method.put',
    'body.form', 'body.json', 'body.multipart', 'body.raw', 'headers', 'connection.fresh',
    'sink.buffer', 'sink.discard', 'cookies', 'decompression', 'redirects',
];

/** The options of a GuzzleHttp\Client. @return array<string, mixed> */
function client_options(Settings $settings): array
{
    return array_filter([
        'http_errors' => false,
        'version' => $settings->protocol === 'h2' ? '2.0' : '1.1',
        'allow_redirects' => $settings->redirects > 0 ? ['max' => $settings->redirects] : false,
        'cookies' => $settings->cookies ? new CookieJar() : false,
        'decode_content' => $settings->decompress ? 'gzip' : false,
        'verify' => $settings->tlsCa ?? true,
        'proxy' => $settings->proxy ?? '',
        'headers' => $settings->reuse ? null : ['Connection' => 'close'],
        'connect_timeout' => $settings->connectTimeout,
        'read_timeout' => $settings->readTimeout,
        'timeout' => $settings->totalTimeout,
    ], fn (mixed $value): bool => $value !== null);
}

/** The options of one request. @return array<string, mixed> */
function request_options(Exchange $exchange, ?Closure $take): array
{
    $options = body_options($exchange->body);
    $options['headers'] = [...$options['headers'] ?? [], ...array_column($exchange->headers, 1, 0)];
    if ($take !== null) {
        $options['sink'] = FnStream::decorate(Utils::streamFor(''), ['write' => $take]);
    }
    return $options;
}

/** @return array<string, mixed> */
function body_options(?Body $body): array
{
    return match ($body?->kind) {
        null => [],
        'form' => ['form_params' => $body->fields],
        'json' => ['json' => $body->value],
        'multipart' => ['multipart' => parts($body)],
        default => ['body' => $body->content(), 'headers' => ['Content-Type' => $body->contentType]],
    };
}

/** @return list<array<string, mixed>> */
function parts(Body $body): array
{
    $parts = [];
    foreach ($body->fields as $name => $value) {
        $parts[] = ['name' => $name, 'contents' => $value];
    }
    foreach ($body->files as $file) {
        $parts[] = [
            'name' => $file->name,
            'contents' => Utils::tryFopen($file->path, 'r'),
            'filename' => $file->filename,
            'headers' => ['Content-Type' => $file->content_type],
        ];
    }
    return $parts;
}
