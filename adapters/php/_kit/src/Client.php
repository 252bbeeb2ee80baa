<?php

declare(strict_types=1);

namespace Fetchoff;

/** A library that does one exchange at a time. */
interface Client
{
    /** One exchange, or an exception. Content goes to $take piece by piece where there is one. */
    public function fetch(Exchange $exchange, ?\Closure $take): Answer;
}

/** A library that has several exchanges in flight. */
interface ConcurrentClient
{
    /** Begins one exchange; in the end $done is called with an Answer or with a Throwable. */
    public function start(Exchange $exchange, ?\Closure $take, \Closure $done): void;

    /** Waits until something has happened, and deals with it. */
    public function tick(): void;
}

/** What a library made of an exchange: `content` is null where it was taken piece by piece. */
final class Answer
{
    public function __construct(public readonly int $status, public readonly ?string $content = null)
    {
    }
}

/** This feature is not to be had together with the others that were asked for. */
final class Unsupported extends \Exception
{
}

/** A message that cannot be followed. */
final class BadRequest extends \Exception
{
}
