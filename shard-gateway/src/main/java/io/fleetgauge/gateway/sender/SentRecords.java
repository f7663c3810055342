package io.fleetgauge.gateway.sender;

import io.fleetgauge.gateway.sender.SentProgress.Range;
import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is known of what has left, by receiver and host: of this gateway's hosts, and of those of
 * others, which may become its own. Safe for all threads.
 *
 * <p>As text, a line has the receiver, the host, the time up to which all has left, and gaps, each
 * as {@code after-to}; the line of the host {@code *} has the time at which sending began. Names
 * are percent-encoded, times are ms since the epoch.
 */
final class SentRecords {
  private static final Logger LOG = LoggerFactory.getLogger(SentRecords.class);
  private static final String BEGIN = "*";

  private final Path file;
  private final Map<Key, SentProgress> known = new TreeMap<>();
  private final Map<String, Long> begun = new TreeMap<>();
  private boolean isChanged;

  private record Key(String receiver, String host) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int order = receiver.compareTo(other.receiver);
      return order != 0 ? order : host.compareTo(other.host);
    }
  }

  SentRecords(Path file) {
    this.file = file;
  }

  /** Reads the file; without one nothing is known. */
  void open() throws IOException {
    try {
      take(Files.readString(file));
    } catch (NoSuchFileException e) {
      LOG.debug("no {}", file);
    }
  }

  /** When sending to a receiver began; now, if it is not known. */
  synchronized long begun(String receiver, long now) {
    Long at = begun.putIfAbsent(receiver, now);
    isChanged |= at == null;
    return at == null ? now : at;
  }

  /** What has left of a host, as far as it is known. */
  synchronized Optional<SentProgress> of(String receiver, String host) {
    return Optional.ofNullable(known.get(new Key(receiver, host))).map(SentProgress::copy);
  }

  /** Notes what has left of a host of this gateway. */
  synchronized void put(String receiver, String host, SentProgress progress) {
    SentProgress before = known.put(new Key(receiver, host), progress);
    isChanged |=
        before == null
            || before.until() != progress.until()
            || !before.gaps().equals(progress.gaps());
  }

  /** Forgets receivers and hosts that are no more. */
  synchronized void keepOnly(Collection<String> receivers, Collection<String> hosts) {
    isChanged |=
        known
            .keySet()
            .removeIf(key -> !receivers.contains(key.receiver) || !hosts.contains(key.host));
    isChanged |= begun.keySet().removeIf(receiver -> !receivers.contains(receiver));
  }

  /** Lines of some hosts, for another gateway. */
  synchronized String lines(Collection<String> hosts) {
    StringBuilder lines = new StringBuilder();
    begun.forEach((receiver, at) -> line(lines, receiver, BEGIN, new SentProgress(at)));
    known.forEach(
        (key, progress) -> {
          if (hosts.contains(key.host)) {
            line(lines, key.receiver, key.host, progress);
          }
        });
    return lines.toString();
  }

  private static void line(StringBuilder to, String receiver, String host, SentProgress of) {
    to.append(receiver)
        .append(' ')
        .append(host.equals(BEGIN) ? BEGIN : URLEncoder.encode(host, StandardCharsets.UTF_8))
        .append(' ')
        .append(of.until());
    for (Range gap : of.gaps()) {
      to.append(' ').append(gap.after()).append('-').append(gap.to());
    }
    to.append('\n');
  }

  /** Takes lines of another gateway, or of the file. Lines that are none are skipped. */
  synchronized void take(String lines) {
    for (String line : lines.lines().toList()) {
      try {
        String[] words = line.split(" ");
        long until = Long.parseLong(words[2]);
        if (words[1].equals(BEGIN)) {
          begun.merge(words[0], until, Math::min);
          isChanged = true;
          continue;
        }
        List<Range> gaps = new ArrayList<>();
        for (int i = 3; i < words.length; i++) {
          String[] times = words[i].split("-");
          gaps.add(new Range(Long.parseLong(times[0]), Long.parseLong(times[1])));
        }
        String host = URLDecoder.decode(words[1], StandardCharsets.UTF_8);
        Key key = new Key(words[0], host);
        SentProgress before = known.get(key);
        if (before == null || before.until() <= until) {
          known.put(key, new SentProgress(until, gaps));
          isChanged = true;
        }
      } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
        LOG.warn("what has left by remote write: the line \"{}\" is not valid", line);
      }
    }
  }

  /** Writes the file if something has changed. */
  void write() throws IOException {
    String lines;
    synchronized (this) {
      if (!isChanged) {
        return;
      }
      isChanged = false;
      lines = lines(known.keySet().stream().map(key -> key.host).toList());
    }
    PrivateFiles.createFolders(file.getParent());
    Path next = file.resolveSibling(file.getFileName() + ".new");
    PrivateFiles.writeAndForce(next, lines.getBytes(StandardCharsets.UTF_8));
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
