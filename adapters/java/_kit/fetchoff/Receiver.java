package fetchoff;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Where streamed content goes. It throws nothing that callbacks may not throw. */
public final class Receiver extends OutputStream {
    private final FileChannel file;
    private final Digest digest;
    private final Expected expected;
    private long length;

    /** @param file null: the content is dropped */
    Receiver(Path file, Digest digest, Expected expected) {
        this.file = file == null ? null : open(file);
        this.digest = digest;
        this.expected = expected;
    }

    private static FileChannel open(Path file) {
        try {
            return FileChannel.open(
                    file,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.WRITE);
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
        if (file != null) save(ByteBuffer.wrap(chunk, offset, count));
    }

    /** Takes what is left in a buffer, and copies none of it. */
    public void write(ByteBuffer chunk) {
        length += chunk.remaining();
        digest.update(chunk);
        if (file != null) save(chunk);
        chunk.position(chunk.limit());
    }

    private void save(ByteBuffer chunk) {
        try {
            while (chunk.hasRemaining()) file.write(chunk);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
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
        if (file == null) return;
        try {
            file.close();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
