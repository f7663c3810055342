package io.fleetgauge.query.rules.source;

import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.sample.files.PrivateFiles;
import io.fleetgauge.sample.wire.WireException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The groups that were set by API, on disk: one file each. */
final class GroupFolder {
  private static final Logger LOG = LoggerFactory.getLogger(GroupFolder.class);
  private static final String END = ".group";
  private static final String UNFINISHED = ".unfinished";

  private final Path folder;

  GroupFolder(Path folder) throws IOException {
    this.folder = folder;
    PrivateFiles.createFolders(folder);
  }

  /** All that can be read; what cannot is logged and stays where it is. */
  List<StoredGroup> read() throws IOException {
    List<StoredGroup> groups = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + END)) {
      for (Path file : files) {
        try {
          groups.add(StoredGroupForm.ofFile(Files.readAllBytes(file)));
        } catch (WireException | IOException e) {
          LOG.error("the rule group in {} cannot be read, it is left out: {}", file, e.toString());
        }
      }
    }
    return groups;
  }

  /** Keeps a group; afterwards a power failure does not lose it. */
  void write(StoredGroup group) throws IOException {
    Path file = file(group.id());
    Path unfinished = file.resolveSibling(file.getFileName() + UNFINISHED);
    PrivateFiles.writeAndForce(unfinished, StoredGroupForm.toFile(group));
    Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    PrivateFiles.forceNames(folder, PrivateFiles::open);
  }

  void remove(RuleGroup.Id id) throws IOException {
    Files.deleteIfExists(file(id));
  }

  private Path file(RuleGroup.Id id) {
    try {
      byte[] name =
          (id.tenant() + '\0' + id.file() + '\0' + id.name()).getBytes(StandardCharsets.UTF_8);
      return folder.resolve(
          HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(name)) + END);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }
}
