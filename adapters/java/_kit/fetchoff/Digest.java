package fetchoff;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The SHA-256 of what a library's user sees, in unmeasured runs; empty until the content ended. */
class Digest {
    /** What takes its place while a workload is measured. */
    static final Digest NONE = new Digest();

    static Digest sha256() {
        return new Sha256();
    }

    void update(byte[] chunk, int offset, int count) {}

    /** Leaves in the buffer what is in it. */
    void update(ByteBuffer chunk) {}

    void end() {}

    String hex() {
        return "";
    }

    final void take(byte[] content) {
        update(content, 0, content.length);
        end();
    }

    private static final class Sha256 extends Digest {
        private final MessageDigest hash;
        private String hex = "";

        Sha256() {
            try {
                hash = MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException error) {
                throw new IllegalStateException("every Java has SHA-256", error);
            }
        }

        @Override
        void update(byte[] chunk, int offset, int count) {
            hash.update(chunk, offset, count);
        }

        @Override
        void update(ByteBuffer chunk) {
            hash.update(chunk.duplicate());
        }

        @Override
        void end() {
            hex = HexFormat.of().formatHex(hash.digest());
        }

        @Override
        String hex() {
            return hex;
        }
    }
}
