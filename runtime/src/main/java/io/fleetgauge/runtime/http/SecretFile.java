package io.fleetgauge.runtime.http;

import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A secret in a file, such as a token, or several. Safe for all threads. */
public final class SecretFile {
  /** No secret. */
  public static final SecretFile NONE = new SecretFile("", Optional.empty(), 1, true);

  private static final Logger LOG = LoggerFactory.getLogger(SecretFile.class);
  private static final int SHORTEST = 16;

  private final String option;
  private final Optional<Path> file;
  private final int most;
  private final boolean isOurs;
  private volatile List<String> texts = List.of();
  private String trouble = ""; // logged last

  private SecretFile(String option, Optional<Path> file, int most, boolean isOurs) {
    this.option = option;
    this.file = file;
    this.most = most;
    this.isOurs = isOurs;
  }

  /**
   * @param option the key that names the file, for messages
   * @param file contains the secret; without a file there is none
   * @throws StartFailure if the file cannot be read or the secret is too short
   */
  public static SecretFile open(String option, Optional<Path> file) throws StartFailure {
    return open(option, file, 1, true);
  }

  /**
   * A secret that another system has given, such as a password: it may be short and have spaces.
   *
   * @throws StartFailure if the file cannot be read, or is empty
   */
  public static SecretFile ofOthers(String option, Optional<Path> file) throws StartFailure {
    return open(option, file, 1, false);
  }

  /**
   * The secret of the cluster: the file may have a second line with another secret that is valid
   * too, while the secret is being changed.
   *
   * @throws StartFailure if the file cannot be read, or a secret is too short
   */
  public static SecretFile ofCluster(TrustSettings trust) throws StartFailure {
    return open("cluster.secretFile", trust.secret(), 2, true);
  }

  private static SecretFile open(String option, Optional<Path> file, int most, boolean isOurs)
      throws StartFailure {
    SecretFile secret = new SecretFile(option, file, most, isOurs);
    if (file.isPresent()) {
      try {
        secret.texts = secret.read(file.get());
        warn(file.get());
      } catch (IOException e) {
        throw new StartFailure(
            "the file " + file.get() + " cannot be used: " + reason(e) + "; see " + option, e);
      }
    }
    return secret;
  }

  /** Logs a warning if other users may read a file that should be secret. */
  static void warn(Path file) {
    String problem = PrivateFiles.secretProblem(file);
    if (!problem.isEmpty()) {
      LOG.warn(problem);
    }
  }

  private List<String> read(Path path) throws IOException {
    List<String> found = Files.readString(path).strip().lines().map(String::strip).toList();
    if (found.size() > most) {
      throw new IOException(
          "it has "
              + found.size()
              + " lines; "
              + (most == 1 ? "one secret" : most + " secrets")
              + " on a line each is the most");
    }
    if (!isOurs) {
      if (found.isEmpty() || found.getFirst().chars().anyMatch(Character::isISOControl)) {
        throw new IOException("it is empty, or has characters that no secret has");
      }
      return found;
    }
    if (found.isEmpty() || !found.stream().allMatch(SecretFile::isLongEnough)) {
      throw new IOException("a secret needs " + SHORTEST + " characters or more, and no spaces");
    }
    return found;
  }

  private static boolean isLongEnough(String secret) {
    return secret.length() >= SHORTEST && secret.matches("\\p{Graph}+");
  }

  private static String reason(IOException e) {
    return switch (e) {
      case NoSuchFileException none -> "there is no such file";
      case AccessDeniedException denied -> "this process may not read it";
      case CharacterCodingException other -> "it is not text in UTF-8";
      default -> String.valueOf(e.getMessage());
    };
  }

  /** Reads the file again; the secret stays when the file cannot be used. */
  public void look() {
    if (file.isPresent()) {
      try {
        texts = read(file.get());
        trouble = "";
      } catch (IOException e) {
        if (!reason(e).equals(trouble)) {
          trouble = reason(e); // logged once
          LOG.error(
              "{} cannot be used, the secret read before stays in use: {}: {}",
              option,
              file.get(),
              trouble);
        }
      }
    }
  }

  /** Tells whether there is a secret. */
  public boolean isSet() {
    return !texts.isEmpty();
  }

  /** The secret, the first of several; empty when there is none. */
  public String text() {
    List<String> found = texts;
    return found.isEmpty() ? "" : found.getFirst();
  }

  /** Every secret of the file. */
  public List<String> texts() {
    return texts;
  }
}
