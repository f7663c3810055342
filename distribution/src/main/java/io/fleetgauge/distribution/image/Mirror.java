package io.fleetgauge.distribution.image;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Where packages of Debian come from: a folder that keeps them, the mirror of this machine,
 * Debian's own, and its archive of old versions. Only bytes with the digest of the list are taken,
 * so it does not matter who answers.
 */
final class Mirror {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String OFFICIAL = "http://deb.debian.org/debian/";

  /** A mirror drops a version when a newer one replaces it; here it stays. */
  private static final String OLD = "https://snapshot.debian.org/archive/debian/20261120T000000Z/";

  private static final Pattern ADDRESS =
      Pattern.compile("(https?://[^\\s\\]]+/debian/?)(?=\\s|$)", Pattern.MULTILINE);

  private final Path kept;
  private final List<String> mirrors;
  private final HttpClient http =
      HttpClient.newBuilder()
          .connectTimeout(Duration.ofSeconds(10))
          .followRedirects(HttpClient.Redirect.NORMAL)
          .build();

  Mirror(Path kept, List<String> mirrors) {
    this.kept = kept;
    this.mirrors = mirrors;
  }

  /** With the mirror that apt of this machine uses, where there is one. */
  static Mirror ofThisMachine(Path kept) throws IOException {
    List<String> mirrors = new ArrayList<>();
    for (Path file : aptSources()) {
      Matcher found = ADDRESS.matcher(Files.readString(file));
      while (found.find()) {
        mirrors.add(found.group(1).replaceFirst("/?$", "/"));
      }
    }
    mirrors.add(OFFICIAL);
    mirrors.add(OLD);
    return new Mirror(kept, mirrors.stream().distinct().toList());
  }

  private static List<Path> aptSources() throws IOException {
    List<Path> files = new ArrayList<>();
    Path single = Path.of("/etc/apt/sources.list");
    if (Files.isReadable(single)) {
      files.add(single);
    }
    Path folder = Path.of("/etc/apt/sources.list.d");
    if (Files.isDirectory(folder)) {
      try (Stream<Path> all = Files.list(folder)) {
        all.filter(Files::isReadable).sorted().forEach(files::add);
      }
    }
    return files;
  }

  /** A package is nowhere. */
  static final class Missing extends IOException {
    private static final long serialVersionUID = 1;

    Missing(String message) {
      super(message);
    }
  }

  byte[] bring(DebianPackage wanted) throws IOException, InterruptedException {
    Path file = kept.resolve(wanted.fileName());
    if (Files.isRegularFile(file)) {
      byte[] bytes = Files.readAllBytes(file);
      if (Digest.of(bytes).hex().equals(wanted.sha256())) {
        return bytes;
      }
    }
    List<String> failures = new ArrayList<>();
    for (String mirror : mirrors) {
      try {
        HttpRequest request =
            HttpRequest.newBuilder(URI.create(mirror + wanted.path())).timeout(PATIENCE).build();
        HttpResponse<byte[]> answer = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
        Digest digest = Digest.of(answer.body());
        if (answer.statusCode() != 200) {
          failures.add(mirror + " answers with status " + answer.statusCode());
        } else if (!digest.hex().equals(wanted.sha256())) {
          failures.add(mirror + " has another file, with the SHA-256 " + digest.hex());
        } else {
          keep(answer.body(), file);
          return answer.body();
        }
      } catch (IOException e) {
        failures.add(mirror + " does not answer (" + e + ")");
      }
    }
    throw new Missing(
        "%s %s of Debian, with the SHA-256 %s, cannot be had: %s. Put it into %s."
            .formatted(
                wanted.name(),
                wanted.version(),
                wanted.sha256(),
                String.join("; ", failures),
                kept));
  }

  private void keep(byte[] bytes, Path file) throws IOException {
    Files.createDirectories(kept);
    Path part = Files.createTempFile(kept, file.getFileName().toString(), ".part");
    Files.write(part, bytes);
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
