package fetchoff;

/** What becomes of the content of a response. */
public enum Sink {
    BUFFER,
    JSON,
    DISCARD,
    FILE;

    /** Whether the content is read piece by piece, and never held whole. */
    public boolean isStreamed() {
        return this == DISCARD || this == FILE;
    }
}
