package io.fleetgauge.gateway.usage;

import io.fleetgauge.gateway.store.block.BlockFolder;
import io.fleetgauge.promql.usage.KeptDay;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The files of all hosts of a gateway. Safe for all threads. */
public final class UsageFiles {
  private static final Logger LOG = LoggerFactory.getLogger(UsageFiles.class);

  private static final OfHost NONE = new OfHost();

  private final Path root;
  private final long retentionMillis;
  private final UsageCounts counts = new UsageCounts();
  private final Map<String, OfHost> hosts = new ConcurrentHashMap<>();
  private final AtomicLong files = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();

  /** The files of one host, which its monitor guards while they are written. */
  private static final class OfHost {
    final ConcurrentNavigableMap<Long, Entry> days = new ConcurrentSkipListMap<>();
    final ConcurrentNavigableMap<Long, Entry> months = new ConcurrentSkipListMap<>();

    /** Months that cannot be one file, because their days are of different terms. */
    final Set<Long> mixed = ConcurrentHashMap.newKeySet();

    /** Days whose files were damaged: they are missing until they are there again. */
    final Set<Long> damaged = new ConcurrentSkipListSet<>();
  }

  /** A file on the disk. */
  private static final class Entry {
    final long size;

    /** Null until the file has been read. */
    volatile UsageFile.Source source;

    Entry(long size, UsageFile.Source source) {
      this.size = size;
      this.source = source;
    }
  }

  /**
   * @param root of the hosts' folders
   * @param retention age at which files are removed; zero if nothing is kept
   */
  public UsageFiles(Path root, Duration retention) {
    this.root = root;
    this.retentionMillis = retention.toMillis();
  }

  /** Returns true if usage is kept at all. */
  public boolean isKept() {
    return retentionMillis > 0;
  }

  public long retentionMillis() {
    return retentionMillis;
  }

  public UsageCounts counts() {
    return counts;
  }

  public long fileCount() {
    return files.get();
  }

  public long fileBytes() {
    return bytes.get();
  }

  /** The file of a name; only the last part of it counts, because it may come from outside. */
  private Path path(String host, String name) {
    return BlockFolder.of(root, host).resolve(Path.of(name).getFileName());
  }

  /**
   * Finds the files of a host that are there from before the start.
   *
   * @throws IOException if the folder cannot be read
   */
  public void restore(String host) throws IOException {
    Path folder = BlockFolder.of(root, host);
    if (!Files.isDirectory(folder)) {
      return;
    }
    try (Stream<Path> all = Files.list(folder)) {
      for (Path file : (Iterable<Path>) all::iterator) {
        String name = file.getFileName().toString();
        Entry entry = new Entry(Files.size(file), null);
        OptionalLong day = UsageFile.day(name);
        if (day.isPresent()) {
          add(host(host).days, day.getAsLong(), entry);
        }
        OptionalLong month = UsageFile.month(name);
        if (month.isPresent()) {
          add(host(host).months, month.getAsLong(), entry);
        }
      }
    }
  }

  private OfHost host(String host) {
    return hosts.computeIfAbsent(host, none -> new OfHost());
  }

  private void add(Map<Long, Entry> all, long from, Entry entry) {
    Entry before = all.put(from, entry);
    files.addAndGet(before == null ? 1 : 0);
    bytes.addAndGet(entry.size - (before == null ? 0 : before.size));
  }

  /** Returns true if there is a file of the host. */
  public boolean has(String host) {
    return !days(host).isEmpty();
  }

  /** The start of the last day of a host of which there is a file, ms; empty if there is none. */
  public OptionalLong lastDay(String host) {
    Map.Entry<Long, Entry> last = days(host).lastEntry();
    return last == null ? OptionalLong.empty() : OptionalLong.of(last.getKey());
  }

  /** Returns true if there is a file of a day of the host. */
  public boolean has(String host, long day) {
    return days(host).containsKey(day);
  }

  private ConcurrentNavigableMap<Long, Entry> days(String host) {
    return hosts.getOrDefault(host, NONE).days;
  }

  private ConcurrentNavigableMap<Long, Entry> months(String host) {
    return hosts.getOrDefault(host, NONE).months;
  }

  /** The names of a host's days, in order. */
  public List<String> names(String host) {
    return days(host).keySet().stream().map(UsageFile::name).toList();
  }

  /** The paths of a host's days, in order. */
  public List<Path> paths(String host) {
    return names(host).stream().map(name -> path(host, name)).toList();
  }

