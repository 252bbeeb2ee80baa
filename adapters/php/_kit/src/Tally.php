<?php

declare(strict_types=1);

namespace Fetchoff;

/** What was done in a batch: every answer is checked here. */
final class Tally
{
    private int $done = 0;
    private int $failed = 0;
    private int $bytes = 0;
    private int $spunNs = 0;
    private int $parseNs = 0;
    private ?string $error = null;
    /** @var list<string> */
    private array $sha256 = [];

    public function __construct(
        private readonly bool $parse,
        private readonly bool $digest,
        private readonly int $busyNs,
    ) {
    }

    public function succeed(int $exchanges, int $bytes): void
    {
        $this->done += $exchanges;
        $this->bytes += $bytes;
    }

    /** @param array{int, ?string}|\Throwable $outcome status and content */
    public function count(Exchange $exchange, Sink $sink, array|\Throwable $outcome): void
    {
        $length = $sink->end(is_array($outcome) ? $outcome[1] : null);
        $fault = $this->faultIn($exchange, $outcome, $length);
        $fault === null ? $this->done++ : $this->failed++;
        if ($fault !== null) {
            $this->error ??= "$exchange: $fault";
        }
        $this->bytes += $length;
        if ($this->digest) {
            $this->sha256[] = is_array($outcome) ? $sink->digest() : '';
        }
        if ($this->busyNs > 0) {
            $this->spin();
        }
    }

    public function spin(): void
    {
        $start = hrtime(true);
        do {
            $now = hrtime(true);
        } while ($now < $start + $this->busyNs);
        $this->spunNs += $now - $start;
    }

    /** @return array<string, mixed> the answer to `run` */
    public function report(int $wallNs): array
    {
        $answer = [
            'done' => $this->done, 'failed' => $this->failed, 'bytes' => $this->bytes, 'wall_ns' => $wallNs,
        ];
        if ($this->error !== null) {
            $answer['error'] = $this->error;
        }
        if ($this->digest) {
            $answer['sha256'] = $this->sha256;
        }
        if ($this->busyNs > 0) {
            $answer['busy_ns'] = $this->spunNs;
        }
        if ($this->parse) {
            $answer['parse_ns'] = $this->parseNs;
        }
        return $answer;
    }

    /** @param array{int, ?string}|\Throwable $outcome */
    private function faultIn(Exchange $exchange, array|\Throwable $outcome, int $length): ?string
    {
        if ($outcome instanceof \Throwable) {
            return $outcome->getMessage() ?: $outcome::class;
        }
        [$status, $content] = $outcome;
        $fault = $exchange->faultIn($status, $length);
        return $this->parse ? $fault ?? $this->jsonFaultIn($exchange, $content ?? '') : $fault;
    }

    private function jsonFaultIn(Exchange $exchange, string $content): ?string
    {
        $start = hrtime(true);
        $document = json_decode($content, true);
        $this->parseNs += hrtime(true) - $start;
        if (json_last_error() !== JSON_ERROR_NONE) {
            return 'not JSON: ' . json_last_error_msg();
        }
        return $exchange->jsonFaultIn($document);
    }
}
