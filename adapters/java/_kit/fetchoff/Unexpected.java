package fetchoff;

/** A response that is not the expected one. */
final class Unexpected extends RuntimeException {
    Unexpected(String message) {
        super(message);
    }

    @Override
    public String toString() {
        return getMessage();
    }
}
