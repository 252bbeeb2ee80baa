import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.StringJoiner;

/** java.net.http: one HttpClient for all exchanges. */
final class Loop {
    private Loop() {}

    private static HttpRequest request(String url, List<String> fields) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(url));
        if (fields.isEmpty()) return builder.GET().build();
        StringJoiner form = new StringJoiner("&");
        for (int i = 0; i < fields.size(); i += 2) {
            String name = URLEncoder.encode(fields.get(i), StandardCharsets.UTF_8);
            form.add(name + "=" + URLEncoder.encode(fields.get(i + 1), StandardCharsets.UTF_8));
        }
        return builder.header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(form.toString()))
                .build();
    }

    public static void main(String[] arguments) throws Exception {
        String url = arguments[0];
        int size = Integer.parseInt(arguments[1]);
        List<String> fields = List.of(arguments).subList(2, arguments.length);
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            int n = Integer.parseInt(line);
            long cpu = Clock.cpuNs();
            long wall = System.nanoTime();
            for (int i = 0; i < n; i++) {
                HttpRequest request = request(url, fields);
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
