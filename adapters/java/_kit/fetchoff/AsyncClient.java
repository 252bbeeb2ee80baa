package fetchoff;

import java.util.concurrent.CompletableFuture;

/** A client whose calls return at once; every worker goes on where its last exchange ended. */
public non-sealed interface AsyncClient extends Client {
    /** Begins one exchange; it is handed status and content, and what it returns is the result. */
    CompletableFuture<Long> send(Exchange exchange) throws Exception;
}
