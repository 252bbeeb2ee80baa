package fetchoff;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** What a batch, or one worker's part of it, came to. */
final class Tally {
    long done;
    long failed;
    long bytes;
    long spunNs;
    String error;

    void succeed(long length) {
        done++;
        bytes += length;
    }

    void fail(Throwable cause) {
        failed++;
        if (error == null) error = describe(cause);
    }

    /** Burns time after an exchange: known work that must come back as measured. */
    void spin(long ns) {
        long start = System.nanoTime();
        long spun = 0;
        while (spun < ns) spun = System.nanoTime() - start;
        spunNs += spun;
    }

    Tally plus(Tally other) {
        Tally sum = new Tally();
        sum.done = done + other.done;
        sum.failed = failed + other.failed;
        sum.bytes = bytes + other.bytes;
        sum.spunNs = spunNs + other.spunNs;
        sum.error = error == null ? other.error : error;
        return sum;
    }

    /** An error with the one that it hides, if that says something else. */
    static String describe(Throwable error) {
        Throwable cause = error.getCause();
        if (cause == null) return error.toString();
        if (error instanceof CompletionException || error instanceof ExecutionException) {
            return describe(cause);
        }
        String text = error.toString();
        return text.contains(cause.toString()) ? text : text + " (" + describe(cause) + ")";
    }
}
