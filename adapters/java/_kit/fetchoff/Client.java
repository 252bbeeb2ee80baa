package fetchoff;

/** A client object, shared by all workers as the users of Java's clients share theirs. */
public sealed interface Client extends AutoCloseable permits BlockingClient, AsyncClient {
    /** Closes every connection. */
    @Override
    void close() throws Exception;
}
