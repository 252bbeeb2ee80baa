package fetchoff;

import java.util.concurrent.atomic.AtomicLong;

/** One `run`: the iterations that are left for whichever worker is free, and the busy time. */
final class Batch {
    final long busyNs;
    private final AtomicLong left;

    Batch(long n, long busyNs) {
        this.left = new AtomicLong(n);
        this.busyNs = busyNs;
    }

    /** Whether there was another iteration to take. */
    boolean takeIteration() {
        return left.getAndDecrement() > 0;
    }
}
