package fetchoff;

import java.net.http.HttpClient;

/** The end of java.net.http's clients, for those who use them and those who build on them. */
public final class JdkHttpClients {
    private JdkHttpClients() {}

    /**
     * Closes a client and its connections.
     *
     * <p>Before Java 21 it has no close(): it lets its connections go some seconds after it was
     * collected as garbage, or as soon as its thread is interrupted. There is one in a process.
     */
    public static void close(HttpClient client) throws Exception {
        if (client instanceof AutoCloseable closeable) {
            closeable.close();
            return;
        }
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().matches("HttpClient-\\d+-SelectorManager")) thread.interrupt();
        }
    }
}
