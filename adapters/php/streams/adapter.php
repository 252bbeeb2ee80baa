<?php

declare(strict_types=1);

// 80 lines, because all that the http wrapper does is told to it by a context.

require __DIR__ . '/../_kit/fetchoff.php';

use Fetchoff\{Client, Exchange, Settings};

final class HttpWrapper implements Client
{
    private const READ_SIZE = 8192;

    public function __construct(private Settings $settings)
    {
    }

    public function fetch(Exchange $exchange, ?Closure $take): array
    {
        $context = stream_context_create($this->options($exchange));
        if ($take === null) {
            $content = @file_get_contents($exchange->url, false, $context);
            $content !== false || throw new RuntimeException(error_get_last()['message'] ?? 'failed');
        } else {
            $stream = @fopen($exchange->url, 'rb', false, $context);
            $stream !== false || throw new RuntimeException(error_get_last()['message'] ?? 'failed');
            $this->drain($stream, $take);
        }
        return [self::status($http_response_header), $content ?? null];
    }

    /** @return array<string, array<string, mixed>> */
    private function options(Exchange $exchange): array
    {
        $settings = $this->settings;
        $http = [
            'method' => $exchange->method,
            'header' => [...$exchange->headerLines(), 'Connection: close'],
            'content' => $exchange->body?->content(),
            'protocol_version' => 1.1,
            'ignore_errors' => true,
            'follow_location' => $settings->redirects > 0 ? 1 : 0,
            'max_redirects' => $settings->redirects + 1, // counts the request itself
            'timeout' => $settings->oneTimeout(),
        ];
        if ($settings->proxy !== null) {
            $http['proxy'] = str_replace('http://', 'tcp://', $settings->proxy);
            $http['request_fulluri'] = true;
        }
        $given = fn (mixed $value): bool => $value !== null;
        return ['http' => array_filter($http, $given), 'ssl' => array_filter(['cafile' => $settings->tlsCa], $given)];
    }

    /** @param resource $stream */
    private function drain($stream, Closure $take): void
    {
        while (!feof($stream)) {
            $piece = fread($stream, $this->settings->readSize ?? self::READ_SIZE);
            $timedOut = stream_get_meta_data($stream)['timed_out'];
            $piece === false || $timedOut ? throw new RuntimeException('read failed') : $take($piece);
        }
        fclose($stream);
    }

    /** Of the last answer: those before it are redirects. @param list<string> $lines */
    private static function status(array $lines): int
    {
        $statusLines = preg_grep('{^HTTP/}', $lines);
        return (int) explode(' ', end($statusLines))[1];
    }
}

Fetchoff\serve(
    client: 'streams',
    version: PHP_VERSION,
    features: [
        'http/1.1', 'tls', 'proxy', 'method.get', 'method.head', 'method.post', 'method.put',
        'body.form', 'body.json', 'body.raw', 'headers', 'connection.fresh', 'sink.buffer', 'sink.discard', 'read-size',
        'redirects', 'timeout.connect', 'timeout.read',
    ],
    connect: fn (Settings $settings): Client => new HttpWrapper($settings),
);
