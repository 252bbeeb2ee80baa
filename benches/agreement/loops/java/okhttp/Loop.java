import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.List;
import okhttp3.FormBody;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;

/** OkHttp: one OkHttpClient for all exchanges, without redirects. */
final class Loop {
    private Loop() {}

    private static Request request(String url, List<String> fields) {
        Request.Builder builder = new Request.Builder().url(url).header("Accept-Encoding", "identity");
        if (fields.isEmpty()) return builder.build();
        FormBody.Builder form = new FormBody.Builder();
        for (int i = 0; i < fields.size(); i += 2) {
            form.add(fields.get(i), fields.get(i + 1));
        }
        return builder.post(form.build()).build();
    }

    public static void main(String[] arguments) throws Exception {
        String url = arguments[0];
        int size = Integer.parseInt(arguments[1]);
        List<String> fields = List.of(arguments).subList(2, arguments.length);
        OkHttpClient client =
                new OkHttpClient.Builder()
                        .protocols(List.of(Protocol.HTTP_1_1))
                        .followRedirects(false)
                        .build();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            int n = Integer.parseInt(line);
            long cpu = Clock.cpuNs();
            long wall = System.nanoTime();
            for (int i = 0; i < n; i++) {
                Request request = request(url, fields);
                try (Response response = client.newCall(request).execute()) {
                    byte[] content = response.body().bytes();
                    if (response.code() != 200 || content.length != size) {
                        System.err.println("status " + response.code());
                        System.exit(1);
                    }
                }
            }
            cpu = Clock.cpuNs() - cpu;
            wall = System.nanoTime() - wall;
            System.out.println(cpu + " " + wall);
        }
        System.exit(0); // its threads are no daemons
    }
}
