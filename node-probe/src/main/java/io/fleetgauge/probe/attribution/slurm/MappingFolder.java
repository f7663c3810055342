package io.fleetgauge.probe.attribution.slurm;

import io.fleetgauge.probe.attribution.Basis;
import io.fleetgauge.probe.attribution.Claim;
import io.fleetgauge.probe.attribution.DeviceIds;
import io.fleetgauge.probe.attribution.OwnerSource;
import io.fleetgauge.probe.attribution.allocation.AllocationSource;
import io.fleetgauge.probe.config.SlurmSettings;
import io.fleetgauge.probe.gpu.snapshot.GpuIdentity;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.sample.Labels;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * dcgm-exporter's folder of jobs: a file for each GPU, named by its number, or by that and the id
 * of a GPU instance ({@code 0.7}), or by a UUID. {@link #look} is for one thread; all else is for
 * any.
 */
public final class MappingFolder implements OwnerSource {
  /** Most files that are read. */
  static final int MAX_FILES = 512;

  /**
   * Age of a file whose job should have a cgroup: jobs get one when their first step begins, which
   * is soon after the prolog has written the file.
   */
  static final Duration STARTED = Duration.ofMinutes(10);

  private static final Logger LOG = LoggerFactory.getLogger(MappingFolder.class);
  private static final long KEEP_MILLIS = 60_000;
  private static final Pattern NUMBER = Pattern.compile("(\\d{1,6})(?:\\.(\\d{1,6}))?");
  private static final Pattern UUID = Pattern.compile("(?:GPU|MIG)-[0-9A-Za-z-]+|nvidia\\d{1,6}");

  private final Path folder;
  private final SlurmSettings.Numbers numbers;
  private final Optional<JobCgroups> cgroups;
  private final Supplier<List<GpuIdentity>> gpus;
  private final LongSupplier clock;
  private final LongSupplier millis;
  private final Set<String> seen = new HashSet<>();
  private volatile State state = new State(List.of(), false, OptionalLong.empty(), 0, 0);
  private String trouble = ""; // logged last

  /** A job of a file. */
  private record Entry(String file, Labels job) {}

  /** The result of the last look. */
  private record State(
      List<Entry> entries, boolean isUp, OptionalLong readAt, long errors, int stale) {}

  /**
   * @param cgroups tell which jobs have ended; empty if that is not looked at
   * @param gpus the GPUs of the node
   * @param clock ms since the epoch
   * @param millis a monotonic clock
   */
  public MappingFolder(
      Path folder,
      SlurmSettings.Numbers numbers,
      Optional<JobCgroups> cgroups,
      Supplier<List<GpuIdentity>> gpus,
      LongSupplier clock,
      LongSupplier millis) {
    this.folder = folder;
    this.numbers = numbers;
    this.cgroups = cgroups;
    this.gpus = gpus;
    this.clock = clock;
    this.millis = millis;
  }

  @Override
  public String name() {
    return "job_mapping";
  }

  @Override
  public Basis basis() {
    return Basis.ALLOCATION;
  }

  /** Jobs in files that have ended. */
  public int stale() {
    return state.stale();
  }

  @Override
  public Knowledge newest() {
    State now = state;
    OptionalLong age = now.readAt();
    if (age.isPresent()) {
      age = OptionalLong.of(millis.getAsLong() - age.getAsLong());
    }
    if (!now.isUp() || age.isEmpty() || age.getAsLong() > KEEP_MILLIS) {
      return Knowledge.unknown(age, now.errors());
    }
    DeviceIds devices = new DeviceIds(gpus.get());
    List<Claim> claims = new ArrayList<>();
    Set<String> unresolved = new HashSet<>();
    for (Entry entry : now.entries()) {
      Optional<GpuOwners.Gpu> gpu = find(devices, entry.file());
      gpu.ifPresentOrElse(
          of -> claims.addAll(AllocationSource.claims(devices, of, entry.job())),
          () -> unresolved.add(entry.file()));
    }
    return new Knowledge(claims, true, age, now.errors(), unresolved.size());
  }

  private Optional<GpuOwners.Gpu> find(DeviceIds devices, String name) {
    Matcher number = NUMBER.matcher(name);
    if (!number.matches()) {
      return devices.find(name);
    }
    int of = Integer.parseInt(number.group(1));
    Optional<GpuIdentity> gpu =
        numbers == SlurmSettings.Numbers.MINOR ? devices.byMinor(of) : devices.byIndex(of);
    return number.group(2) == null
        ? gpu.map(found -> GpuOwners.Gpu.whole(found.uuid()))
        : gpu.flatMap(found -> DeviceIds.instance(found, number.group(2)));
  }

  /** Reads the folder. */
  public void look() {
    String[] names = folder.toFile().list();
    if (names == null) {
      fail("the folder cannot be listed");
      return;
    }
    Arrays.sort(names);
    Optional<JobCgroups.Found> found = cgroups.flatMap(JobCgroups::read);
    List<Entry> entries = new ArrayList<>();
    Set<String> jobs = new HashSet<>();
    long errors = 0;
    int stale = 0;
    int files = 0;
    String problem = "";
    for (String name : names) {
      if (!NUMBER.matcher(name).matches() && !UUID.matcher(name).matches()) {
        continue;
      }
      Path file = folder.resolve(name);
      try {
        if (files++ == MAX_FILES) {
          throw new IOException("there are more than " + MAX_FILES + " files");
        }
        MappingFile read = read(file);
        boolean isOld =
            clock.getAsLong() - Files.getLastModifiedTime(file).toMillis() > STARTED.toMillis();
        for (Labels job : read.jobs()) {
          String id = job.value(MappingFile.JOB);
          jobs.add(id);
          if (found.isPresent() && hasEnded(found.get(), id, isOld)) {
            stale++;
          } else {
            entries.add(new Entry(name, job));
          }
        }
        if (read.damaged() > 0) {
          throw new IOException(name + " has " + read.damaged() + " lines that are no jobs");
        }
      } catch (NoSuchFileException e) {
        // An epilog was faster.
      } catch (IOException e) {
        errors++;
        problem = e.getMessage();
      }
      if (files > MAX_FILES) {
        break;
      }
    }
    seen.retainAll(jobs);
    report(problem);
    state =
        new State(
            List.copyOf(entries),
            true,
            OptionalLong.of(millis.getAsLong()),
            state.errors() + errors,
            stale);
  }

  private static MappingFile read(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw Files.exists(file)
          ? new IOException(file.getFileName() + " is not a file")
          : new NoSuchFileException(file.toString());
    }
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MappingFile.MAX_BYTES + 1);
      if (bytes.length > MappingFile.MAX_BYTES) {
        throw new IOException(
            file.getFileName() + " has more than " + MappingFile.MAX_BYTES + " bytes");
      }
      return MappingFile.read(new String(bytes, StandardCharsets.UTF_8));
    }
  }

  private boolean hasEnded(JobCgroups.Found found, String job, boolean isOld) {
    if (found.jobs().contains(job)) {
      seen.add(job);
      return false;
    }
    return seen.contains(job) || found.hasSlurm() && isOld;
  }

  private void fail(String why) {
    report(why);
    state = new State(List.of(), false, state.readAt(), state.errors() + 1, 0);
  }

  private void report(String why) {
    if (!why.isEmpty() && !why.equals(trouble)) {
      LOG.warn("jobs of GPUs in {}: {}; see attribution.slurm.mappingFolder", folder, why);
    }
    trouble = why;
  }
}
