import java.util.Map;
import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.PolyglotException;

/** Runs a Ruby program as {@code ruby} would: what Maven has of TruffleRuby is without a launcher. */
public final class TruffleRuby {
    private static final Map<String, String> OPTIONS = Map.of(
            "engine.WarnInterpreterOnly", "false",
            "ruby.embedded", "false",
            "ruby.polyglot-stdio", "false");

    private TruffleRuby() {}

    public static void main(String[] arguments) {
        try (var context = Context.newBuilder("ruby")
                .allowAllAccess(true)
                .allowExperimentalOptions(true)
                .options(OPTIONS)
                .arguments("ruby", arguments)
                .build()) {
            context.eval("ruby", "$0 = File.expand_path(ARGV.shift); load $0");
        } catch (PolyglotException end) {
            if (!end.isExit()) {
                end.printStackTrace();
            }
            System.exit(end.isExit() ? end.getExitStatus() : 1);
        }
    }
}
