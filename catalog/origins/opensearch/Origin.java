import java.util.concurrent.CountDownLatch;
import org.codelibs.opensearch.runner.OpenSearchRunner;
import org.opensearch.common.settings.Settings;

/** One OpenSearch node in this process: arguments are the folder for its data, address and port. */
public final class Origin {
    public static void main(String[] arguments) throws InterruptedException {
        String folder = arguments[0];
        String address = arguments[1];
        String port = arguments[2];
        OpenSearchRunner runner = new OpenSearchRunner();
        runner.onBuild((number, settings) -> {
            settings.put("http.port", port);
            settings.put("http.host", address);
            settings.put("transport.host", "127.0.0.1");
            settings.put("discovery.type", "single-node");
            // A full disk is nothing that clients are to be measured with.
            settings.put("cluster.routing.allocation.disk.threshold_enabled", false);
        });
        runner.build(OpenSearchRunner.newConfigs().basePath(folder).numOfNode(1).disableESLogger());
        // As Elasticsearch did by default when it was measured: a write does not wait for the disk.
        runner.createIndex("documents", Settings.builder()
            .put("index.number_of_replicas", 0)
            .put("index.translog.durability", "async")
            .build());
        runner.ensureGreen();
        new CountDownLatch(1).await();
    }
}
