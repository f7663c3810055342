package io.fleetgauge.query.rules.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.query.rules.definition.InvalidRules;
import io.fleetgauge.query.rules.definition.RuleFileReader;
import io.fleetgauge.query.rules.definition.TemplateCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuleFilesTest {
  private static final String RULES = "groups: [{name: %s, rules: [{record: r, expr: up}]}]\n";

  @TempDir Path folder;

  private final AtomicInteger changes = new AtomicInteger();

  private RuleFiles files(Map<String, List<String>> patterns, int maxGroups) {
    RuleFiles files =
        new RuleFiles(
            patterns,
            new RuleFileReader(ParseOptions.STOCK, TemplateCheck.TEMPLATES, 60_000),
            new GroupStore.Limits(maxGroups, 100),
            () -> 1_000);
    files.onChange(changes::incrementAndGet);
    return files;
  }

  private RuleFiles files() {
    return files(Map.of("", List.of(folder + "/*.yaml")), 100);
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text);
  }

  private static List<String> names(RuleFiles files) {
    return files.groups().stream()
        .map(group -> group.id().tenant() + ":" + group.id().name())
        .toList();
  }

  @Test
  void filesOfAPatternAreReadAndBelongToTheirTenant() throws Exception {
    write("a.yaml", RULES.formatted("one"));
    write("b.yaml", RULES.formatted("two"));
    write("c.txt", "no rules");
    RuleFiles files =
        files(
            Map.of(
                "",
                List.of(folder + "/[ab]*.yaml", folder + "/a.yaml"),
                "t",
                List.of(folder + "/?.yaml")),
            100);
    files.reload();
    assertThat(names(files)).containsExactly(":one", ":two", "t:one", "t:two");
    assertThat(files.groups().getFirst().id().file()).isEqualTo(folder + "/a.yaml");
    assertThat(files.status()).isEqualTo(new RuleFiles.Status(1_000, 1, 0, List.of()));
  }

  @Test
  void aChangedFileIsReadWhenItStaysAsItIsForOneLook() throws Exception {
    write("a.yaml", RULES.formatted("one"));
    RuleFiles files = files();
    files.reload();
    files.look();
    files.look();
    assertThat(changes).hasValue(1);
    write("a.yaml", RULES.formatted("two"));
    files.look();
    assertThat(names(files)).containsExactly(":one");
    files.look();
    assertThat(names(files)).containsExactly(":two");
    assertThat(changes).hasValue(2);
    Files.delete(folder.resolve("a.yaml"));
    files.look();
    write("a.yaml", RULES.formatted("two"));
    files.look();
    files.look();
    assertThat(names(files)).as("a file that was being replaced").containsExactly(":two");
    assertThat(changes).hasValue(2);
  }

  @Test
  void wrongFilesLeaveAllRulesAsTheyAreAndAreToldOnce() throws Exception {
    write("a.yaml", RULES.formatted("one"));
    write("b.yaml", RULES.formatted("two"));
    RuleFiles files = files();
    files.reload();
    write("a.yaml", RULES.formatted("three"));
    write("b.yaml", "groups: [{name: x, interval: y}]");
    write("c.yaml", "groups: {");
    for (int look = 0; look < 4; look++) {
      files.look();
    }
    assertThat(names(files)).containsExactly(":one", ":two");
    assertThat(files.status().failures()).isEqualTo(1);
    assertThat(files.status().problems().toString())
        .contains("b.yaml:1:30: interval is \"y\"")
        .contains("c.yaml:1:10: not YAML");
    assertThatThrownBy(files::reload)
        .isInstanceOf(InvalidRules.class)
        .hasMessageContaining("b.yaml:1:30")
        .hasMessageContaining("c.yaml:1:10");
    write("b.yaml", RULES.formatted("two"));
    Files.delete(folder.resolve("c.yaml"));
    files.look();
    files.look();
    assertThat(names(files)).containsExactly(":three", ":two");
    assertThat(files.status().problems()).isEmpty();
  }

  @Test
  void noDamageOfAFileStopsTheRulesThatWorked() throws Exception {
    write("a.yaml", RULES.formatted("one"));
    RuleFiles files = files();
    files.reload();
    SplittableRandom random = new SplittableRandom(20_261_124);
    String good = RULES.formatted("damaged");
    for (int i = 0; i < 60; i++) {
      byte[] damaged = good.getBytes();
      damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
      Files.write(folder.resolve("b.yaml"), damaged);
      files.look();
      files.look();
      assertThat(names(files)).contains(":one");
    }
    assertThat(files.status().failures()).isGreaterThan(20);
  }

  @Test
  void aFileThatIsMissingOrTooLongAndTooManyGroupsAreProblems() throws Exception {
    write("a.yaml", RULES.formatted("one"));
    write("b.yaml", RULES.formatted("two"));
    Files.write(folder.resolve("long"), new byte[(16 << 20) + 1]);
    RuleFiles files =
        files(
            Map.of(
                "",
                List.of(folder + "/*.yaml", folder + "/none", folder + "/no/*", folder + "/long")),
            1);
    assertThatThrownBy(files::reload)
        .hasMessage(
            """
            @/none: there is no such file
            @/no/*: there is no such folder
            @/long: the file has more than the 16777216 bytes that are allowed
            @/b.yaml: with the group "two" there are 2 groups and 2 rules; rules.maxGroups is 1,\
             rules.maxRules is 100\
            """
                .replace("@", folder.toString()));
  }
}