  /**
   * The days of a host of which there is a file, in order.
   *
   * @param from the start of the first day at the earliest, ms
   * @param to the start of the last day is before it, ms
   */
  public List<Long> days(String host, long from, long to) {
    return from < to ? List.copyOf(days(host).subMap(from, to).keySet()) : List.of();
  }

  /** The days of a host whose files were damaged and are not there again, in order. */
  List<Long> damaged(String host, long from, long to) {
    return hosts.getOrDefault(host, NONE).damaged.stream()
        .filter(day -> from <= day && day < to)
        .toList();
  }

  /** Returns true if {@link #days} or {@link #damaged} has any. */
  boolean hasAny(String host, long from, long to) {
    Long day = days(host).ceilingKey(from);
    return day != null && day < to || !damaged(host, from, to).isEmpty();
  }

  /** Size of the file of a day; 0 if there is none. */
  long bytes(String host, long day) {
    return size(days(host).get(day));
  }

  /** Size of the file of a month; 0 if there is none. */
  long monthBytes(String host, long month) {
    return size(months(host).get(month));
  }

  private static long size(Entry entry) {
    return entry == null ? 0 : entry.size;
  }

  /** The blocks that the file of a day was made of. */
  public Optional<UsageFile.Source> source(String host, long day) {
    Entry entry = days(host).get(day);
    if (entry != null && entry.source == null) {
      entry.source = read(host, day).map(UsageFile::source).orElse(null);
    }
    return Optional.ofNullable(entry).map(each -> each.source);
  }

  /** The file of a day; empty if there is none, or it is damaged, and none any more. */
  public Optional<UsageFile> read(String host, long day) {
    return read(host, days(host), day, UsageFile.name(day));
  }

  /** The file of a month; as {@link #read}. */
  Optional<UsageFile> readMonth(String host, long month) {
    return read(host, months(host), month, UsageFile.monthName(month));
  }

  private Optional<UsageFile> read(String host, Map<Long, Entry> all, long from, String name) {
    if (!all.containsKey(from)) {
      return Optional.empty();
    }
    Path path = path(host, name);
    try {
      UsageFile file = UsageFile.read(Files.readAllBytes(path));
      if (!file.host().equals(host) || !file.name().equals(name)) {
        throw new UsageFile.DamagedUsage(
            "it is that of host " + file.host() + " and " + file.name(), null);
      }
      return Optional.of(file);
    } catch (NoSuchFileException e) {
      forget(all, from); // it has expired or was removed
      return Optional.empty();
    } catch (UsageFile.OtherVersion e) {
      LOG.error("the usage in {} cannot be read: {}", path, e.getMessage());
      return Optional.empty();
    } catch (UsageFile.DamagedUsage e) {
      counts.damaged.increment();
      LOG.error(
          "the usage in {} is damaged: {}; it is computed again or fetched from another gateway",
          path,
          e.getMessage());
      remove(host(host), all, from, path);
      return Optional.empty();
    } catch (IOException e) {
      // It may be there: the process may have too many open files.
      LOG.error("the usage in {} cannot be read: {}", path, e.toString());
      return Optional.empty();
    }
  }

  /** Removes a damaged file, unless another one has come in its place. */
  private void remove(OfHost ofHost, Map<Long, Entry> all, long from, Path path) {
    synchronized (ofHost) {
      try {
        UsageFile.read(Files.readAllBytes(path));
        return;
      } catch (IOException e) {
        LOG.debug("{} is damaged", path);
      }
      if (all == ofHost.days) {
        ofHost.damaged.add(from);
      }
      forget(all, from);
      try {
        Files.deleteIfExists(path);
      } catch (IOException e) {
        LOG.warn("a damaged file of usage cannot be removed: {}", e.toString());
      }
    }
  }

  /** Writes the file of a day, in the place of one that is there. */
  public void put(UsageFile file) throws IOException {
    OfHost ofHost = host(file.host());
    synchronized (ofHost) {
      deleteMonth(file.host(), KeptUsage.monthOf(file.from()));
      write(ofHost.days, file);
      ofHost.damaged.remove(file.from());
    }
  }

  private void write(Map<Long, Entry> all, UsageFile file) throws IOException {
    byte[] content = file.toBytes();
    BlockFolder.put(path(file.host(), file.name()), ByteBuffer.wrap(content));
    add(all, file.from(), new Entry(content.length, file.source()));
  }

