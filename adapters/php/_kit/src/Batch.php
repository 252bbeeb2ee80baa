<?php

declare(strict_types=1);

namespace Fetchoff;

/** The measured loops. */
final class Batch
{
    private int $left;

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
        while ($this->left-- > 0) {
            foreach ($this->exchanges as $exchange) {
                try {
                    $outcome = $client->fetch($exchange, null);
                    $length = strlen($outcome->content ?? '');
                    if ($outcome->status === $exchange->status && $length === $exchange->length) {
                        $done++;
                        $bytes += $length;
                        if ($this->busy) {
                            $this->tally->spin();
                        }
                        continue;
                    }
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
        $flights = array_map(fn (Sink $sink): \Generator => $this->flight($client, $sink), $this->sinks);
        foreach ($flights as $flight) {
            $flight->rewind();
        }
        while (array_filter($flights, fn (\Generator $flight): bool => $flight->valid()) !== []) {
            $client->tick();
            foreach ($flights as $flight) {
                while ($flight->valid() && $flight->current()->landed) {
                    $flight->next();
                }
            }
        }
    }

    /** One iteration after another: yields each Landing that it waits for. */
    private function flight(ConcurrentClient $client, Sink $sink): \Generator
    {
        while ($this->left-- > 0) {
            foreach ($this->exchanges as $exchange) {
                $sink->begin($this->digest);
                $landing = new Landing();
                $client->start($exchange, $sink->take, $landing->land(...));
                yield $landing;
                $this->tally->count($exchange, $sink, $landing->outcome);
            }
        }
    }
}

/** How an exchange in flight ended. */
final class Landing
{
    public bool $landed = false;
    public Answer|\Throwable $outcome;

    public function land(Answer|\Throwable $outcome): void
    {
        $this->landed = true;
        $this->outcome = $outcome;
    }
}
