package io.fleetgauge.runtime.doctor;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Checks whether certificates and keys can be read, fit each other, and are valid for some time
 * yet.
 */
record TlsChecks(ExaminedProcess process, Findings findings, Instant now) {
  private static final Duration SOON = Duration.ofDays(30);

  void run() {
    if (process.http().tls().isEmpty()) {
      findings.skipped("http.tls is not set: the process listens without TLS");
    }
    process
        .http()
        .tls()
        .ifPresent(
            tls -> {
              pair("http.tls.certificate", tls.certificate(), "http.tls.key", tls.key())
                  .ifPresent(this::names);
              tls.clientCa().ifPresent(ca -> authority("http.tls.clientCa", ca));
            });
    process.trust().ca().ifPresent(ca -> authority("trust.ca", ca));
    if (process.trust().certificate().isPresent() && process.trust().key().isPresent()) {
      pair(
          "trust.certificate",
          process.trust().certificate().get(),
          "trust.key",
          process.trust().key().get());
    }
  }

  /** A certificate with its chain and its key. */
  private Optional<X509Certificate> pair(
      String certificateKey, Path certificate, String keyKey, Path key) {
    String name = certificateKey + " " + certificate;
    List<X509Certificate> chain;
    try {
      chain = PemFiles.certificates(certificate);
    } catch (IOException | GeneralSecurityException e) {
      findings.failure(
          name + " cannot be read: " + e.getMessage(), "give it a certificate in PEM form");
      return Optional.empty();
    }
    dates(name, chain);
    chain(name, chain);
    try {
      PrivateKey secret = PemFiles.key(key, chain.getFirst().getPublicKey());
      if (PemFiles.fit(secret, chain.getFirst().getPublicKey())) {
        findings.ok(keyKey + " " + key + " is the key of " + name);
      } else {
        findings.failure(
            keyKey + " " + key + " is not the key of " + name,
            "give both files of one pair; the server's own certificate is the first of its file");
      }
    } catch (IOException | GeneralSecurityException e) {
      findings.failure(
          "%s %s cannot be used for a certificate of %s: %s"
              .formatted(
                  keyKey, key, chain.getFirst().getPublicKey().getAlgorithm(), e.getMessage()),
          "give it the key of the certificate in PEM form, PKCS 8, without a password");
    }
    return Optional.of(chain.getFirst());
  }

  private void authority(String key, Path file) {
    String name = key + " " + file;
    try {
      List<X509Certificate> all = PemFiles.certificates(file);
      dates(name, all);
      for (X509Certificate each : all) {
        if (each.getBasicConstraints() < 0) {
          findings.warning(
              name + ": " + subject(each) + " may not sign other certificates",
              "give it the certificate of the authority, not one that the authority signed; a"
                  + " self-signed certificate authenticates only itself");
        }
      }
    } catch (IOException | GeneralSecurityException e) {
      findings.failure(
          name + " cannot be read: " + e.getMessage(),
          "give it the certificate of the authority in PEM form");
    }
  }

  private void dates(String name, List<X509Certificate> all) {
    for (X509Certificate each : all) {
      Instant end = each.getNotAfter().toInstant();
      String text = name + ": " + subject(each);
      if (now.isBefore(each.getNotBefore().toInstant())) {
        findings.failure(
            text + " is valid only from " + each.getNotBefore().toInstant() + " on",
            "set the clock of this machine, or renew it");
      } else if (now.isAfter(end)) {
        findings.failure(text + " expired at " + end, "reissue it");
      } else if (now.plus(SOON).isAfter(end)) {
        findings.warning(
            text + " expires at " + end + ", in " + Duration.between(now, end).toDays() + " days",
            "renew it; the process reads the new file automatically");
      } else {
        findings.ok(text + " is valid until " + end);
      }
    }
  }

  private void chain(String name, List<X509Certificate> chain) {
    for (int i = 0; i + 1 < chain.size(); i++) {
      try {
        chain.get(i).verify(chain.get(i + 1).getPublicKey());
      } catch (GeneralSecurityException e) {
        findings.failure(
            "%s: %s is not signed by %s, which follows it"
                .formatted(name, subject(chain.get(i)), subject(chain.get(i + 1))),
            "order the file from the server's own certificate to the authority's");
      }
    }
  }

  private static String subject(X509Certificate certificate) {
    return certificate.getSubjectX500Principal().getName();
  }

  /** Others check the name by which they reach the process. */
  private void names(X509Certificate own) {
    try {
      Set<String> names = new TreeSet<>();
      Collection<List<?>> alternatives = own.getSubjectAlternativeNames();
      if (alternatives != null) {
        alternatives.forEach(each -> names.add(String.valueOf(each.get(1))));
      }
      for (String reached : process.reachedAs()) {
        if (names.stream().noneMatch(name -> covers(name, reached))) {
          findings.warning(
              "the certificate names "
                  + (names.isEmpty() ? "no host" : String.join(", ", names))
                  + ", and others reach this process as "
                  + reached,
              "issue it with "
                  + reached
                  + " as a subject alternative name, or set"
                  + " http.advertisedHost to a name that it has");
        }
      }
    } catch (CertificateParsingException e) {
      findings.failure(
          "the names of the certificate cannot be read: " + e.getMessage(), "reissue it");
    }
  }

  static boolean covers(String name, String host) {
    if (name.equalsIgnoreCase(host)) {
      return true;
    }
    int dot = host.indexOf('.');
    return name.startsWith("*.")
        && dot > 0
        && name.substring(1).equalsIgnoreCase(host.substring(dot));
  }
}
