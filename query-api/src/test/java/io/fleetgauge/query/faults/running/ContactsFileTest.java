package io.fleetgauge.query.faults.running;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Labels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContactsFileTest {
  @TempDir private Path folder;

  private static String contact(ContactsFile file, String... labels) {
    return file.add(Labels.of(labels)).value(ContactsFile.LABEL);
  }

  @Test
  void theUsersAddressCountsBeforeThatOfTheAccountAndOfTheTenant() throws Exception {
    Path yaml =
        Files.writeString(
            folder.resolve("contacts.yaml"),
            """
            user: {ann: ann@example.org}
            account: {physics: physics@example.org}
            tenant: {atlas: atlas@example.org}
            """);
    ContactsFile file = new ContactsFile(Optional.of(yaml));
    file.look();
    assertThat(contact(file, "user", "ann", "account", "physics")).isEqualTo("ann@example.org");
    assertThat(contact(file, "user", "bob", "account", "physics")).isEqualTo("physics@example.org");
    assertThat(contact(file, "user", "bob", "tenant", "atlas")).isEqualTo("atlas@example.org");
    assertThat(contact(file, "user", "bob")).isEmpty();
  }

  @Test
  void anEntryThatIsNotUnderstoodCostsThatEntryAndAFileThatIsNoneChangesNothing() throws Exception {
    Path yaml =
        Files.writeString(
            folder.resolve("contacts.yaml"),
            """
            user: {ann: ann@example.org, bob: nobody, eve: "a@b.c\\nBcc: d@e.f"}
            group: {x: x@example.org}
            """);
    ContactsFile file = new ContactsFile(Optional.of(yaml));
    file.look();
    assertThat(contact(file, "user", "ann")).isEqualTo("ann@example.org");
    assertThat(contact(file, "user", "bob") + contact(file, "user", "eve")).isEmpty();
    assertThat(file.leftOut()).isEqualTo(3);
    Files.writeString(yaml, "user: [");
    file.look();
    assertThat(contact(file, "user", "ann")).isEqualTo("ann@example.org");
    Files.writeString(yaml, "user: {ann: new@example.org}");
    file.look();
    assertThat(contact(file, "user", "ann")).isEqualTo("new@example.org");
  }
}
