<?php

declare(strict_types=1);

namespace Fetchoff;

/** What a request carries. */
final class Body
{
    public readonly string $kind;
    /** Null where it is the library's business: a multipart body has a boundary. */
    public readonly ?string $contentType;
    /** @var array<string, string> */
    public readonly array $fields;
    /** @var list<\stdClass> each with name, filename, content_type and path */
    public readonly array $files;
    /** Of a JSON body. */
    public readonly mixed $value;
    private readonly string $raw;

    public function __construct(\stdClass $message)
    {
        $this->kind = $message->kind;
        $this->contentType = match ($this->kind) {
            'form' => 'application/x-www-form-urlencoded',
            'json' => 'application/json',
            'multipart' => null,
            default => $message->content_type,
        };
        $this->fields = array_column($message->fields ?? [], 1, 0);
        $this->files = $message->files ?? [];
        $this->value = $message->value ?? null;
        $this->raw = $this->kind === 'raw' ? self::contentOf($message->path) : '';
    }

    /** The content of a body that is sent as one string, serialised anew at each call. */
    public function content(): string
    {
        return match ($this->kind) {
            'form' => http_build_query($this->fields),
            'json' => json_encode($this->value, JSON_THROW_ON_ERROR),
            default => $this->raw,
        };
    }

    private static function contentOf(string $path): string
    {
        $content = file_get_contents($path);
        return $content === false ? throw new BadRequest("$path cannot be read") : $content;
    }
}
