package io.fleetgauge.query.rules.source;

import io.fleetgauge.query.rules.definition.InvalidRules;
import io.fleetgauge.query.rules.definition.RuleFileReader;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.definition.RuleProblem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.regex.PatternSyntaxException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The groups of rule files. Wrong files leave the groups as they are. Reading waits for the disk;
 * safe for all threads.
 */
public final class RuleFiles {
  private static final Logger LOG = LoggerFactory.getLogger(RuleFiles.class);
  private static final int MAX_FILES = 10_000;
  private static final int MAX_FILE_BYTES = 16 << 20;
  private static final String WILD = "*?[";

  private final Map<String, List<String>> patterns;
  private final RuleFileReader reader;
  private final GroupStore.Limits limits;
  private final LongSupplier clock;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private volatile Status status = new Status(0, 0, 0, List.of());
  private volatile List<RuleGroup> groups = List.of();
  private Contents tried = new Contents(Map.of(), List.of());
  private Contents before = tried;

  /**
   * The outcome of reading.
   *
   * @param lastSuccess ms since the epoch; 0 for never
   * @param successes number of times that files could be used
   * @param failures number of times that they could not
   * @param problems of the last reading; empty if it succeeded
   */
  public record Status(
      long lastSuccess, long successes, long failures, List<RuleProblem> problems) {
    boolean isGood() {
      return problems.isEmpty();
    }
  }

  /** One of the files that a tenant has. */
  private record TenantFile(String tenant, String path) implements Comparable<TenantFile> {
    @Override
    public int compareTo(TenantFile other) {
      int byTenant = tenant.compareTo(other.tenant);
      return byTenant != 0 ? byTenant : path.compareTo(other.path);
    }
  }

  /** The contents of all files at one time, and what could not be read. */
  private record Contents(Map<TenantFile, byte[]> contents, List<RuleProblem> problems) {
    boolean isSame(Contents other) {
      return problems.equals(other.problems)
          && contents.keySet().equals(other.contents.keySet())
          && contents.entrySet().stream()
              .allMatch(each -> Arrays.equals(each.getValue(), other.contents.get(each.getKey())));
    }
  }

  /**
   * @param patterns paths by tenant, the empty one for the operator; the last part of a path may
   *     have the wildcards {@code *}, {@code ?} and {@code [a-z]}
   * @param clock ms since the epoch
   */
  public RuleFiles(
      Map<String, List<String>> patterns,
      RuleFileReader reader,
      GroupStore.Limits limits,
      LongSupplier clock) {
    this.patterns = patterns;
    this.reader = reader;
    this.limits = limits;
    this.clock = clock;
  }

  /** Calls a listener after the groups have changed. */
  void onChange(Runnable listener) {
    listeners.add(listener);
  }

  /** The groups of the last files that could be used. */
  List<RuleGroup> groups() {
    return groups;
  }

  public Status status() {
    return status;
  }

  /**
   * Reads all files now.
   *
   * @throws InvalidRules with every problem of all files; the groups are as they were
   */
  public void reload() throws InvalidRules {
    boolean isChanged;
    synchronized (this) {
      before = seen();
      isChanged = use(before);
    }
    if (isChanged) {
      listeners.forEach(Runnable::run);
    }
  }

  /**
   * Reads the files if they have changed since they were last read, and have been as they are now
   * for one look already: a file that is being replaced is not taken for one that is gone, or half
   * of it for all.
   */
  void look() {
    boolean isChanged = false;
    synchronized (this) {
      Contents now = seen();
      boolean isSettled = now.isSame(before);
      before = now;
      if (isSettled && !now.isSame(tried)) {
        try {
          isChanged = use(now);
          LOG.info("rule files have changed: there are {} groups now", groups.size());
        } catch (InvalidRules e) {
          LOG.error(
              "the changed rule files are invalid, the previous rules stay in use:\n{}",
              e.getMessage());
        }
      }
    }
    if (isChanged) {
      listeners.forEach(Runnable::run);
    }
  }

