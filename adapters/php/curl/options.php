<?php

declare(strict_types=1);

use Fetchoff\{Body, Exchange, Settings};

const HTTP_VERSIONS = [
    'http/1.1' => CURL_HTTP_VERSION_1_1,
    'h2' => CURL_HTTP_VERSION_2TLS,
    'h2c' => CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE,
];

/** @return list<string> the features of ext-curl with this libcurl */
function curl_features(): array
{
    $codings = [
        'coding.deflate' => CURL_VERSION_LIBZ, 'coding.br' => CURL_VERSION_BROTLI, 'coding.zstd' => CURL_VERSION_ZSTD,
    ];
    $built = array_filter($codings, fn (int $bit): bool => (curl_version()['features'] & $bit) !== 0);
    // libcurl 7.88 fails at the second request on a connection with prior knowledge.
    $h2c = str_starts_with(curl_version()['version'], '7.88.') ? [] : ['h2c'];
    return [
        'http/1.1', 'h2', ...$h2c, 'tls', 'proxy', 'method.get', 'method.head', 'method.post', 'method.put',
        'body.form', 'body.json', 'body.multipart', 'body.raw', 'headers', 'connection.reuse', 'connection.fresh',
        'sink.buffer', 'sink.discard', 'read-size', 'cookies', 'decompression', ...array_keys($built), 'redirects',
        'timeout.connect', 'timeout.total', 'option.tcp_nodelay', 'option.forbid_reuse',
    ];
}

/** What stays the same for all exchanges of a workload. @return array<int, mixed> */
function curl_options(Settings $settings): array
{
    $options = [
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_HTTP_VERSION => HTTP_VERSIONS[$settings->protocol],
        CURLOPT_FORBID_REUSE => !$settings->reuse || ($settings->options['forbid_reuse'] ?? false),
        CURLOPT_FOLLOWLOCATION => $settings->redirects > 0,
        CURLOPT_MAXREDIRS => $settings->redirects,
        CURLOPT_COOKIEFILE => $settings->cookies ? '' : null,
        CURLOPT_ENCODING => $settings->decompress ? '' : null, // '': all that it can decode
        CURLOPT_PROXY => $settings->proxy ?? '',
        CURLOPT_CAINFO => $settings->tlsCa,
        CURLOPT_BUFFERSIZE => $settings->readSize,
        CURLOPT_CONNECTTIMEOUT_MS => in_ms($settings->connectTimeout),
        CURLOPT_TIMEOUT_MS => in_ms($settings->totalTimeout),
        CURLOPT_TCP_NODELAY => $settings->options['tcp_nodelay'] ?? null,
    ];
    return array_filter($options, fn (mixed $value): bool => $value !== null);
}

/** What a handle is told when it goes on to another exchange than the last. @return array<int, mixed> */
function curl_request(Exchange $exchange, ?Closure $take): array
{
    $options = [
        CURLOPT_HTTPHEADER => curl_headers($exchange),
        CURLOPT_HTTPGET => true,
        CURLOPT_CUSTOMREQUEST => $exchange->method === 'PUT' ? 'PUT' : null,
    ];
    if ($exchange->method === 'HEAD') {
        $options[CURLOPT_NOBODY] = true;
    }
    if ($exchange->method === 'POST') {
        $options[CURLOPT_POSTFIELDS] = '';
    }
    if ($take !== null) {
        $options[CURLOPT_WRITEFUNCTION] = fn (CurlHandle $curl, string $piece): int => $take($piece);
    }
    return $options;
}

/** CURLOPT_POSTFIELDS says itself that a form is one. @return list<string> */
function curl_headers(Exchange $exchange): array
{
    $said = $exchange->body?->kind === 'form' ? ["Content-Type: {$exchange->body->contentType}"] : [];
    return array_values(array_diff($exchange->headerLines(), $said));
}

/** What it is told for each exchange. */
function curl_each_time(CurlHandle $curl, Exchange $exchange): void
{
    curl_setopt($curl, CURLOPT_URL, $exchange->url);
    if ($exchange->body !== null) {
        curl_setopt($curl, CURLOPT_POSTFIELDS, curl_content($exchange->body));
    }
}

/** @return string|array<string, string|CURLFile> an array goes as multipart/form-data */
function curl_content(Body $body): string|array
{
    if ($body->kind !== 'multipart') {
        return $body->content();
    }
    $files = [];
    foreach ($body->files as $file) {
        $files[$file->name] = new CURLFile($file->path, $file->content_type, $file->filename);
    }
    return [...$body->fields, ...$files];
}

function in_ms(?float $seconds): ?int
{
    return $seconds === null ? null : (int) round(1000 * $seconds);
}
