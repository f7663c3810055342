package io.fleetgauge.distribution.training;

import io.fleetgauge.distribution.process.Programs;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A certificate for this machine, by address and by name, that signs itself.
 *
 * @param file the certificate in PEM
 * @param key its private key in PEM
 * @param context that shows it, and trusts it
 */
record Certificate(Path file, Path key, SSLContext context) {
  private static final String PASSWORD = "training";
  private static final String ALIAS = "own";

  static Certificate make(Path folder)
      throws IOException, InterruptedException, GeneralSecurityException {
    Path store = folder.resolve("certificate.p12");
    Programs.run(
        folder,
        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
        "-genkeypair",
        "-keyalg",
        "EC",
        "-dname",
        "CN=training",
        "-ext",
        "SAN=ip:127.0.0.1,dns:localhost",
        "-alias",
        ALIAS,
        "-keystore",
        store.toString(),
        "-storetype",
        "PKCS12",
        "-storepass",
        PASSWORD);
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    java.security.cert.Certificate certificate = keys.getCertificate(ALIAS);
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry(ALIAS, certificate);
    return new Certificate(
        pem(folder.resolve("certificate.pem"), "CERTIFICATE", certificate.getEncoded()),
        pem(
            folder.resolve("key.pem"),
            "PRIVATE KEY",
            keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded()),
        context(keys, trusted));
  }

  private static SSLContext context(KeyStore keys, KeyStore trusted)
      throws GeneralSecurityException {
    KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, PASSWORD.toCharArray());
    TrustManagerFactory others =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    others.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), others.getTrustManagers(), null);
    return context;
  }

  private static Path pem(Path file, String type, byte[] content) throws IOException {
    String text =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(content);
    return Files.writeString(
        file, "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(type, text, type));
  }
}
