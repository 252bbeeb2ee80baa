package fetchoff;

/** What an adapter implements: a library, and how its client is built. */
public interface Library {
    Description describe();

    /** Builds the client object for the settings of one `prepare`; sends nothing. */
    Client open(Settings settings) throws Exception;

    /** The version that the manifest of a class's archive tells. */
    static String versionOf(Class<?> member) {
        String version = member.getPackage().getImplementationVersion();
        return version == null ? "unknown" : version;
    }

    /** The version of the runtime, which is that of its class library too. */
    static String javaVersion() {
        return System.getProperty("java.version");
    }
}
