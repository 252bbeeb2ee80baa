package fetchoff;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where streamed content goes. It throws nothing that callbacks may not throw. */
public final class Receiver extends OutputStream {
    private final OutputStream target;
    private final Digest digest;
    private final Expected expected;
    private long length;

    /** @param file null: the content is dropped */
    Receiver(Path file, Digest digest, Expected expected) {
        this.target = open(file);
        this.digest = digest;
        this.expected = expected;
    }

    private static OutputStream open(Path file) {
        try {
            return file == null ? nullOutputStream() : Files.newOutputStream(file);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    @Override
    public void write(int octet) {
        write(new byte[] {(byte) octet});
    }

    @Override
    public void write(byte[] chunk) {
        write(chunk, 0, chunk.length);
    }

    @Override
    public void write(byte[] chunk, int offset, int count) {
        length += count;
        digest.update(chunk, offset, count);
        try {
            target.write(chunk, offset, count);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** Takes what is left in a buffer. */
    public void write(ByteBuffer chunk) {
        byte[] bytes = new byte[chunk.remaining()];
        chunk.get(bytes);
        write(bytes);
    }

    /** The length of the content, if the response is the expected one. */
    public long end(int status) {
        close();
        digest.end();
        expected.check(status, length);
        return length;
    }

    @Override
    public void close() {
        try {
            target.close();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
