package io.fleetgauge.sample.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates files and folders, and checks those that are there. Safe for all threads. */
public final class PrivateFiles {
  private static final Logger LOG = LoggerFactory.getLogger(PrivateFiles.class);

  private static final Set<PosixFilePermission> OF_FILES =
      PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> OF_FOLDERS =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> OF_OTHERS =
      PosixFilePermissions.fromString("------rwx");

  /** Name of the folder that file systems put into an empty volume. */
  private static final String OF_VOLUMES = "lost+found";

  private PrivateFiles() {}

  /** Opens a file, or a folder to force its names to the disk, as {@link FileChannel#open} does. */
  public static FileChannel open(Path path, OpenOption... options) throws IOException {
    return FileChannel.open(path, Set.of(options), attributes(path, OF_FILES));
  }

  /** Writes a file; one that is there is overwritten. */
  public static void write(Path file, byte[] bytes) throws IOException {
    write(file, bytes, false);
  }

  /** As {@link #write}; afterwards a power failure does not lose what is in the file. */
  public static void writeAndForce(Path file, byte[] bytes) throws IOException {
    write(file, bytes, true);
  }

  private static void write(Path file, byte[] bytes, boolean force) throws IOException {
    try (FileChannel channel =
        open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer rest = ByteBuffer.wrap(bytes);
      while (rest.hasRemaining()) {
        channel.write(rest);
      }
      if (force) {
        channel.force(true);
      }
    }
  }

  /** Opens files, and folders to force the names in them to the disk. */
  @FunctionalInterface
  public interface Opener {
    FileChannel open(Path path, OpenOption... options) throws IOException;
  }

