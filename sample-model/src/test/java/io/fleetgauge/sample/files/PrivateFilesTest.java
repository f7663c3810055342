package io.fleetgauge.sample.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateFilesTest {
  @TempDir private Path folder;
  private Path data;

  @BeforeEach
  void choose() {
    data = folder.resolve("data");
  }

  private static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  private static void allow(Path path, String permissions) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
  }

  private static void claim(Path path) throws IOException {
    PrivateFiles.claim(path, "lock"::equals);
  }

  @Test
  void whatIsCreatedIsForItsUserAlone() throws Exception {
    PrivateFiles.createFolders(data.resolve("a/b"));
    PrivateFiles.createFolders(data.resolve("c"));
    PrivateFiles.write(data.resolve("written"), new byte[] {1, 2});
    try (FileChannel channel =
        PrivateFiles.open(
            data.resolve("opened"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(new byte[] {1}));
    }
    for (String each : new String[] {"", "a", "a/b", "c"}) {
      assertThat(permissions(data.resolve(each))).as(each).isEqualTo("rwx------");
    }
    assertThat(permissions(data.resolve("written"))).isEqualTo("rw-------");
    assertThat(permissions(data.resolve("opened"))).isEqualTo("rw-------");
    assertThat(Files.readAllBytes(data.resolve("written"))).containsExactly(1, 2);
  }

  @Test
  void aFileThatIsWrittenAgainHasTheNewBytesOnly() throws Exception {
    Path file = folder.resolve("file");
    PrivateFiles.write(file, new byte[] {1, 2, 3});
    PrivateFiles.write(file, new byte[] {4});
    assertThat(Files.readAllBytes(file)).containsExactly(4);
  }

  @Test
  void aFolderThatIsNotThereIsCreatedForItsUserAlone() throws Exception {
    claim(data.resolve("deep"));
    assertThat(permissions(data)).isEqualTo("rwx------");
    assertThat(permissions(data.resolve("deep"))).isEqualTo("rwx------");
  }

  @Test
  void otherUsersLoseAFolderThatIsEmptyOrOfAnEarlierProcess() throws Exception {
    Files.createDirectory(data);
    for (String before : new String[] {"rwxr-xr-x", "rwxr-x---", "rwx--x--x"}) {
      allow(data, before);
      claim(data);
      assertThat(permissions(data)).as(before).isEqualTo("rwx------");
    }
    Files.createDirectory(data.resolve("lost+found"));
    allow(data, "rwxrwxrwx");
    claim(data);
    assertThat(permissions(data)).isEqualTo("rwx------");
    Files.createFile(data.resolve("other"));
    Files.createFile(data.resolve("lock"));
    allow(data, "rwxr-xr-x");
    claim(data);
    assertThat(permissions(data)).isEqualTo("rwx------");
  }

  @Test
  void aFolderWithFilesOfOthersIsNeverChanged() throws Exception {
    Files.createDirectory(data);
    Files.createFile(data.resolve("other"));
    allow(data, "rwxr-xr-x");
    assertThatThrownBy(() -> claim(data))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("other users may use it (rwxr-xr-x)")
        .hasMessageContaining("such as other; choose an empty folder, or one in it");
    assertThat(permissions(data)).isEqualTo("rwxr-xr-x");
    allow(data, "rwxr-x---"); // whoever gave it to a group, meant to
    claim(data);
    assertThat(permissions(data)).isEqualTo("rwxr-x---");
  }

  @Test
  void aFolderOfAnotherUserThatOthersMayWriteToIsRefused() throws Exception {
    Files.createDirectory(data);
    allow(data, "rwxrwxrwx");
    PosixFileAttributes open = Files.readAttributes(data, PosixFileAttributes.class);
    assertThatThrownBy(() -> PrivateFiles.stays(data, open, nobody()))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(
            "it belongs to " + open.owner() + ", and other users may write to it (rwxrwxrwx)")
        .hasMessageContaining("give it to nobody, or choose a folder in it");
    // A file system that keeps no permissions: the folder is ours and stays as it is.
    PrivateFiles.stays(data, open, open.owner());
  }

  @Test
  void aVolumeThatIsMountedForAGroupIsUsedAndWhatTheUserHasInItIsPrivate() throws Exception {
    Files.createDirectory(data);
    Path lock = Files.createFile(data.resolve("lock"));
    Path blocks = Files.createDirectory(data.resolve("blocks"));
    Path others = Files.createFile(data.resolve("others"));
    UserPrincipal user = Files.getOwner(lock);
    assumeTrue(user.getName().equals("root"), "only root gives files to others");
    allow(lock, "rw-r--r--");
    allow(blocks, "rwxr-xr-x");
    Files.setOwner(others, nobody());
    allow(others, "rw-r--r--");
    for (String mounted : new String[] {"rwxrwxr-x", "rwxrwx---"}) {
      Files.setOwner(data, nobody());
      allow(data, mounted);
      PosixFileAttributes of = Files.readAttributes(data, PosixFileAttributes.class);
      PrivateFiles.stays(data, of, user);
      assertThat(permissions(data)).isEqualTo(mounted);
      assertThat(permissions(lock)).isEqualTo("rw-------");
      assertThat(permissions(blocks)).isEqualTo("rwx------");
      assertThat(permissions(others)).as("it is not the user's").isEqualTo("rw-r--r--");
    }
  }

  private UserPrincipal nobody() throws IOException {
    return folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
  }

  @Test
  void nothingFailsOnAFileSystemWithoutPermissions() throws Exception {
    try (FileSystem zip =
        FileSystems.newFileSystem(folder.resolve("files.zip"), Map.of("create", "true"))) {
      Path in = zip.getPath("/data/deep");
      claim(in);
      claim(in);
      PrivateFiles.createFolders(in.resolve("more"));
      PrivateFiles.write(in.resolve("file"), new byte[] {7});
      assertThat(Files.readAllBytes(in.resolve("file"))).containsExactly(7);
      assertThat(PrivateFiles.secretProblem(in.resolve("file"))).isEmpty();
    }
  }

  @Test
  void aSecretThatAllUsersMayReadIsToldAndLeftAsItIs() throws Exception {
    Path secret = Files.writeString(folder.resolve("secret"), "text");
    for (String fine : new String[] {"rw-------", "rw-r-----", "r--------"}) {
      allow(secret, fine);
      assertThat(PrivateFiles.secretProblem(secret)).as(fine).isEmpty();
    }
    allow(secret, "rw-r--r--");
    assertThat(PrivateFiles.secretProblem(secret))
        .isEqualTo(
            "all users of this machine may use "
                + secret
                + " (rw-r--r--): change its permissions to 600, or 640 for a group");
    assertThat(permissions(secret)).isEqualTo("rw-r--r--");
    assertThatCode(() -> PrivateFiles.secretProblem(folder.resolve("nosuch")))
        .doesNotThrowAnyException();
  }

  @Test
  void aFolderIsDeletedWithAllInItAndNothingElseIs() throws Exception {
    Path other = Files.createDirectories(folder.resolve("other"));
    Path kept = Files.writeString(other.resolve("kept"), "x");
    Path deleted = Files.createDirectories(folder.resolve("deleted/below")).getParent();
    Files.writeString(deleted.resolve("below/file"), "x");
    Files.createSymbolicLink(deleted.resolve("link"), other);
    PrivateFiles.delete(deleted);
    PrivateFiles.delete(deleted);
    assertThat(deleted).doesNotExist();
    assertThat(kept).exists();
    assertThatThrownBy(() -> PrivateFiles.delete(kept)).isInstanceOf(NotDirectoryException.class);
    assertThat(kept).exists();
  }
}
