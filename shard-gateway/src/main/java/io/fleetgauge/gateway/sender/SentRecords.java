package io.fleetgauge.gateway.sender;

import io.fleetgauge.gateway.sender.SentRecord.Term;
import io.fleetgauge.gateway.sender.TimeRanges.Range;
import io.fleetgauge.sample.files.PrivateFiles;
import io.fleetgauge.sample.journal.Journal;
import java.io.IOException;
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
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The progress of the hosts that this gateway holds, by receiver and host: as it sent them, or as
 * their owner has told. Safe for all threads.
 *
 * <p>The file has a line for each, as {@link SentRecord} draws it. The line of the host {@code *}
 * has the time at which the cluster began to send to a receiver. The first line says where the
 * journal was when the rest was noted: {@code journal}, segment, records.
 */
final class SentRecords {
  private static final Logger LOG = LoggerFactory.getLogger(SentRecords.class);
  private static final String JOURNAL = "journal ";

  private final Path file;
  private final Map<Key, Known> known = new TreeMap<>();
  private final Map<String, Long> begun = new TreeMap<>();
  private String written = "";
  private Journal.Position position = new Journal.Position(Long.MAX_VALUE, 0);

  private record Key(String receiver, String host) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int order = receiver.compareTo(other.receiver);
      return order != 0 ? order : host.compareTo(other.host);
    }
  }

  /**
   * A record, and the times of late samples that its gaps may not have: those that this gateway has
   * heard of since it was told the last record, and between the last two. The owner has heard of
   * the latter before it told the last one.
   */
  private static final class Known {
    SentRecord record;
    TimeRanges heard = new TimeRanges();
    TimeRanges heardBefore = new TimeRanges();

    SentRecord all() {
      TimeRanges gaps = new TimeRanges(record.gaps());
      heard.list().forEach(gaps::add);
      heardBefore.list().forEach(gaps::add);
      return new SentRecord(
          record.receiver(), record.host(), record.term(), record.until(), gaps.list());
    }
  }

  SentRecords(Path file) {
    this.file = file;
  }

  /** Reads the file; without one nothing is known. */
  synchronized void open() throws IOException {
    String lines;
    try {
      lines = Files.readString(file);
    } catch (NoSuchFileException e) {
      LOG.debug("no {}", file);
      return;
    }
    position = position(lines.lines().findFirst().orElse(""));
    for (SentRecord each : parse(lines)) {
      if (each.isBegin()) {
        begun.put(each.receiver(), each.until());
        continue;
      }
      Known read = new Known();
      read.record = each;
      known.put(new Key(each.receiver(), each.host()), read);
    }
  }

  private static Journal.Position position(String line) {
    String[] words = line.split(" ");
    try {
      return new Journal.Position(Long.parseLong(words[1]), Long.parseLong(words[2]));
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      LOG.warn("progress of remote write: \"{}\" is no position of the journal", line);
      return Journal.Position.START;
    }
  }

  /** The place in the journal at which the file was written; behind all if there was none. */
  synchronized Journal.Position position() {
    return position;
  }

  /** The records of lines; a line that is none is skipped. */
  static List<SentRecord> parse(String lines) {
    List<SentRecord> all = new ArrayList<>();
    for (String line : lines.lines().toList()) {
      try {
        if (!line.startsWith(JOURNAL)) {
          all.add(SentRecord.parse(line));
        }
      } catch (IllegalArgumentException e) {
        LOG.warn("progress of remote write: \"{}\" is not valid: {}", line, e.getMessage());
      }
    }
    return all;
  }

  /** When sending to a receiver began; now, if it is not known. */
  synchronized long begun(String receiver, long now) {
    return begun.computeIfAbsent(receiver, none -> now);
  }

  /** The record of a time at which sending began. */
  synchronized SentRecord begin(String receiver) {
    return new SentRecord(receiver, SentRecord.BEGIN, Term.NONE, begun.get(receiver), List.of());
  }

  /** The record of a host, with all that it may lack. */
  synchronized Optional<SentRecord> of(String receiver, String host) {
    return Optional.ofNullable(known.get(new Key(receiver, host))).map(Known::all);
  }

  /** The newest time up to which a host is known to have been read, ms. */
  synchronized long until(Collection<String> receivers, String host) {
    long until = 0;
    for (String receiver : receivers) {
      Known of = known.get(new Key(receiver, host));
      until = of == null ? until : Math.max(until, of.record.until());
    }
    return until;
  }

  /** Takes the record of a host that this gateway sends, unless a later owner has told one. */
  synchronized void put(SentRecord sent) {
    Known now = new Known();
    now.record = sent;
    known.merge(
        new Key(sent.receiver(), sent.host()),
        now,
        (before, after) -> sent.term().isBefore(before.record.term()) ? before : after);
  }

  /**
   * Takes a record that another gateway has told, unless a newer one is known.
   *
   * @param now ms since the epoch
   */
  synchronized void told(SentRecord record, long now) {
    if (record.isBegin()) {
      if (record.until() <= now) {
        begun.merge(record.receiver(), record.until(), Math::min);
      }
      return;
    }
    Known before =
        known.computeIfAbsent(new Key(record.receiver(), record.host()), n -> new Known());
    if (before.record == null || !record.term().isBefore(before.record.term())) {
      before.record = record;
      before.heardBefore = before.heard;
      before.heard = new TimeRanges();
    }
  }

  /** A copy on this gateway has got a sample that may be late. */
  synchronized void heard(Collection<String> receivers, String host, Range times) {
    for (String receiver : receivers) {
      Known of = known.get(new Key(receiver, host));
      if (of != null) {
        of.heard.add(times);
      }
    }
  }

  /** Forgets receivers and hosts that are no more. */
  synchronized void keepOnly(Collection<String> receivers, Predicate<String> hosts) {
    known.keySet().removeIf(key -> !receivers.contains(key.receiver) || !hosts.test(key.host));
    begun.keySet().retainAll(receivers);
  }

  /**
   * Writes the file if something has changed.
   *
   * @param at where the journal was before the records were noted
   */
  void write(Journal.Position at) throws IOException {
    StringBuilder lines = new StringBuilder();
    lines.append(JOURNAL).append(at.segment()).append(' ').append(at.records()).append('\n');
    synchronized (this) {
      begun.keySet().forEach(receiver -> lines.append(begin(receiver).line()));
      known.values().forEach(each -> lines.append(each.all().line()));
    }
    String now = lines.toString();
    if (now.equals(written)) {
      return;
    }
    PrivateFiles.createFolders(file.getParent());
    Path next = file.resolveSibling(file.getFileName() + ".new");
    PrivateFiles.writeAndForce(next, now.getBytes(StandardCharsets.UTF_8));
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    written = now;
  }
}
