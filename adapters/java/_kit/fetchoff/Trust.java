package fetchoff;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/**
 * Trust in one authority, in the shapes in which libraries ask for it.
 *
 * @param factory one for all connections, because TLS sessions are resumed within a factory
 */
public record Trust(SSLContext context, SSLSocketFactory factory, X509TrustManager manager) {
    static Trust in(Path pem) {
        try (InputStream certificates = Files.newInputStream(pem)) {
            KeyStore authorities = KeyStore.getInstance(KeyStore.getDefaultType());
            authorities.load(null);
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (Certificate certificate : factory.generateCertificates(certificates)) {
                authorities.setCertificateEntry(
                        "authority-" + authorities.size(), certificate);
            }
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(authorities);
            TrustManager[] managers = trust.getTrustManagers();
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, managers, null);
            return new Trust(
                    context, context.getSocketFactory(), (X509TrustManager) managers[0]);
        } catch (IOException | GeneralSecurityException error) {
            throw new IllegalArgumentException("no authority to trust in " + pem, error);
        }
    }
}
