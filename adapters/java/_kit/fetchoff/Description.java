package fetchoff;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Who a client is.
 *
 * @param engine what does the HTTP underneath, with its version, when that is another library
 * @param features those of the library, separated by white space; the kit adds its own
 */
public record Description(String client, String version, String engine, String features) {
    private static final List<String> SUPPLIED = List.of("concurrency", "inject.busy");

    /** Sinks that need no more of the library than the sink that they are built upon. */
    private static final Map<String, String> BUILT_UPON =
            Map.of("sink.buffer", "sink.json", "sink.discard", "sink.file");

    /** All features, the kit's among them. */
    Set<String> declared() {
        Set<String> all = new LinkedHashSet<>();
        for (String feature : features.strip().split("\\s+")) {
            all.add(feature);
            if (BUILT_UPON.containsKey(feature)) all.add(BUILT_UPON.get(feature));
        }
        all.addAll(SUPPLIED);
        return all;
    }
}
