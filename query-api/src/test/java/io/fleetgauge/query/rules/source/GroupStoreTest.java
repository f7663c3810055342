package io.fleetgauge.query.rules.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.query.rules.definition.RuleFileReader;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.definition.TemplateCheck;
import io.fleetgauge.sample.wire.WireException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GroupStoreTest {
  private static final String GROUP = "name: %s\nrules: [{record: r, expr: %s}]\n";

  @TempDir Path folder;

  private final AtomicLong clock = new AtomicLong(1_795_300_000_000L);

  private GroupStore store(String name) throws IOException {
    return new GroupStore(
        new RuleFileReader(ParseOptions.STOCK, TemplateCheck.TEMPLATES, 60_000),
        new GroupStore.Limits(3, 4),
        Optional.of(folder.resolve(name)),
        clock::get);
  }

  private static byte[] group(String name, String expression) {
    return GROUP.formatted(name, expression).getBytes(UTF_8);
  }

  private static List<String> names(GroupStore store) {
    return store.groups().stream()
        .map(each -> each.id().tenant() + "/" + each.id().file() + "/" + each.id().name())
        .toList();
  }

  /** As one query API asks another. */
  private static void pull(GroupStore to, GroupStore from) throws IOException, WireException {
    var wanted = to.newer(StoredGroupForm.versions(StoredGroupForm.versions(from.versions())));
    to.merge(StoredGroupForm.groups(StoredGroupForm.groups(from.read(wanted, 1 << 20))));
  }

  @Test
  void whatWasSetIsThereAfterARestart() throws Exception {
    GroupStore store = store("a");
    store.set("t", "space", group("one", "up"));
    store.set("", "space", group("two", "up"));
    store.set("t", "space", group("one", "down"));
    store.delete(new RuleGroup.Id("", "space", "two"));
    GroupStore again = store("a");
    assertThat(names(again)).containsExactly("t/space/one");
    assertThat(again.groups().getFirst().rules().getFirst().expression()).hasToString("down");
    assertThat(again.texts("t"))
        .isEqualTo(Map.of("space", Map.of("one", new String(group("one", "down"), UTF_8))));
    assertThat(again.texts("")).isEmpty();
  }

  @Test
  void aDamagedFileConcernsItsGroupOnly() throws Exception {
    GroupStore store = store("a");
    store.set("t", "space", group("one", "up"));
    store.set("t", "space", group("two", "up"));
    List<Path> files;
    try (var list = Files.list(folder.resolve("a/groups"))) {
      files = list.sorted().toList();
    }
    SplittableRandom random = new SplittableRandom(1);
    byte[] whole = Files.readAllBytes(files.getFirst());
    for (int i = 0; i < 100; i++) {
      byte[] damaged = whole.clone();
      damaged[random.nextInt(whole.length)] ^= (byte) (1 << random.nextInt(8));
      Files.write(files.getFirst(), damaged);
      assertThat(names(store("a"))).hasSize(1);
    }
  }

  @Test
  void theNewerFormWinsOnAllQueryApis() throws Exception {
    GroupStore a = store("a");
    GroupStore b = store("b");
    a.set("t", "space", group("one", "up"));
    pull(b, a);
    assertThat(b.groups()).isEqualTo(a.groups());
    clock.addAndGet(-10_000); // the clock of b is behind
    b.set("t", "space", group("one", "down"));
    pull(a, b);
    pull(b, a);
    assertThat(a.groups()).isEqualTo(b.groups());
    assertThat(a.groups().getFirst().rules().getFirst().expression()).hasToString("down");
    b.delete(new RuleGroup.Id("t", "space", "one"));
    pull(a, b);
    pull(b, a);
    assertThat(names(a)).isEmpty();
    assertThat(names(b)).isEmpty();
  }

  @Test
  void ofTwoFormsThatWereSetAtOneTimeAllTakeTheSame() throws Exception {
    GroupStore a = store("a");
    GroupStore b = store("b");
    a.set("t", "space", group("one", "up"));
    b.set("t", "space", group("one", "down"));
    pull(a, b);
    pull(b, a);
    assertThat(a.groups()).isEqualTo(b.groups()).hasSize(1);
    assertThat(a.versions()).isEqualTo(b.versions());
    assertThat(a.newer(b.versions())).isEmpty();
    assertThat(a.digest()).isEqualTo(b.digest());
  }

  @Test
  void groupsThatCameBeforeOneThatCannotBeWrittenAreUsedAtOnce() throws Exception {
    GroupStore a = store("a");
    GroupStore b = store("b");
    AtomicInteger changes = new AtomicInteger();
    a.onChange(changes::incrementAndGet);
    b.set("t", "space", group("two", "up"));
    Path inTheWay;
    try (var files = Files.list(folder.resolve("b/groups"))) {
      String name = files.findFirst().orElseThrow().getFileName() + ".unfinished";
      inTheWay = Files.createDirectory(folder.resolve("a/groups").resolve(name));
    }
    b.set("t", "space", group("one", "up"));

    assertThatThrownBy(() -> pull(a, b)).isInstanceOf(IOException.class);
    assertThat(names(a)).containsExactly("t/space/one");
    assertThat(changes).as("told to those who evaluate groups").hasValue(1);

    Files.delete(inTheWay);
    pull(a, b);
    assertThat(names(a)).containsExactly("t/space/one", "t/space/two");
    assertThat(changes).hasValue(2);
  }

  @Test
  void aRandomHistoryOnThreeQueryApisEndsEqual() throws Exception {
    SplittableRandom random = new SplittableRandom(20_261_124);
    List<GroupStore> all = List.of(store("a"), store("b"), store("c"));
    for (int i = 0; i < 200; i++) {
      GroupStore one = all.get(random.nextInt(3));
      String name = "g" + random.nextInt(3);
      switch (random.nextInt(3)) {
        case 0 -> one.set("t", "space", group(name, "x" + random.nextInt(100)));
        case 1 -> one.delete(new RuleGroup.Id("t", "space", name));
        default -> pull(one, all.get(random.nextInt(3)));
      }
      for (GroupStore other : all) {
        assertThat(one.digest() == other.digest())
            .as("digests are equal just when groups are")
            .isEqualTo(one.versions().equals(other.versions()));
      }
      clock.addAndGet(random.nextInt(3));
    }
    for (int round = 0; round < 2; round++) {
      for (GroupStore to : all) {
        for (GroupStore from : all) {
          pull(to, from);
        }
      }
    }
    assertThat(all.get(1).versions()).isEqualTo(all.get(0).versions());
    assertThat(all.get(2).versions()).isEqualTo(all.get(0).versions());
    assertThat(all.get(1).groups()).isEqualTo(all.get(0).groups());
    GroupStore restarted = store("a");
    assertThat(restarted.groups()).isEqualTo(all.get(0).groups());
    assertThat(restarted.digest()).isEqualTo(all.get(1).digest()).isNotZero();
  }

  @Test
  void limitsAreOfOneTenantAndNameTheirKey() throws Exception {
    GroupStore store = store("a");
    for (int i = 0; i < 3; i++) {
      store.set("t", "space", group("g" + i, "up"));
    }
    store.set("t", "space", group("g1", "down"));
    store.set("u", "space", group("g", "up"));
    assertThatThrownBy(() -> store.set("t", "other", group("g3", "up")))
        .isInstanceOf(RuleLimit.class)
        .hasMessage("there would be more than 3 rule groups; see rules.maxGroups");
    String rules = "name: g\nrules: [" + "{record: r, expr: up},".repeat(5) + "]";
    assertThatThrownBy(() -> store.set("u", "space", rules.getBytes(UTF_8)))
        .hasMessage("there would be 5 rules, more than 4; see rules.maxRules");
    assertThatThrownBy(() -> store.set("u", "s".repeat(513), group("g", "up")))
        .hasMessageContaining("512 characters");
    assertThat(store.overLimit()).isEqualTo(3);
    GroupStore without =
        new GroupStore(
            new RuleFileReader(ParseOptions.STOCK, TemplateCheck.TEMPLATES, 60_000),
            new GroupStore.Limits(3, 4),
            Optional.empty(),
            clock::get);
    assertThatThrownBy(() -> without.set("t", "space", group("g", "up")))
        .hasMessageContaining("set it, or use rules.files");
  }

  @Test
  void aMarkOfADeletedGroupIsForgottenInTime() throws Exception {
    GroupStore a = store("a");
    GroupStore b = store("b");
    a.set("t", "space", group("one", "up"));
    pull(b, a);
    a.delete(new RuleGroup.Id("t", "space", "one"));
    pull(b, a);
    clock.addAndGet(GroupStore.MARKS_KEPT.toMillis() + 10);
    a.forget();
    assertThat(a.versions()).isEmpty();
    assertThat(a.digest()).isEqualTo(store("none").digest()).isNotEqualTo(b.digest());
    pull(a, b);
    assertThat(a.versions()).isEmpty();
    assertThat(store("a").versions()).isEmpty();
  }

  @Test
  void aMarkWhoseFileCannotBeRemovedIsForgottenAndSaidOnce() throws Exception {
    GroupStore a = store("a");
    for (String name : List.of("one", "two")) {
      a.set("t", "space", group(name, "up"));
      a.delete(new RuleGroup.Id("t", "space", name));
    }
    Path inTheWay;
    try (var files = Files.list(folder.resolve("a/groups"))) {
      inTheWay = files.findFirst().orElseThrow();
    }
    Files.delete(inTheWay);
    Files.createDirectories(inTheWay.resolve("not empty"));
    clock.addAndGet(GroupStore.MARKS_KEPT.toMillis() + 10);
    assertThatThrownBy(a::forget).isInstanceOf(IOException.class);
    assertThat(a.versions()).isEmpty();
    assertThat(a.digest()).isEqualTo(store("none").digest());
    a.forget();
  }

  @Test
  void theBytesOfAFileAreAsTheyAreDrawn() throws Exception {
    StoredGroup group = new StoredGroup(new RuleGroup.Id("t", "n", "g"), 300, false, "x: y");
    byte[] bytes = StoredGroupForm.toFile(group);
    assertThat(HexFormat.of().formatHex(bytes))
        .isEqualTo("01017401" + "6e0167ac02" + "0004783a2079" + "200a272c");
    assertThat(StoredGroupForm.ofFile(bytes)).isEqualTo(group);
    bytes[0] = 2;
    assertThatThrownBy(() -> StoredGroupForm.ofFile(bytes)).hasMessage("the checksum is wrong");
  }
}
