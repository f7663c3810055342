package io.fleetgauge.runtime.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Settings by which this process and a server of another system know each other. The files are read
 * again when they change.
 *
 * @param token {@code tokenFile}
 * @param user {@code userFile}
 * @param ca {@code tls.ca}
 * @param certificate {@code tls.certificate}
 * @param key {@code tls.key}
 * @param isUnverified {@code tls.insecure}
 */
public record AccessSettings(
    Optional<Path> token,
    Optional<Path> user,
    Optional<Path> ca,
    Optional<Path> certificate,
    Optional<Path> key,
    boolean isUnverified) {
  /** Shows nothing, and believes the authorities that the JDK trusts. */
  public static final AccessSettings NONE =
      new AccessSettings(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          false);

  private static final Key<Path> TOKEN =
      Key.optional(
          "tokenFile",
          KeyType.file(),
          "File with a token that is sent as `Authorization: Bearer`.");
  private static final Key<Path> USER =
      Key.optional(
          "userFile",
          KeyType.file(),
          "File with `name:password`, which is sent as `Authorization: Basic`.");
  private static final Key<Path> PRIVATE_KEY =
      Key.optional("tls.key", KeyType.file(), "Private key of that certificate in PEM, PKCS 8.");

  /**
   * @param section of the keys
   * @param server what the server is, with its article
   */
  public static AccessSettings read(ConfigReader in, String section, String server) {
    Key<Path> ca =
        Key.derived(
            "tls.ca",
            KeyType.file(),
            "the authorities that the JDK trusts",
            "Authority in PEM that signs the certificate of " + server + ".");
    Key<Path> certificate =
        Key.optional(
            "tls.certificate",
            KeyType.file(),
            "Certificate in PEM that is presented to " + server + ".");
    Key<Boolean> insecure =
        Key.of(
            "tls.insecure",
            KeyType.flag(),
            false,
            "Whether any certificate is accepted. Anybody between this process and "
                + server
                + " can then read and change what is sent.");
    Optional<Path> token = in.find(TOKEN.in(section));
    Optional<Path> user = in.find(USER.in(section));
    if (token.isPresent() && user.isPresent()) {
      in.problem(section + ": only one of tokenFile and userFile is allowed");
    }
    Optional<Path> authority = in.find(ca.in(section));
    Optional<Path> shown = in.find(certificate.in(section));
    Optional<Path> key = in.find(PRIVATE_KEY.in(section));
    if (shown.isPresent() != key.isPresent()) {
      in.problem(section + ".tls: certificate and key are both needed, or none");
    }
    return new AccessSettings(token, user, authority, shown, key, in.get(insecure.in(section)));
  }
}
