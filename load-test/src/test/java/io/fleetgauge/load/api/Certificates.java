package io.fleetgauge.load.api;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.List;

/** Certificates that sign themselves, made by the JDK's own tool. */
public final class Certificates {
  private static final char[] PASSWORD = "changeit".toCharArray();

  /** A certificate and its key, as PEM. */
  public record Pair(Path certificate, Path key) {}

  private Certificates() {}

  /** Makes a pair for loopback, in files of a name. */
  public static Pair make(Path folder, String name)
      throws IOException, InterruptedException, GeneralSecurityException {
    Path store = folder.resolve(name + System.nanoTime() + ".p12");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "own",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                new String(PASSWORD),
                "-dname",
                "CN=" + name,
                "-ext",
                "SAN=ip:127.0.0.1,dns:localhost",
                "-ext",
                "BC=ca:true")
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes());
    if (process.waitFor() != 0) {
      throw new IOException("keytool fails: " + output);
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    Certificate certificate = keys.getCertificate("own");
    Path pem = folder.resolve(name + ".crt");
    Path key = folder.resolve(name + ".key");
    Files.writeString(key, pem("PRIVATE KEY", keys.getKey("own", PASSWORD).getEncoded()));
    Files.writeString(pem, pem("CERTIFICATE", certificate.getEncoded()));
    return new Pair(pem, key);
  }

  /** Several certificates in one file. */
  static Path together(Path file, List<Path> certificates) throws IOException {
    StringBuilder all = new StringBuilder();
    for (Path each : certificates) {
      all.append(Files.readString(each));
    }
    return Files.writeString(file, all);
  }

  private static String pem(String kind, byte[] bytes) {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    return "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n";
  }
}
