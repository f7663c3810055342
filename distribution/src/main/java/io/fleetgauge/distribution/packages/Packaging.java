package io.fleetgauge.distribution.packages;

import io.fleetgauge.distribution.process.ProcessFolder;
import io.fleetgauge.distribution.process.RuntimeImage;
import io.fleetgauge.distribution.process.ShippedProcess;
import io.fleetgauge.distribution.training.ClassCaches;
import io.fleetgauge.sample.files.PrivateFiles;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Makes the folders of processes and the archives. */
public final class Packaging {
  private final Path installed;
  private final Path target;
  private final FileTime time;
  private final Instant built;
  private final BillOfMaterials materials;
  private final Map<List<String>, Path> images = new HashMap<>();
  private final Map<ShippedProcess, ProcessFolder> folders = new EnumMap<>(ShippedProcess.class);

  private Packaging(Path installed, Path target, FileTime time, Instant built, Path repository) {
    this.installed = installed;
    this.target = target;
    this.time = time;
    this.built = built;
    this.materials = new BillOfMaterials(version(), built, repository, classPath());
  }

  /**
   * Arguments: the folder of the unpacked general archive; the folder for folders and archives; the
   * C source of the stand-in driver; the time that files get, which is always the same, so that
   * caches and layers fit the next build too; when the sources were written; the folder for caches
   * of earlier builds; the processes, separated by commas, of which the probe is one; the local
   * repository of Maven; an unpacked archive whose caches are used, or nothing.
   */
  public static void main(String[] arguments) throws Exception {
    String hindrance = RuntimeImage.hindrance();
    if (!hindrance.isEmpty()) {
      System.err.println("No folders of processes and no archives of them are built: " + hindrance);
      return;
    }
    Packaging packaging =
        new Packaging(
            Path.of(arguments[0]),
            Path.of(arguments[1]),
            FileTime.from(Instant.parse(arguments[3])),
            Instant.parse(arguments[4]),
            Path.of(arguments[7]));
    PrivateFiles.delete(packaging.processes());
    for (String process : arguments[6].split(",")) {
      packaging.layOut(ShippedProcess.valueOf(process.toUpperCase(Locale.ROOT)));
    }
    packaging.layOutTop();
    packaging.shareFiles();
    packaging.makeCaches(
        Path.of(arguments[2]),
        Path.of(arguments[5]),
        Arrays.stream(arguments).skip(8).filter(each -> !each.isEmpty()).map(Path::of).findFirst());
    packaging.pack();
  }

  private static List<Path> classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(Path::of)
        .toList();
  }

  private void layOut(ShippedProcess process)
      throws IOException, InterruptedException, GeneralSecurityException {
    Path home = processes().resolve(process.command());
    ProcessFolder folder = new ProcessFolder(process, home);
    folder.layOut(installed, images);
    Manual manual = manual(home);
    manual.ofProcess(process.command());
    if (process.commands().size() > 1) {
      manual.ofLauncher(process.commands());
    }
    materials.write(
        "fleetgauge-" + process.command(), List.of(folder), home.resolve(BillOfMaterials.FILE));
    folder.settle(time);
    folders.put(process, folder);
  }

  private Manual manual(Path home) {
    return new Manual(home.resolve("share"), version(), built.toString().substring(0, 10));
  }

  private String version() {
    return installed.getFileName().toString().replaceFirst("fleetgauge-", "");
  }

  /** Gateway and query API have most files in common, which archives then have once. */
  private void shareFiles() throws IOException {
    ProcessFolder gateway = folders.get(ShippedProcess.GATEWAY);
    ProcessFolder query = folders.get(ShippedProcess.QUERY);
    if (gateway == null || query == null) {
      return;
    }
    Map<String, Path> ofGateway = gateway.files();
    for (Map.Entry<String, Path> each : query.files().entrySet()) {
      Path same = ofGateway.get(each.getKey());
      if (same != null && Files.isRegularFile(same) && Files.mismatch(same, each.getValue()) < 0) {
        Files.delete(each.getValue());
        Files.createLink(each.getValue(), same);
      }
    }
    query.settle(time);
  }

  private void makeCaches(Path driverSource, Path kept, Optional<Path> given)
      throws IOException, InterruptedException, GeneralSecurityException {
    Path work = target.resolve("training");
    PrivateFiles.delete(work);
    new ClassCaches(work, driverSource, kept, given).make(folders);
    ProcessFolder.settle(processes(), time);
  }

  private void pack() throws IOException, InterruptedException, GeneralSecurityException {
    Path packages = target.resolve("packages");
    Files.createDirectories(packages);
    Archive archive = new Archive(packages, time);
    String platform = version() + "-linux-" + ProcessFolder.architecture();
    List<Path> files = new ArrayList<>();
    Path probe = folders.get(ShippedProcess.PROBE).home();
    files.add(archive.pack("fleetgauge-probe-" + platform, probe));
    if (folders.size() == ShippedProcess.values().length) {
      files.add(archive.pack("fleetgauge-" + platform, processes()));
    }
    archive.sums(files);
  }

  /** The folder of the folders, which is what the archive of all processes unpacks to. */
  private Path processes() {
    return target.resolve("processes");
  }

  /**
   * Adds what the archive of all processes has beside their folders: the launcher that finds them.
   */
  private void layOutTop() throws IOException, GeneralSecurityException {
    for (String name : List.of("bin/fleetgauge", "LICENSE", "README.md")) {
      Path to = processes().resolve(name);
      Files.createDirectories(to.getParent());
      Files.copy(installed.resolve(name), to, StandardCopyOption.COPY_ATTRIBUTES);
    }
    manual(processes())
        .ofLauncher(folders.keySet().stream().flatMap(each -> each.commands().stream()).toList());
    materials.write("fleetgauge", folders.values(), processes().resolve(BillOfMaterials.FILE));
  }
}
