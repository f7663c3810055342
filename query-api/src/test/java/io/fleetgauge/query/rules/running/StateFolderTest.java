package io.fleetgauge.query.rules.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.query.rules.ownership.GroupHash;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateFolderTest {
  private static final RuleGroup.Id GROUP = new RuleGroup.Id("t", "f", "g");
  private static final RuleGroup.Id OTHER = new RuleGroup.Id("", "f", "g");

  @TempDir private Path folder;

  private static GroupState state(RuleGroup.Id group, long slot) {
    return new GroupState(group, slot, "d", List.of("n1"), List.of());
  }

  private Path file(RuleGroup.Id group) {
    return folder.resolve("states/" + Long.toHexString(GroupHash.of(group)) + ".state");
  }

  /** What a process that starts after this one reads. */
  private List<GroupState> kept() throws IOException {
    try (StateFolder states = StateFolder.open(folder)) {
      return states.read();
    }
  }

  @Test
  void theNewestStateOfEachGroupIsReadByTheNextProcess() throws IOException {
    try (StateFolder states = StateFolder.open(folder)) {
      for (long slot = 1; slot <= 50; slot++) {
        states.write(state(GROUP, slot));
      }
      states.write(state(OTHER, 7));
    }
    assertThat(kept()).containsExactlyInAnyOrder(state(GROUP, 50), state(OTHER, 7));
    assertThat(folder.resolve("states")).isDirectoryNotContaining("glob:**.tmp");
  }

  @Test
  void statesAreForTheUserOfTheProcessOnly() throws IOException {
    try (StateFolder states = StateFolder.open(folder)) {
      states.write(state(GROUP, 1));
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file(GROUP))))
        .isEqualTo("rw-------");
  }

  @Test
  void theStateOfAGroupThatIsForgottenIsGoneEvenIfItWaited() throws IOException {
    try (StateFolder states = StateFolder.open(folder)) {
      states.write(state(GROUP, 1));
      states.write(state(OTHER, 1));
    }
    try (StateFolder states = StateFolder.open(folder)) {
      states.write(state(GROUP, 2));
      states.forget(GROUP);
      states.forget(new RuleGroup.Id("", "f", "never there"));
    }
    assertThat(kept()).containsExactly(state(OTHER, 1));
  }

  @Test
  void aDamagedFileIsCountedAndTheOthersAreRead() throws IOException {
    try (StateFolder states = StateFolder.open(folder)) {
      states.write(state(GROUP, 1));
      states.write(state(OTHER, 1));
    }
    Files.write(file(GROUP), new byte[] {1, 2, 3});
    Files.createDirectory(folder.resolve("states/0.state"));
    Files.writeString(folder.resolve("states/README"), "not a state");
    try (StateFolder states = StateFolder.open(folder)) {
      assertThat(states.read()).containsExactly(state(OTHER, 1));
      assertThat(states.failures()).isEqualTo(2);
    }
  }

  @Test
  void aStateThatCannotBeWrittenIsCountedAndTheNextOneIsTried() throws IOException {
    try (StateFolder states = StateFolder.open(folder)) {
      states.write(state(GROUP, 1));
    }
    Files.createDirectories(folder.resolve("states/next.tmp"));
    StateFolder states = StateFolder.open(folder);
    states.write(state(GROUP, 2));
    states.close();
    assertThat(states.failures()).isEqualTo(1);
    assertThat(kept()).as("the state before").containsExactly(state(GROUP, 1));
    Files.delete(folder.resolve("states/next.tmp"));
    try (StateFolder again = StateFolder.open(folder)) {
      again.write(state(GROUP, 3));
    }
    assertThat(kept()).containsExactly(state(GROUP, 3));
  }

  @Test
  void aFolderThatHasGoneIsCounted() throws IOException {
    try (StateFolder states = StateFolder.open(folder)) {
      Files.delete(folder.resolve("states"));
      assertThat(states.read()).isEmpty();
      assertThat(states.failures()).isEqualTo(1);
    }
  }

  @Test
  void aFolderThatCannotBeMadeIsAnError() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    assertThatThrownBy(() -> StateFolder.open(file)).isInstanceOf(IOException.class);
  }

  @Test
  void nothingIsWrittenAfterTheEnd() throws IOException {
    StateFolder states = StateFolder.open(folder);
    states.close();
    states.write(state(GROUP, 1));
    states.forget(GROUP);
    states.close();
    assertThat(kept()).isEmpty();
  }
}
