package io.fleetgauge.query.prices;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A file that is read again when it has changed. For any thread. */
final class RateFile<T> {
  private static final Logger LOG = LoggerFactory.getLogger(RateFile.class);
  private static final long MOST_BYTES = 64L << 20;

  /**
   * A version of the file.
   *
   * @param leftOut number of entries that are left out; 1 for a file that is none as a whole
   * @param problems the first of them by name
   */
  record Content<T>(T value, int leftOut, List<String> problems) {
    Content {
      problems = List.copyOf(problems);
    }

    static <T> Content<T> none(T before, String why) {
      return new Content<>(before, 1, List.of("what it said before stays: " + why));
    }
  }

  private final String key;
  private final Optional<Path> file;
  private final BiFunction<String, T, Content<T>> form;
  private byte[] bytes = new byte[0];
  private volatile Content<T> content;

  /**
   * @param key of the configuration, for messages
   * @param file empty for none
   * @param form reads a text; takes what the file said before
   */
  RateFile(String key, Optional<Path> file, T none, BiFunction<String, T, Content<T>> form) {
    this.key = key;
    this.file = file;
    this.form = form;
    this.content = new Content<>(none, 0, List.of());
  }

  Content<T> content() {
    return content;
  }

  List<String> problems() {
    return content.problems().stream().map(problem -> key + ": " + problem).toList();
  }

  /** Reads the file if it has changed. May wait for the disk. */
  synchronized void look() {
    if (file.isEmpty()) {
      return;
    }
    Content<T> next;
    try {
      if (Files.size(file.get()) > MOST_BYTES) {
        throw new IOException("it has more than " + MOST_BYTES + " bytes");
      }
      byte[] now = Files.readAllBytes(file.get());
      if (Arrays.equals(now, bytes)) {
        return;
      }
      bytes = now;
      next = form.apply(text(now), content.value());
    } catch (IOException e) {
      bytes = new byte[0];
      next = Content.none(content.value(), "the file cannot be read: " + e);
    }
    if (!next.problems().equals(content.problems())) {
      next.problems().forEach(problem -> LOG.warn("{}: {}", key, problem));
    }
    content = next;
  }

  /** What is no UTF-8 costs the entry that it is in. */
  private static String text(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    return text.startsWith("\uFEFF") ? text.substring(1) : text;
  }
}
