<?php

declare(strict_types=1);

namespace Fetchoff;

/** The conversation with the harness: one answer to each line, until `finish` or the end of the input. */
final class Session
{
    private const PROTOCOL = 1;

    /** @var list<string> */
    private readonly array $features;
    private Client|ConcurrentClient|null $client = null;
    /** @var list<Exchange> */
    private array $exchanges = [];
    /** @var list<Sink> */
    private array $sinks = [];
    private bool $parse = false;
    private bool $whole = false;

    /** @param array<string, string> $description  @param list<string> $declared */
    public function __construct(
        private readonly array $description,
        array $declared,
        private readonly \Closure $connect,
    ) {
        $added = array_filter([
            'inject.busy',
            in_array('sink.buffer', $declared, true) ? 'sink.json' : null,
            in_array('sink.discard', $declared, true) ? 'sink.file' : null,
        ]);
        $this->features = [...$declared, ...$added];
    }

    /** @param resource $input  @param resource $output */
    public function serve($input, $output): void
    {
        while (($line = fgets($input)) !== false) {
            $answer = $this->answer($line);
            fwrite($output, json_encode($answer, JSON_INVALID_UTF8_SUBSTITUTE) . "\n");
            if ($answer['finished'] ?? false) {
                return;
            }
        }
    }

    /** @return array<string, mixed> */
    private function answer(string $line): array
    {
        try {
            $request = json_decode($line);
            $request instanceof \stdClass || throw new BadRequest('not a JSON object on one line');
            $op = $request->op ?? null;
            return match ($op) {
                'hello' => $this->hello($request),
                'prepare' => $this->prepare($request),
                'run' => $this->run($request),
                'finish' => ['finished' => true],
                default => throw new BadRequest('unknown op ' . json_encode($op)),
            };
        } catch (\Throwable $error) {
            return ['error' => $error->getMessage() ?: $error::class];
        }
    }

    /** @return array<string, mixed> */
    private function hello(\stdClass $request): array
    {
        if (($request->protocol ?? null) !== self::PROTOCOL) {
            throw new BadRequest('this adapter speaks protocol ' . self::PROTOCOL);
        }
        return ['protocol' => self::PROTOCOL, ...$this->description, 'features' => $this->features];
    }

    /** @return array<string, mixed> */
    private function prepare(\stdClass $request): array
    {
        $this->drop();
        $missing = array_diff($request->require ?? [], $this->features);
        if ($missing !== []) {
            return ['unsupported' => reset($missing)];
        }
        ($request->settings ?? null) instanceof \stdClass || throw new BadRequest("prepare needs 'settings'");
        ($request->exchanges ?? []) !== [] || throw new BadRequest("prepare needs 'exchanges'");
        $settings = new Settings($request->settings);
        $this->exchanges = array_map(fn (mixed $message): Exchange => new Exchange($message), $request->exchanges);
        $this->sinks = array_map(fn (int $n): Sink => Sink::of($settings, $n), range(1, $settings->concurrency));
        $this->parse = $settings->sink === 'json';
        $this->whole = $settings->sink === 'buffer';
        try {
            $this->client = ($this->connect)($settings, $this->exchanges);
        } catch (Unsupported $feature) {
            return ['unsupported' => $feature->getMessage()];
        }
        return ['ready' => true];
    }

    /** Connections close when the last reference to their client goes. */
    private function drop(): void
    {
        $this->client = null;
        gc_collect_cycles();
    }

    /** @return array<string, mixed> */
    private function run(\stdClass $request): array
    {
        $this->client !== null || throw new BadRequest('run before prepare');
        $n = $request->n ?? null;
        is_int($n) && $n > 0 || throw new BadRequest("'n' must be a whole number from 1");
        $digest = $request->digest ?? false;
        $busyNs = $request->busy_ns ?? 0;
        $tally = new Tally($this->parse, $digest, $busyNs);
        $batch = new Batch($this->exchanges, $this->sinks, $tally, $digest, $busyNs > 0, $n);
        $loop = match (true) {
            $this->client instanceof ConcurrentClient => $batch->atOnce(...),
            $this->whole && !$digest => $batch->whole(...),
            default => $batch->inTurn(...),
        };

        $start = hrtime(true);
        $loop($this->client);
        return $tally->report(hrtime(true) - $start);
    }
}
