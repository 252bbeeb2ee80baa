<?php

declare(strict_types=1);

namespace Fetchoff;

/** Where the content of one exchange after another goes. */
abstract class Sink
{
    /** Takes pieces of content and says how long they are; null where content is wanted whole. */
    public readonly ?\Closure $take;
    protected int $length = 0;
    protected ?\HashContext $sha256 = null;

    public static function of(Settings $settings, int $lane): self
    {
        return match ($settings->sink) {
            'buffer', 'json' => new Buffer(),
            'discard' => new Discard(),
            'file' => new ToFile($settings->directory ?? '', $lane),
            default => throw new BadRequest("unknown sink '$settings->sink'"),
        };
    }

    protected function __construct(bool $streamed)
    {
        $this->take = $streamed ? $this->add(...) : null;
    }

    /** Before an exchange. */
    public function begin(bool $digest): void
    {
        $this->length = 0;
        $this->sha256 = $digest ? hash_init('sha256') : null;
    }

    /** The length of the content, of which $rest is what was not taken yet. */
    public function end(?string $rest): int
    {
        if ($rest !== null) {
            $this->add($rest);
        }
        return $this->length;
    }

    /** The SHA-256 of what came since `begin`. */
    public function digest(): string
    {
        return $this->sha256 === null ? '' : hash_final($this->sha256);
    }

    protected function add(string $piece): int
    {
        if ($this->sha256 !== null) {
            hash_update($this->sha256, $piece);
        }
        $this->length += strlen($piece);
        return strlen($piece);
    }
}

/** Content whole in memory. */
final class Buffer extends Sink
{
    public function __construct()
    {
        parent::__construct(streamed: false);
    }
}

/** Content read piece by piece, and dropped. */
final class Discard extends Sink
{
    public function __construct()
    {
        parent::__construct(streamed: true);
    }
}

/** Content read piece by piece into one file, which each exchange starts anew. */
final class ToFile extends Sink
{
    private string $path;
    /** @var resource */
    private $file;

    public function __construct(string $directory, int $lane)
    {
        parent::__construct(streamed: true);
        $this->path = "$directory/download-" . getmypid() . "-$lane";
    }

    public function begin(bool $digest): void
    {
        parent::begin($digest);
        $this->file = fopen($this->path, 'wb') ?: throw new \RuntimeException("$this->path cannot be written");
    }

    public function end(?string $rest): int
    {
        $length = parent::end($rest);
        fclose($this->file);
        return $length;
    }

    protected function add(string $piece): int
    {
        fwrite($this->file, $piece) === strlen($piece) || throw new \RuntimeException("$this->path is not written");
        return parent::add($piece);
    }
}
