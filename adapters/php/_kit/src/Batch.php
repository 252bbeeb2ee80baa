<?php

declare(strict_types=1);

namespace Fetchoff;

/** The measured loops. */
final class Batch
{
    private int $left;
    /** @var array<int, array{int, ?string}|\Throwable> what landed since it was asked last, by lane */
    private array $landed = [];

    /** @param list<Exchange> $exchanges  @param non-empty-list<Sink> $sinks one for each lane */
    public function __construct(
        private readonly array $exchanges,
        private readonly array $sinks,
        private readonly Tally $tally,
        private readonly bool $digest,
        private readonly bool $busy,
        int $iterations,
    ) {
        $this->left = $iterations;
    }

    /**
     * One exchange after another, content whole in memory. These are the most measured lines of all: nothing here that a
     * user's own loop would not have.
     */
    public function whole(Client $client): void
    {
        $done = 0;
        $bytes = 0;
        $busy = $this->busy;
        for ($left = $this->left; $left > 0; $left--) {
            foreach ($this->exchanges as $exchange) {
                try {
                    [$status, $content] = $client->fetch($exchange, null);
                    $length = \strlen($content ?? '');
                    if ($status === $exchange->status && $length === $exchange->length) {
                        $done++;
                        $bytes += $length;
                        if ($busy) {
                            $this->tally->spin();
                        }
                        continue;
                    }
                    $outcome = [$status, $content];
                } catch (\Throwable $error) {
                    $outcome = $error;
                }
                $this->sinks[0]->begin(false);
                $this->tally->count($exchange, $this->sinks[0], $outcome);
            }
        }
        $this->tally->succeed($done, $bytes);
    }

    /** One exchange after another, whatever the sink. */
    public function inTurn(Client $client): void
    {
        $sink = $this->sinks[0];
        while ($this->left-- > 0) {
            foreach ($this->exchanges as $exchange) {
                $sink->begin($this->digest);
                try {
                    $outcome = $client->fetch($exchange, $sink->take);
                } catch (\Throwable $error) {
                    $outcome = $error;
                }
                $this->tally->count($exchange, $sink, $outcome);
            }
        }
    }

    /** As many iterations in flight as there are lanes. */
    public function atOnce(ConcurrentClient $client): void
    {
        $flights = [];
        foreach ($this->sinks as $lane => $sink) {
            $flight = $this->flight($client, $sink, $lane);
            if ($flight->valid()) { // its first exchange has begun
                $flights[$lane] = $flight;
            }
        }
        while ($flights !== []) {
            $client->tick();
            while ($this->landed !== []) { // again, because an exchange may land as it begins
                [$landed, $this->landed] = [$this->landed, []];
                foreach ($landed as $lane => $outcome) {
                    $flights[$lane]->send($outcome);
                    if (!$flights[$lane]->valid()) {
                        unset($flights[$lane]);
                    }
                }
            }
        }
    }

    /** One iteration after another: waits at each yield for what its exchange came to. */
    private function flight(ConcurrentClient $client, Sink $sink, int $lane): \Generator
    {
        $land = function (array|\Throwable $outcome) use ($lane): void {
            $this->landed[$lane] = $outcome;
        };
        while ($this->left-- > 0) {
            foreach ($this->exchanges as $exchange) {
                $sink->begin($this->digest);
                $client->start($exchange, $sink->take, $land);
                $this->tally->count($exchange, $sink, yield);
            }
        }
    }
}
