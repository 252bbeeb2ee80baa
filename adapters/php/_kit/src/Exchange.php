<?php

declare(strict_types=1);

namespace Fetchoff;

/** One request and what its response must be. `headers` are pairs of name and value. */
final class Exchange
{
    public readonly string $method;
    public readonly string $url;
    /** @var list<array{string, string}> */
    public readonly array $headers;
    public readonly ?Body $body;
    public readonly ?int $status;
    public readonly ?int $length;
    /** @var list<string> */
    private readonly array $headerLines;
    /** @var array<string, string> */
    private readonly array $headersByName;
    /** @var ?array{string, string} */
    private readonly ?array $member;

    public function __construct(mixed $message)
    {
        if (!is_string($message->method ?? null) || !is_string($message->url ?? null)) {
            throw new BadRequest("an exchange needs 'method' and 'url'");
        }
        $this->method = $message->method;
        $this->url = $message->url;
        $this->headers = $message->headers ?? [];
        $this->body = isset($message->body) ? new Body($message->body) : null;
        $this->status = $message->expect->status ?? null;
        $this->length = $message->expect->bytes ?? null;
        $this->member = $message->expect->json ?? null;
        $type = $this->body?->contentType;
        $headers = $type === null ? $this->headers : [...$this->headers, ['Content-Type', $type]];
        $this->headerLines = array_map(fn (array $header): string => "$header[0]: $header[1]", $headers);
        $this->headersByName = array_column($headers, 1, 0);
    }

    /** @return list<string> "Name: value", with the Content-Type where the body has one of its own */
    public function headerLines(): array
    {
        return $this->headerLines;
    }

    /** @return array<string, string> the same by name */
    public function headersByName(): array
    {
        return $this->headersByName;
    }

    /** What is wrong with an answer, or null. */
    public function faultIn(int $status, int $length): ?string
    {
        if ($this->status !== null && $status !== $this->status) {
            return "status $status instead of $this->status";
        }
        if ($this->length !== null && $length !== $this->length) {
            return "$length bytes instead of $this->length";
        }
        return null;
    }

    public function jsonFaultIn(mixed $document): ?string
    {
        if ($this->member === null) {
            return null;
        }
        [$name, $value] = $this->member;
        $is = is_array($document) && ($document[$name] ?? null) === $value;
        return $is ? null : "the JSON member '$name' is not '$value'";
    }

    public function __toString(): string
    {
        return "$this->method $this->url";
    }
}