  /** Deletes a folder with all that is in it; one that is not there is none to delete. */
  public static void delete(Path folder) throws IOException {
    if (Files.notExists(folder, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    if (Files.isRegularFile(folder)) {
      throw new NotDirectoryException(folder.toString());
    }
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /**
   * Creates a folder with its parents, as far as they are not there. Afterwards a power failure
   * does not lose them.
   */
  public static void createFolders(Path folder) throws IOException {
    createFolders(folder, PrivateFiles::open);
  }

  /** As above. */
  public static void createFolders(Path folder, Opener opener) throws IOException {
    if (Files.isDirectory(folder)) {
      return;
    }
    Path parent = folder.toAbsolutePath().getParent();
    if (parent != null) {
      createFolders(parent, opener);
    }
    try {
      Files.createDirectory(folder, attributes(folder, OF_FOLDERS));
    } catch (FileAlreadyExistsException e) {
      if (Files.isDirectory(folder)) {
        return; // another thread or process was faster
      }
      throw e;
    }
    try {
      forceNames(parent, opener);
    } catch (IOException e) {
      Files.delete(folder);
      throw e;
    }
  }

  /**
   * Forces to the disk which files and folders are in a folder; nothing on file systems without
   * permissions, where folders cannot be opened.
   */
  public static void forceNames(Path folder, Opener opener) throws IOException {
    if (!hasPermissions(folder)) {
      return;
    }
    try (FileChannel names = opener.open(folder, StandardOpenOption.READ)) {
      names.force(true);
    }
  }

  /**
   * Creates a folder for the process alone. From one that is there, the permissions of other users
   * are taken, if it is empty or has files of the process.
   *
   * @param isOurs whether a file of this name is one of the process
   * @throws IOException if it cannot be created, or if other users may read it and that cannot be
   *     changed
   */
  public static void claim(Path folder, Predicate<String> isOurs) throws IOException {
    claim(folder, isOurs, PrivateFiles::open);
  }

  /** As above. */
  public static void claim(Path folder, Predicate<String> isOurs, Opener opener)
      throws IOException {
    createFolders(folder, opener);
    PosixFileAttributeView view = Files.getFileAttributeView(folder, PosixFileAttributeView.class);
    if (view == null) {
      return;
    }
    Set<PosixFilePermission> before = view.readAttributes().permissions();
    if (OF_FOLDERS.containsAll(before)) {
      return;
    }
    Optional<String> foreign = foreign(folder, isOurs);
    if (foreign.isPresent()) {
      if (mayOthers(before)) {
        throw new IOException(
            "other users may use it ("
                + PosixFilePermissions.toString(before)
                + "), and it is not changed because it has other files, such as "
                + foreign.get()
                + "; choose an empty folder, or one in it");
      }
      return;
    }
    try {
      view.setPermissions(OF_FOLDERS);
      LOG.warn(
          "other users could use the folder {} ({}): they may not any more",
          folder,
          PosixFilePermissions.toString(before));
    } catch (IOException e) {
      stays(folder, view.readAttributes(), user(folder));
    }
  }

  /** A file in a folder that is not one of the process; empty if there is none, or one that is. */
  private static Optional<String> foreign(Path folder, Predicate<String> isOurs)
      throws IOException {
    String found = null;
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        String name = file.getFileName().toString();
        if (isOurs.test(name)) {
          return Optional.empty();
        }
        found = found != null || name.equals(OF_VOLUMES) ? found : name;
      }
    }
    return Optional.ofNullable(found);
  }

  /** The user that the process runs as, as files in a folder show it. */
  private static UserPrincipal user(Path folder) throws IOException {
    Path file = Files.createTempFile(folder, "owner", "", attributes(folder, OF_FILES));
    try {
      return Files.getOwner(file);
    } finally {
      Files.delete(file);
    }
  }

  /**
   * The permissions of a folder cannot be changed, as those of a volume that is mounted for a
   * group. Others who can only list it may not read what the user has in it, and cannot replace it.
   *
   * @throws IOException if it belongs to another user and others may write to it
   */
  static void stays(Path folder, PosixFileAttributes of, UserPrincipal user) throws IOException {
    String permissions = PosixFilePermissions.toString(of.permissions());
    boolean isOfAnother = !of.owner().equals(user);
    if (isOfAnother && of.permissions().contains(PosixFilePermission.OTHERS_WRITE)) {
      throw new IOException(
          "it belongs to "
              + of.owner()
              + ", and other users may write to it ("
              + permissions
              + "); give it to "
              + user
              + ", or choose a folder in it, which is then created");
    }
    if (isOfAnother && mayOthers(of.permissions())) {
      close(folder, user);
    }
    LOG.warn(
        "the permissions of the folder {} ({}) cannot be changed to {}; files in it are private",
        folder,
        permissions,
        PosixFilePermissions.toString(OF_FOLDERS));
  }

  /** Takes the permissions of other users from what a user has in a folder. */
  private static void close(Path folder, UserPrincipal user) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      for (Path each : (Iterable<Path>) all::iterator) {
        PosixFileAttributes of = Files.readAttributes(each, PosixFileAttributes.class);
        if (of.owner().equals(user) && mayOthers(of.permissions())) {
          Files.setPosixFilePermissions(each, of.isDirectory() ? OF_FOLDERS : OF_FILES);
        }
      }
    }
  }

  /** Returns true if users other than the owner and its group may use a file or folder. */
  private static boolean mayOthers(Set<PosixFilePermission> permissions) {
    return permissions.stream().anyMatch(OF_OTHERS::contains);
  }

  /**
   * The problem with the permissions of a file that holds a secret; empty if there is none. It is
   * left as it is, because it belongs to whoever wrote it.
   */
  public static String secretProblem(Path file) {
    try {
      PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
      Set<PosixFilePermission> permissions =
          view == null
              ? EnumSet.noneOf(PosixFilePermission.class)
              : view.readAttributes().permissions();
      return mayOthers(permissions)
          ? "all users of this machine may use "
              + file
              + " ("
              + PosixFilePermissions.toString(permissions)
              + "): change its permissions to 600, or 640 for a group"
          : "";
    } catch (IOException e) {
      return ""; // reading it fails too, which is reported
    }
  }

  private static FileAttribute<?>[] attributes(Path path, Set<PosixFilePermission> permissions) {
    return hasPermissions(path)
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
        : new FileAttribute<?>[0];
  }

  private static boolean hasPermissions(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }
}