  /** Returns whether the groups have changed. */
  private boolean use(Contents seen) throws InvalidRules {
    tried = seen;
    List<RuleGroup> read = new ArrayList<>();
    List<RuleProblem> problems = new ArrayList<>(seen.problems());
    seen.contents()
        .forEach(
            (file, text) -> {
              try {
                read.addAll(reader.read(file.tenant(), file.path(), text));
                RuleFileReader.unread(file.path(), text)
                    .ifPresent(warning -> LOG.warn("{}", warning));
              } catch (InvalidRules e) {
                problems.addAll(e.problems());
              }
            });
    checkLimits(read, problems);
    if (!problems.isEmpty()) {
      status =
          new Status(status.lastSuccess(), status.successes(), status.failures() + 1, problems);
      throw new InvalidRules(problems);
    }
    read.sort((a, b) -> a.id().compareTo(b.id()));
    status = new Status(clock.getAsLong(), status.successes() + 1, status.failures(), List.of());
    boolean isChanged = !read.equals(groups);
    groups = List.copyOf(read);
    return isChanged;
  }

  private void checkLimits(List<RuleGroup> read, List<RuleProblem> problems) {
    Map<String, int[]> counts = new TreeMap<>();
    for (RuleGroup group : read) {
      int[] count = counts.computeIfAbsent(group.id().tenant(), none -> new int[2]);
      boolean fitted = fits(count);
      count[0]++;
      count[1] += group.rules().size();
      if (fitted && !fits(count)) {
        problems.add(
            new RuleProblem(
                group.id().file(),
                0,
                0,
                "with the group \""
                    + group.id().name()
                    + "\" there are "
                    + count[0]
                    + " groups and "
                    + count[1]
                    + " rules"
                    + (group.id().tenant().isEmpty() ? "" : " of tenant " + group.id().tenant())
                    + "; rules.maxGroups is "
                    + limits.groups()
                    + ", rules.maxRules is "
                    + limits.rules()));
      }
    }
  }

  private boolean fits(int[] count) {
    return count[0] <= limits.groups() && count[1] <= limits.rules();
  }

  private Contents seen() {
    Map<TenantFile, byte[]> contents = new TreeMap<>();
    List<RuleProblem> problems = new ArrayList<>();
    patterns.forEach(
        (tenant, all) -> {
          for (String pattern : all) {
            for (String path : paths(pattern, problems)) {
              TenantFile file = new TenantFile(tenant, path);
              if (contents.containsKey(file)) {
                continue;
              }
              if (contents.size() >= MAX_FILES) {
                problems.add(problem(path, "there are more than " + MAX_FILES + " rule files"));
                return;
              }
              content(path, problems, text -> contents.put(file, text));
            }
          }
        });
    return new Contents(contents, problems);
  }

  private static void content(String path, List<RuleProblem> problems, Consumer<byte[]> into) {
    try (InputStream in = Files.newInputStream(Path.of(path))) {
      byte[] text = in.readNBytes(MAX_FILE_BYTES + 1);
      if (text.length > MAX_FILE_BYTES) {
        problems.add(
            problem(
                path, "the file has more than the " + MAX_FILE_BYTES + " bytes that are allowed"));
      } else {
        into.accept(text);
      }
    } catch (NoSuchFileException e) {
      problems.add(problem(path, "there is no such file"));
    } catch (IOException e) {
      problems.add(problem(path, "the file cannot be read: " + e));
    }
  }

  private static RuleProblem problem(String path, String message) {
    return new RuleProblem(path, 0, 0, message);
  }

  /** The files that a pattern stands for, sorted. */
  private static Iterable<String> paths(String pattern, List<RuleProblem> problems) {
    int slash = pattern.lastIndexOf('/');
    String name = pattern.substring(slash + 1);
    if (name.chars().noneMatch(c -> WILD.indexOf(c) >= 0)) {
      return List.of(pattern);
    }
    TreeSet<String> paths = new TreeSet<>();
    String folder = pattern.substring(0, slash + 1);
    String glob = name.replace("{", "\\{").replace("}", "\\}");
    try (DirectoryStream<Path> found =
        Files.newDirectoryStream(Path.of(folder.isEmpty() ? "." : folder), glob)) {
      found.forEach(each -> paths.add(folder + each.getFileName()));
    } catch (NoSuchFileException | NotDirectoryException e) {
      problems.add(problem(pattern, "there is no such folder"));
    } catch (IOException | DirectoryIteratorException e) {
      problems.add(problem(pattern, "the folder cannot be read: " + e));
    } catch (PatternSyntaxException e) {
      problems.add(problem(pattern, "the pattern is wrong: " + e.getDescription()));
    }
    return paths;
  }
}
