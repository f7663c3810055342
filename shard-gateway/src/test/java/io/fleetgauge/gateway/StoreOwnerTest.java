package io.fleetgauge.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.runtime.process.StartFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreOwnerTest {
  @TempDir private Path folder;

  @Test
  void aGatewayComesBackToItsOwnStore() throws Exception {
    StoreOwner.claim(folder, "gateway-1");
    assertThatCode(() -> StoreOwner.claim(folder, "gateway-1")).doesNotThrowAnyException();
  }

  @Test
  void aGatewayWithAnotherIdIsRefusedWithBothIdsAndWhatToDo() throws Exception {
    StoreOwner.claim(folder, "gateway-1");
    assertThatThrownBy(() -> StoreOwner.claim(folder, "gateway-2"))
        .isInstanceOf(StartFailure.class)
        .hasMessage(
            "store.folder: "
                + folder
                + " has the samples of the gateway gateway-1, and this one's id is gateway-2; set"
                + " id: \"gateway-1\", or choose another folder to begin without samples");
    assertThat(Files.readString(folder.resolve("id"))).isEqualTo("gateway-1\n");
  }

  @Test
  void aStoreThatWasWrittenBeforeIdsWereKeptBelongsToWhoStartsWithIt() throws Exception {
    Files.createDirectory(folder.resolve("blocks"));
    assertThat(StoreOwner.other(folder, "gateway-2")).isEmpty();
    StoreOwner.claim(folder, "gateway-2");
    assertThat(StoreOwner.other(folder, "gateway-1")).contains("gateway-2");
  }

  @Test
  void anIdThatWasNotWrittenWholeIsWrittenAgain() throws Exception {
    Files.writeString(folder.resolve("id"), "");
    StoreOwner.claim(folder, "gateway-1");
    assertThat(StoreOwner.other(folder, "gateway-2")).contains("gateway-1");
  }

  @Test
  void anIdThatCannotBeReadIsNamedWithTheKeyOfTheFolder() throws Exception {
    Files.createDirectory(folder.resolve("id"));
    assertThatThrownBy(() -> StoreOwner.claim(folder, "gateway-1"))
        .isInstanceOf(StartFailure.class)
        .hasMessageStartingWith("store.folder: " + folder.resolve("id") + " cannot be used: ");
  }
}
