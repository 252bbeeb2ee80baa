<?php

declare(strict_types=1);

namespace Fetchoff;

/** The settings of a `prepare`. Timeouts are in seconds, as PHP's libraries take them, or null. */
final class Settings
{
    public readonly string $protocol;
    /** Connections are kept where the library can, unless they must not be. */
    public readonly bool $reuse;
    public readonly int $concurrency;
    public readonly string $sink;
    public readonly ?int $readSize;
    public readonly ?string $directory;
    public readonly bool $cookies;
    public readonly bool $decompress;
    public readonly int $redirects;
    public readonly ?float $connectTimeout;
    public readonly ?float $readTimeout;
    public readonly ?float $totalTimeout;
    public readonly ?string $tlsCa;
    public readonly ?string $proxy;
    /** @var array<string, mixed> */
    public readonly array $options;

    public function __construct(\stdClass $message)
    {
        $this->protocol = $message->protocol ?? 'http/1.1';
        $this->reuse = $message->reuse ?? true;
        $this->concurrency = $message->concurrency ?? 1;
        $this->sink = $message->sink ?? 'buffer';
        $this->readSize = $message->read_size ?? null;
        $this->directory = $message->directory ?? null;
        $this->cookies = $message->cookies ?? false;
        $this->decompress = $message->decompress ?? false;
        $this->redirects = $message->redirects ?? 0;
        $this->connectTimeout = self::seconds($message->timeout_ms->connect ?? null);
        $this->readTimeout = self::seconds($message->timeout_ms->read ?? null);
        $this->totalTimeout = self::seconds($message->timeout_ms->total ?? null);
        $this->tlsCa = $message->tls_ca ?? null;
        $this->proxy = $message->proxy ?? null;
        $this->options = (array) ($message->options ?? []);
    }

    /** The one number of a library that bounds connecting and reading by the same timeout. */
    public function oneTimeout(): ?float
    {
        [$connect, $read] = [$this->connectTimeout, $this->readTimeout];
        if ($connect !== null && $read !== null && $connect !== $read) {
            throw new Unsupported('timeout.connect');
        }
        return $connect ?? $read;
    }

    private static function seconds(?int $milliseconds): ?float
    {
        return $milliseconds === null ? null : $milliseconds / 1000;
    }
}
