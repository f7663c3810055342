package io.fleetgauge.runtime.doctor;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;

/** Certificates and keys in PEM. */
final class PemFiles {
  private static final String BEGIN = "-----BEGIN PRIVATE KEY-----";
  private static final String END = "-----END PRIVATE KEY-----";
  private static final byte[] SIGNED = {1, 2, 3, 4};

  private PemFiles() {}

  /**
   * All certificates of a file.
   *
   * @throws GeneralSecurityException if there is none, or one cannot be read
   */
  static List<X509Certificate> certificates(Path file)
      throws IOException, GeneralSecurityException {
    try (InputStream in = Files.newInputStream(file)) {
      List<X509Certificate> all =
          CertificateFactory.getInstance("X.509").generateCertificates(in).stream()
              .map(X509Certificate.class::cast)
              .toList();
      if (all.isEmpty()) {
        throw new GeneralSecurityException("it has no certificate in PEM form");
      }
      return all;
    }
  }

  /**
   * The key of a file, for a certificate.
   *
   * @throws GeneralSecurityException if there is none of the certificate's algorithm
   */
  static PrivateKey key(Path file, PublicKey of) throws IOException, GeneralSecurityException {
    String text = Files.readString(file);
    int from = text.indexOf(BEGIN);
    int to = text.indexOf(END);
    if (from < 0 || to < from) {
      throw new GeneralSecurityException(
          "it has no line "
              + BEGIN
              + ", so it is no key in the form of PKCS 8; openssl pkcs8 -topk8"
              + " -nocrypt converts others");
    }
    byte[] bytes;
    try {
      bytes = Base64.getMimeDecoder().decode(text.substring(from + BEGIN.length(), to));
    } catch (IllegalArgumentException e) {
      throw new GeneralSecurityException("what is between its lines is no base64", e);
    }
    return KeyFactory.getInstance(of.getAlgorithm())
        .generatePrivate(new PKCS8EncodedKeySpec(bytes));
  }

  /** Tells whether a key is that of a certificate: what one signs, the other verifies. */
  static boolean fit(PrivateKey key, PublicKey of) throws GeneralSecurityException {
    String algorithm =
        switch (of.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> of.getAlgorithm();
        };
    Signature signature = Signature.getInstance(algorithm);
    signature.initSign(key);
    signature.update(SIGNED);
    byte[] bytes = signature.sign();
    signature.initVerify(of);
    signature.update(SIGNED);
    return signature.verify(bytes);
  }
}
