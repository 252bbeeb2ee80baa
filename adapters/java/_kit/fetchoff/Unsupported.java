package fetchoff;

/** A feature that the library has, but not together with the others that were asked for. */
public final class Unsupported extends Exception {
    final String feature;

    public Unsupported(String feature) {
        super("unsupported: " + feature);
        this.feature = feature;
    }
}
