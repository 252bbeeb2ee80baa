<?php

declare(strict_types=1);

// 80 lines, because the extension leaves it to its users which handle is whose.

require __DIR__ . '/../_kit/fetchoff.php';
require __DIR__ . '/options.php';

use Fetchoff\{ConcurrentClient, Exchange, Settings};

final class MultiHandle implements ConcurrentClient
{
    private CurlMultiHandle $multi;
    private CurlShareHandle $cookies;
    /** @var list<CurlHandle> */
    private array $idle = [];
    /** @var array<int, array{CurlHandle, Closure, bool}> by the handle's object id */
    private array $flying = [];

    public function __construct(private Settings $settings)
    {
        $this->multi = curl_multi_init();
        // libcurl's own rule, but counted from all handles: those in flight are few at a batch's end.
        curl_multi_setopt($this->multi, CURLMOPT_MAXCONNECTS, 4 * $settings->concurrency);
        $this->cookies = curl_share_init();
        curl_share_setopt($this->cookies, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
    }

    public function start(Exchange $exchange, ?Closure $take, Closure $done): void
    {
        $curl = array_pop($this->idle) ?? $this->handle();
        curl_setopt_array($curl, curl_request($exchange, $take));
        curl_each_time($curl, $exchange);
        curl_multi_add_handle($this->multi, $curl);
        $this->flying[spl_object_id($curl)] = [$curl, $done, $take === null];
    }

    public function tick(): void
    {
        curl_multi_exec($this->multi, $active);
        while (($message = curl_multi_info_read($this->multi)) !== false) {
            $this->land($message['handle'], $message['result']);
            $landed = true;
        }
        if (!isset($landed) && $active) {
            curl_multi_select($this->multi);
        }
    }

    private function land(CurlHandle $curl, int $result): void
    {
        [, $done, $whole] = $this->flying[spl_object_id($curl)];
        unset($this->flying[spl_object_id($curl)]);
        $outcome = $result === CURLE_OK
            ? [curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $whole ? curl_multi_getcontent($curl) : null]
            : new RuntimeException(curl_error($curl) ?: curl_strerror($result));
        curl_multi_remove_handle($this->multi, $curl);
        $this->idle[] = $curl;
        $done($outcome);
    }

    private function handle(): CurlHandle
    {
        $curl = curl_init();
        // PIPEWAIT: a request waits for the connection that it can share, instead of opening another.
        $shared = [CURLOPT_SHARE => $this->cookies, CURLOPT_PIPEWAIT => $this->settings->protocol !== 'http/1.1'];
        curl_setopt_array($curl, curl_options($this->settings) + $shared);
        return $curl;
    }
}

Fetchoff\serve(
    client: 'curl (multi)',
    version: phpversion('curl'),
    engine: 'libcurl ' . curl_version()['version'],
    features: [...curl_features(), 'concurrency'],
    connect: fn (Settings $settings): ConcurrentClient => new MultiHandle($settings),
);
