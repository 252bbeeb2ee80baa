import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** java.net.http: one HttpClient for all exchanges. */
final class Loop {
    private Loop() {}

    public static void main(String[] arguments) throws Exception {
        String url = arguments[0];
        int size = Integer.parseInt(arguments[1]);
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            int n = Integer.parseInt(line);
            long cpu = Clock.cpuNs();
            long wall = System.nanoTime();
            for (int i = 0; i < n; i++) {
                HttpRequest request = HttpRequest.newBuilder(URI.create(url)).GET().build();
                HttpResponse<byte[]> response = client.send(request, BodyHandlers.ofByteArray());
                if (response.statusCode() != 200 || response.body().length != size) {
                    System.err.println("status " + response.statusCode());
                    System.exit(1);
                }
            }
            cpu = Clock.cpuNs() - cpu;
            wall = System.nanoTime() - wall;
            System.out.println(cpu + " " + wall);
        }
    }
}
