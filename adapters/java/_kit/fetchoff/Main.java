package fetchoff;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.nio.file.Path;

/** Starts an adapter: the class that is named after the source file given as argument. */
final class Main {
    private Main() {}

    public static void main(String[] arguments) throws Exception {
        // Standard output belongs to the protocol; a library that prints does so on standard error.
        OutputStream answers = new FileOutputStream(FileDescriptor.out);
        System.setOut(System.err);
        new Conversation(load(Path.of(arguments[0]))).hold(System.in, answers);
        System.exit(0); // libraries leave threads behind that are no daemons
    }

    private static Library load(Path source) throws ReflectiveOperationException {
        String className = source.getFileName().toString().replaceFirst("\\.[a-z]+$", "");
        return Class.forName(className).asSubclass(Library.class).getConstructor().newInstance();
    }
}