  /**
   * The months of a host that have ended and of which there are days, but no file.
   *
   * @param now ms since the epoch
   */
  public List<Long> monthsMissing(String host, long now) {
    OfHost ofHost = hosts.getOrDefault(host, NONE);
    List<Long> missing = new ArrayList<>();
    Long day = ofHost.days.isEmpty() ? null : ofHost.days.firstKey();
    while (day != null) {
      long month = KeptUsage.monthOf(day);
      long after = KeptUsage.monthAfter(month);
      if (after <= now
          && !ofHost.months.containsKey(month)
          && !ofHost.mixed.contains(month)
          && !isExpired(month, now)) {
        missing.add(month);
      }
      day = ofHost.days.ceilingKey(after);
    }
    return missing;
  }

  /** Makes the file of a month of its days; nothing if one of them is not there any more. */
  public void makeMonth(String host, long month) throws IOException {
    OfHost ofHost = host(host);
    Map<Long, Entry> days = ofHost.days.subMap(month, KeptUsage.monthAfter(month));
    Map<Long, Entry> before = new TreeMap<>(days);
    List<UsageFile> all = new ArrayList<>();
    for (long day : before.keySet()) {
      read(host, day).ifPresent(all::add);
    }
    boolean isMixed = all.stream().map(UsageFile::terms).distinct().count() > 1;
    if (all.isEmpty() || isMixed) {
      ofHost.mixed.add(month);
      return;
    }
    UsageFile file = UsageFile.ofMonth(host, month, all);
    synchronized (ofHost) {
      // A day that has come meanwhile is not in it.
      if (days.equals(before)) {
        write(ofHost.months, file);
      }
    }
  }

  /**
   * Takes in a file of another gateway or of a backup, if there is none of its day and it has not
   * expired.
   *
   * @param now ms since the epoch
   * @return whether it was taken in
   * @throws UsageFile.DamagedUsage if it is damaged or another one than its name says
   * @throws IOException if it cannot be written
   */
  public boolean take(String host, String name, byte[] all, long now) throws IOException {
    UsageFile file = UsageFile.read(all);
    if (!file.host().equals(host) || !file.name().equals(name)) {
      throw new UsageFile.DamagedUsage(
          "the file " + name + " is that of host " + file.host() + " and " + file.name(), null);
    }
    if (has(host, file.from()) || isExpired(file.from(), now)) {
      return false;
    }
    put(file);
    return true;
  }

  /** Returns true if a day is too old to be kept. */
  public boolean isExpired(long day, long now) {
    return day < oldest(now);
  }

  private long oldest(long now) {
    return now - retentionMillis - KeptDay.MILLIS;
  }

  /** Removes the files of a host that have expired. */
  public void expire(String host, long now) {
    hosts.getOrDefault(host, NONE).damaged.removeIf(day -> day < oldest(now));
    deleteDays(host, days(host).headMap(oldest(now)).keySet());
  }

  /** Removes all files of a host. */
  public void remove(String host) {
    hosts.getOrDefault(host, NONE).damaged.clear();
    deleteDays(host, days(host).keySet());
  }

  private void deleteDays(String host, Set<Long> days) {
    OfHost ofHost = hosts.getOrDefault(host, NONE);
    synchronized (ofHost) {
      for (long day : days) {
        deleteMonth(host, KeptUsage.monthOf(day));
        delete(host, ofHost.days, day, UsageFile.name(day));
      }
    }
  }

  private void deleteMonth(String host, long month) {
    hosts.getOrDefault(host, NONE).mixed.remove(month);
    if (months(host).containsKey(month)) {
      delete(host, months(host), month, UsageFile.monthName(month));
    }
  }

  private void forget(Map<Long, Entry> all, long from) {
    Entry gone = all.remove(from);
    if (gone != null) {
      files.decrementAndGet();
      bytes.addAndGet(-gone.size);
    }
  }

  private void delete(String host, Map<Long, Entry> all, long from, String name) {
    forget(all, from);
    try {
      Files.deleteIfExists(path(host, name));
    } catch (IOException e) {
      LOG.warn("an obsolete file of usage cannot be removed: {}", e.toString());
    }
  }

  /** Names of a list that are files of usage which are not here. */
  public List<String> missing(String host, List<String> names) {
    List<String> missing = new ArrayList<>();
    for (String name : names) {
      OptionalLong day = UsageFile.day(name);
      if (day.isPresent() && !has(host, day.getAsLong())) {
        missing.add(name);
      }
    }
    return missing;
  }
}
