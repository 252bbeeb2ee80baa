package fetchoff;

/** A client whose calls block; with concurrency, every worker is a thread. */
public non-sealed interface BlockingClient extends Client {
    /** Does one exchange, hands its status and content to it, and returns what that returns. */
    long send(Exchange exchange) throws Exception;
}
