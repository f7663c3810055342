package io.fleetgauge.query.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InventoryFileTest {
  private Path path;
  private InventoryFile file;

  @BeforeEach
  void begin(@TempDir Path folder) {
    path = folder.resolve("inventory.yaml");
    file = new InventoryFile(Optional.of(path));
  }

  private List<String> hosts(String yaml) throws Exception {
    Files.writeString(path, yaml);
    file.look();
    return file.content().hosts().stream().map(PlannedHost::name).toList();
  }

  @Test
  void anEntrySaysWhatItsHostsHave() throws Exception {
    hosts("hosts: [{host: 'n[1-2]', gpus: 4, links: 18, domain: a, rack: r1}, {host: n3}]");
    assertThat(file.content().hosts())
        .containsExactly(
            new PlannedHost("n1", OptionalInt.of(4), OptionalInt.of(18), "a", "r1"),
            new PlannedHost("n2", OptionalInt.of(4), OptionalInt.of(18), "a", "r1"),
            PlannedHost.of("n3"));
    assertThat(file.content().problems()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{host: 'n[1-'} | host \"n[1-\" is no name, and no list such as gpu[001-018]",
        "{gpus: 8} | host \"\" is no name, and no list such as gpu[001-018]",
        "{host: n2, gpus: -1} | gpus is -1; allowed is 0 to 256",
        "{host: n2, gpus: 257} | gpus is 257; allowed is 0 to 256",
        "{host: n2, gpus: 1.5} | gpus is 1.5; allowed is 0 to 256",
        "{host: n2, gpus: many} | gpus is many; allowed is 0 to 256",
        "{host: n2, links: 65} | links is 65; allowed is 0 to 64",
        "{host: n2, gpu: 8} | gpu is unknown; known is [domain, gpus, host, links, rack]",
        "{host: n2, rack: [1]} | rack has no value",
        "{host: 'n[1-2]'} | n1 is in an entry before",
        "n2 | it has no keys"
      })
  void anOddEntryCostsItselfAndIsNamed(String entry, String problem) throws Exception {
    assertThat(hosts("hosts: [{host: n1}, " + entry + ", {host: n3}]")).containsExactly("n1", "n3");
    assertThat(file.content().problems())
        .containsExactly("entry 2 of hosts is left out: " + problem);
  }

  @Test
  void theFileIsReadAgainWhenItHasChanged() throws Exception {
    assertThat(hosts("hosts: [{host: n1}]")).containsExactly("n1");
    InventoryFile.Content before = file.content();
    file.look();
    assertThat(file.content()).isSameAs(before);
    assertThat(hosts("hosts: [{host: n2}]")).containsExactly("n2");
    assertThat(hosts("")).isEmpty();
  }

  @Test
  void whatItSaidStaysWhileItIsNoFileOfThisForm() throws Exception {
    hosts("hosts: [{host: n1}]");
    for (String text : List.of("hosts: [", "hosts: 7", "a: b", "- n1")) {
      assertThat(hosts(text)).as(text).containsExactly("n1");
      assertThat(file.content().problems()).as(text).hasSize(1);
    }
    Files.delete(path);
    file.look();
    assertThat(file.content().hosts()).hasSize(1);
    assertThat(file.content().problems()).singleElement().asString().contains("cannot be read");
    assertThat(hosts("hosts: [{host: n1}]")).containsExactly("n1");
    assertThat(file.content().problems()).isEmpty();
  }

  @Test
  void withoutAFileNothingIsPlanned() {
    InventoryFile none = new InventoryFile(Optional.empty());
    none.look();
    assertThat(none.content()).isEqualTo(InventoryFile.Content.NONE);
  }
}
