<?php

declare(strict_types=1);

require __DIR__ . '/../_kit/fetchoff.php';
require __DIR__ . '/options.php';

use Fetchoff\{Client, Exchange, Settings};

final class EasyHandle implements Client
{
    private CurlHandle $curl;
    private ?Exchange $current = null;

    public function __construct(Settings $settings)
    {
        $this->curl = curl_init();
        curl_setopt_array($this->curl, curl_options($settings));
    }

    public function fetch(Exchange $exchange, ?Closure $take): array
    {
        if ($exchange !== $this->current) {
            curl_setopt_array($this->curl, curl_request($exchange, $take));
            $this->current = $exchange;
        }
        curl_each_time($this->curl, $exchange);
        $content = curl_exec($this->curl);
        if ($content === false) {
            throw new RuntimeException(curl_error($this->curl));
        }
        $status = curl_getinfo($this->curl, CURLINFO_RESPONSE_CODE);
        return [$status, $take === null ? $content : null];
    }
}

Fetchoff\serve(
    client: 'curl',
    version: phpversion('curl'),
    engine: 'libcurl ' . curl_version()['version'],
    features: curl_features(),
    connect: fn (Settings $settings): Client => new EasyHandle($settings),
);
