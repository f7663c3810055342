package io.fleetgauge.query.inventory;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lists of hosts as Slurm writes them: {@code login,gpu[001-003,7],rack[1-2]n[1-4]}. */
final class HostList {
  static final int MOST_HOSTS = 65_536;

  private static final Pattern RANGE = Pattern.compile("(\\d{1,9})(?:-(\\d{1,9}))?");

  private HostList() {}

  /** The hosts of a list; empty if it cannot be read, or has too many. */
  static Optional<Set<String>> read(String text) {
    Set<String> hosts = new LinkedHashSet<>();
    int depth = 0;
    int from = 0;
    for (int i = 0; i <= text.length(); i++) {
      char c = i < text.length() ? text.charAt(i) : ',';
      depth += c == '[' ? 1 : c == ']' ? -1 : 0;
      boolean isEnd = i == text.length() || c == ',' && depth == 0;
      if (depth < 0 || depth > 1 || i == text.length() && depth != 0) {
        return Optional.empty();
      }
      if (isEnd) {
        Optional<List<String>> some = expand(text.substring(from, i).strip());
        if (some.isEmpty() || hosts.size() + some.get().size() > MOST_HOSTS) {
          return Optional.empty();
        }
        hosts.addAll(some.get());
        from = i + 1;
      }
    }
    return Optional.of(hosts);
  }

  /** The hosts of a name with numbers in brackets. */
  private static Optional<List<String>> expand(String name) {
    if (name.isEmpty()) {
      return Optional.empty();
    }
    int open = name.indexOf('[');
    if (open < 0) {
      return Optional.of(List.of(name));
    }
    int close = name.indexOf(']', open);
    Optional<List<String>> numbers = numbers(name.substring(open + 1, close));
    String after = name.substring(close + 1);
    Optional<List<String>> rest = after.isEmpty() ? Optional.of(List.of("")) : expand(after);
    if (numbers.isEmpty()
        || rest.isEmpty()
        || (long) numbers.get().size() * rest.get().size() > MOST_HOSTS) {
      return Optional.empty();
    }
    List<String> hosts = new ArrayList<>();
    for (String number : numbers.get()) {
      for (String end : rest.get()) {
        hosts.add(name.substring(0, open) + number + end);
      }
    }
    return Optional.of(hosts);
  }

  /** Numbers as long as the first of their range is written. */
  private static Optional<List<String>> numbers(String ranges) {
    List<String> numbers = new ArrayList<>();
    for (String range : ranges.split(",", -1)) {
      Matcher matcher = RANGE.matcher(range.strip());
      if (!matcher.matches()) {
        return Optional.empty();
      }
      int first = Integer.parseInt(matcher.group(1));
      int last = matcher.group(2) == null ? first : Integer.parseInt(matcher.group(2));
      if (last < first || numbers.size() + (long) last - first >= MOST_HOSTS) {
        return Optional.empty();
      }
      for (int number = first; number <= last; number++) {
        numbers.add(("%0" + matcher.group(1).length() + "d").formatted(number));
      }
    }
    return Optional.of(numbers);
  }
}
