<?php

declare(strict_types=1);

namespace Fetchoff;

/** A library that does one exchange at a time. */
interface Client
{
    /**
     * One exchange, or an exception. Content goes to $take piece by piece where there is one.
     *
     * @return array{int, ?string} the status; the content, or null where it was taken piece by piece. (An object for
     *     both would be 1 % of what libcurl does for a small response.)
     */
    public function fetch(Exchange $exchange, ?\Closure $take): array;
}

/** A library that has several exchanges in flight. */
interface ConcurrentClient
{
    /** Begins one exchange; in the end $done is called with status and content, as above, or a Throwable. */
    public function start(Exchange $exchange, ?\Closure $take, \Closure $done): void;

    /** Waits until something has happened, and deals with it. */
    public function tick(): void;
}

/** This feature is not to be had together with the others that were asked for. */
final class Unsupported extends \Exception
{
}

/** A message that cannot be followed. */
final class BadRequest extends \Exception
{
}
