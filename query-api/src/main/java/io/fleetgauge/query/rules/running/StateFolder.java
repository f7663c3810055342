package io.fleetgauge.query.rules.running;

import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.query.rules.evaluation.GroupStateForm;
import io.fleetgauge.query.rules.ownership.GroupHash;
import io.fleetgauge.sample.files.PrivateFiles;
import io.fleetgauge.sample.wire.WireException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The states of groups on disk, a file each. Only the newest one of a group is written when several
 * wait. Safe for all threads; writing never keeps the caller waiting.
 */
final class StateFolder implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StateFolder.class);
  private static final String SUFFIX = ".state";
  private static final String TEMPORARY = ".tmp";
  private static final long CLOSE_SECONDS = 5;

  private final Path folder;
  private final ConcurrentHashMap<RuleGroup.Id, GroupState> waiting = new ConcurrentHashMap<>();
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("rule-states").factory());
  private final LongAdder failures = new LongAdder();

  private StateFolder(Path folder) {
    this.folder = folder;
  }

  /**
   * @param folder of {@code rules.folder}
   * @throws IOException if it cannot be used
   */
  static StateFolder open(Path folder) throws IOException {
    Path states = folder.resolve("states");
    PrivateFiles.createFolders(states);
    return new StateFolder(states);
  }

  /** Reads the states in the folder; a file that cannot be read is ignored. */
  List<GroupState> read() {
    List<GroupState> states = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + SUFFIX)) {
      for (Path file : files) {
        try {
          states.add(GroupStateForm.read(Files.readAllBytes(file)));
        } catch (IOException | WireException e) {
          failures.increment();
          LOG.warn(
              "the state of rules in {} cannot be used and is ignored: {}", file, e.toString());
        }
      }
    } catch (IOException e) {
      failures.increment();
      LOG.warn("the states of rules in {} cannot be read: {}", folder, e.toString());
    }
    return states;
  }

  void write(GroupState state) {
    if (waiting.put(state.group(), state) == null) {
      run(() -> writeNow(state.group()));
    }
  }

  /** The group is not known any more. */
  void forget(RuleGroup.Id group) {
    waiting.remove(group);
    run(
        () -> {
          try {
            Files.deleteIfExists(file(group));
          } catch (IOException e) {
            LOG.warn("the state of a group that is gone stays in {}: {}", folder, e.toString());
          }
        });
  }

  private void run(Runnable task) {
    try {
      thread.execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("not written, because this process stops", e);
    }
  }

  private void writeNow(RuleGroup.Id group) {
    GroupState state = waiting.remove(group);
    if (state == null) {
      return;
    }
    try {
      // A process that is killed meanwhile leaves the state before.
      Path next = folder.resolve("next" + TEMPORARY);
      PrivateFiles.write(next, GroupStateForm.toBytes(state));
      Files.move(
          next, file(group), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      failures.increment();
      LOG.warn("the state of group {} cannot be written: {}", group.key(), e.toString());
    }
  }

  private Path file(RuleGroup.Id group) {
    return folder.resolve(Long.toHexString(GroupHash.of(group)) + SUFFIX);
  }

  /** States that could not be read or written. */
  long failures() {
    return failures.sum();
  }

  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        thread.shutdownNow();
      }
    } catch (InterruptedException e) {
      thread.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
