package io.fleetgauge.cluster.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A secret in a file, such as a token. Safe for all threads. */
public final class SecretFile {
  /** No secret. */
  public static final SecretFile NONE = new SecretFile("", Optional.empty());

  private static final Logger LOG = LoggerFactory.getLogger(SecretFile.class);
  private static final int SHORTEST = 16;

  private final String option;
  private final Optional<Path> file;
  private volatile String text = "";
  private String trouble = ""; // logged last

  private SecretFile(String option, Optional<Path> file) {
    this.option = option;
    this.file = file;
  }

  /**
   * @param option the key that names the file, for messages
   * @param file contains the secret; without a file there is none
   * @throws StartFailure if the file cannot be read or the secret is too short
   */
  public static SecretFile open(String option, Optional<Path> file) throws StartFailure {
    SecretFile secret = new SecretFile(option, file);
    if (file.isPresent()) {
      try {
        secret.text = read(file.get());
      } catch (IOException e) {
        throw new StartFailure(
            "the file " + file.get() + " cannot be used: " + e + "; see " + option, e);
      }
    }
    return secret;
  }

  private static String read(Path file) throws IOException {
    String found = Files.readString(file).strip();
    if (found.length() < SHORTEST || !found.matches("\\p{Graph}+")) {
      throw new IOException("a secret needs " + SHORTEST + " characters or more, and no spaces");
    }
    return found;
  }

  /** Reads the file again; the secret stays when the file cannot be used. */
  public void look() {
    if (file.isPresent()) {
      try {
        text = read(file.get());
        trouble = "";
      } catch (IOException e) {
        if (!e.toString().equals(trouble)) {
          trouble = e.toString(); // logged once
          LOG.error(
              "{} cannot be used, the secret read before stays in use: {}: {}",
              option,
              file.get(),
              trouble);
        }
      }
    }
  }

  /** Whether there is a secret. */
  public boolean isSet() {
    return !text.isEmpty();
  }

  /** Whether a text is the secret; compared in constant time. */
  boolean isShown(String shown) {
    return shown != null && MessageDigest.isEqual(hash(shown), hash(text));
  }

  private static byte[] hash(String of) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(of.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }

  /** The secret; empty when there is none. */
  public String text() {
    return text;
  }
}
