<?php

declare(strict_types=1);

require_once 'Symfony/Component/HttpClient/autoload.php';
require_once 'Symfony/Component/Mime/autoload.php';

use Fetchoff\{Body, Exchange, Settings};
use Symfony\Component\Mime\Part\DataPart;
use Symfony\Component\Mime\Part\Multipart\FormDataPart;

/** The default options of a client. @return array<string, mixed> */
function client_options(Settings $settings): array
{
    return array_filter([
        'http_version' => $settings->protocol === 'h2' ? '2.0' : '1.1',
        'max_redirects' => $settings->redirects,
        'proxy' => $settings->proxy,
        'no_proxy' => $settings->proxy === null ? '*' : null, // not even the environment's
        'cafile' => $settings->tlsCa,
        'timeout' => $settings->oneTimeout(),
        'max_duration' => $settings->totalTimeout,
        'headers' => array_filter([
            'Accept-Encoding' => $settings->decompress ? null : 'identity',
            'Connection' => $settings->reuse ? null : 'close',
        ]),
    ], fn (mixed $value): bool => $value !== null);
}

/** The options of one request. @return array<string, mixed> */
function request_options(Exchange $exchange): array
{
    $options = body_options($exchange->body);
    $own = array_map(fn (array $header): string => "$header[0]: $header[1]", $exchange->headers);
    $options['headers'] = [...$own, ...$options['headers'] ?? []];
    return $options;
}

/** @return array<string, mixed> */
function body_options(?Body $body): array
{
    return match ($body?->kind) {
        null => [],
        'form' => ['body' => $body->fields],
        'json' => ['json' => $body->value],
        'multipart' => multipart($body),
        default => ['body' => $body->content(), 'headers' => ["Content-Type: $body->contentType"]],
    };
}

/** @return array<string, mixed> */
function multipart(Body $body): array
{
    $parts = $body->fields;
    foreach ($body->files as $file) {
        $parts[$file->name] = DataPart::fromPath($file->path, $file->filename, $file->content_type);
    }
    $form = new FormDataPart($parts);
    return ['headers' => $form->getPreparedHeaders()->toArray(), 'body' => $form->bodyToIterable()];
}
