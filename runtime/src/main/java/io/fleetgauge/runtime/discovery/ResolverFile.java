package io.fleetgauge.runtime.discovery;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Settings by which the machine resolves names, as {@code /etc/resolv.conf} says.
 *
 * @param servers IP addresses
 * @param search domains that complete a name
 * @param ndots a name with fewer dots is completed first
 */
record ResolverFile(List<String> servers, List<String> search, int ndots) {
  static final Path PATH = Path.of("/etc/resolv.conf");

  private static final int MAX_NDOTS = 15;

  static ResolverFile read(Path file) {
    try {
      return parse(Files.readAllLines(file, StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      return parse(List.of());
    }
  }

  static ResolverFile parse(List<String> lines) {
    List<String> servers = new ArrayList<>();
    List<String> search = new ArrayList<>();
    int ndots = 1;
    for (String line : lines) {
      String[] words = line.replaceFirst("[#;].*", "").strip().split("\\s+");
      switch (words[0]) {
        case "nameserver" -> {
          if (words.length > 1) {
            servers.add(words[1].replaceFirst("%.*", ""));
          }
        }
        case "search", "domain" -> {
          search.clear(); // the last line counts
          search.addAll(List.of(words).subList(1, words.length));
        }
        case "options" -> {
          for (String word : words) {
            if (word.matches("ndots:\\d{1,2}")) {
              ndots = Math.min(MAX_NDOTS, Integer.parseInt(word.substring("ndots:".length())));
            }
          }
        }
        default -> {}
      }
    }
    return new ResolverFile(
        servers.isEmpty() ? List.of("127.0.0.1") : List.copyOf(servers),
        List.copyOf(search),
        ndots);
  }

  /** The names to ask for, in order, until one is known. */
  List<String> candidates(String name) {
    if (name.endsWith(".")) {
      return List.of(name);
    }
    List<String> names = new ArrayList<>();
    search.forEach(domain -> names.add(name + "." + domain.replaceFirst("\\.+$", "") + "."));
    boolean isFirst = name.chars().filter(each -> each == '.').count() >= ndots;
    names.add(isFirst ? 0 : names.size(), name + ".");
    return names;
  }
}
