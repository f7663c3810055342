package io.fleetgauge.probe.faults;

import io.fleetgauge.sample.files.PrivateFiles;
import io.fleetgauge.sample.wire.WireException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Windows of faults as files. Not for several threads; its methods wait for the disk. */
final class WindowFolder {
  private static final Logger LOG = LoggerFactory.getLogger(WindowFolder.class);
  private static final String SUFFIX = ".window";
  private static final String UNFINISHED = ".unfinished";

  private final Path folder;
  private final int most;

  /**
   * @param most how many windows are kept
   */
  WindowFolder(Path folder, int most) {
    this.folder = folder;
    this.most = most;
  }

  /** The newest windows, oldest first. A file that cannot be read is told of and left out. */
  List<FaultWindow> load() {
    List<FaultWindow> windows = new ArrayList<>();
    try {
      for (Path file : files()) {
        try {
          if (Files.size(file) > WindowForm.MAX_BYTES) {
            throw new WireException("it has more than " + WindowForm.MAX_BYTES + " bytes");
          }
          windows.add(WindowForm.read(Files.readAllBytes(file)));
        } catch (WireException e) {
          LOG.error("the window of a fault in {} is left out: {}", file, e.getMessage());
        }
      }
    } catch (IOException e) {
      LOG.error("the windows of faults in {} cannot be read: {}", folder, e.toString());
    }
    windows.sort(Comparator.comparingLong(window -> window.first().time()));
    return windows.subList(Math.max(0, windows.size() - most), windows.size());
  }

  /** Files by name, which begins with the time of the fault. */
  private List<Path> files() throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(file -> file.getFileName().toString().endsWith(SUFFIX)).sorted().toList();
    }
  }

  /** Writes a window, and removes the oldest ones that are too many. */
  void save(FaultWindow window) throws IOException {
    PrivateFiles.createFolders(folder);
    Path file = folder.resolve(window.id() + SUFFIX);
    Path unfinished = folder.resolve(window.id() + UNFINISHED);
    PrivateFiles.write(unfinished, WindowForm.write(window));
    Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    List<Path> all = files();
    for (int i = 0; i < all.size() - most; i++) {
      Files.deleteIfExists(all.get(i));
    }
  }
}
