/**
 * The CPU time of the process, in nanoseconds. Java's own OperatingSystemMXBean goes in steps of 10
 * ms on Linux.
 */
final class Clock {
    static {
        System.load(System.getProperty("clock"));
    }

    private Clock() {}

    static native long cpuNs();
}
