package io.fleetgauge.query.rules.definition;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fleetgauge.promql.syntax.ParseOptions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class RuleFileReaderTest {
  private static final RuleFileReader READER =
      new RuleFileReader(ParseOptions.STOCK, TemplateCheck.TEMPLATES, 60_000);

  private static List<RuleGroup> read(String text) throws InvalidRules {
    return READER.read("t", "f.yaml", text.getBytes(UTF_8));
  }

  private static List<String> problems(String text) {
    InvalidRules invalid = catchThrowableOfType(InvalidRules.class, () -> read(text));
    assertThat(invalid).as("rules that cannot be used").isNotNull();
    return invalid.problems().stream().map(RuleProblem::toString).toList();
  }

  @Test
  void everyKeyIsRead() throws InvalidRules {
    RuleGroup group =
        read("""
        groups:
          - name: g
            interval: 15s
            query_offset: 1m
            limit: 7
            labels: {a: b}
            partial: evaluate
            rules:
              - {record: r, expr: sum(up), labels: {n: 1}}
              - alert: A
                expr: up == 0
                for: 5m
                keep_firing_for: 1h
                labels: {severity: page}
                annotations: {summary: "{{ $value }}"}
        """)
            .getFirst();
    assertThat(group.id()).isEqualTo(new RuleGroup.Id("t", "f.yaml", "g"));
    assertThat(group.interval()).isEqualTo(15_000);
    assertThat(group.queryOffset()).contains(60_000L);
    assertThat(group.limit()).isEqualTo(OptionalInt.of(7));
    assertThat(group.labels()).isEqualTo(Map.of("a", "b"));
    assertThat(group.partial()).contains(RuleGroup.Partial.EVALUATE);
    assertThat(group.rules()).hasSize(2);
    Rule.Recording recording = (Rule.Recording) group.rules().get(0);
    assertThat(recording.name()).isEqualTo("r");
    assertThat(recording.expression()).hasToString("sum(up)");
    assertThat(recording.labels()).isEqualTo(Map.of("n", "1"));
    Rule.Alerting alerting = (Rule.Alerting) group.rules().get(1);
    assertThat(alerting.forMillis()).isEqualTo(300_000);
    assertThat(alerting.keepFiringMillis()).isEqualTo(3_600_000);
    assertThat(alerting.annotations()).isEqualTo(Map.of("summary", "{{ $value }}"));
  }

  @Test
  void whatAGroupLacksIsAsConfigured() throws InvalidRules {
    RuleGroup group = read("groups: [{name: g, interval: 0s, limit: 0}]").getFirst();
    assertThat(group.interval()).isEqualTo(60_000);
    assertThat(group.queryOffset()).isEmpty();
    assertThat(group.limit()).isEmpty();
    assertThat(group.partial()).isEmpty();
    assertThat(group.rules()).isEmpty();
    assertThat(read("")).isEmpty();
    assertThat(read("# nothing\n")).isEmpty();
    assertThat(read("groups:\n")).isEmpty();
  }

  @Test
  void allProblemsAreToldAtOnceEachWithItsPlace() {
    assertThat(
            problems(
                """
                groups:
                  - name: g
                    interval: 5
                    limit: many
                    partial: sometimes
                    colour: red
                    labels: {__name__: x}
                    rules:
                      - record: r
                        alert: A
                        expr: up
                      - expr: sum(up
                      - record: "r{x}"
                        expr: |
                          sum(
                            up ++ )
                        for: 5m
                        annotations: {a: b}
                      - alert: A
                        annotations:
                          summary: "{{ js $value }}"
                  - name: g
                    rules: {}
                  - rules: []
                """))
        .containsExactly(
            "f.yaml:3:15: interval is \"5\"; a duration such as 30s or 1h30m is needed",
            "f.yaml:4:12: limit is \"many\"; a whole number such as 10 is allowed",
            "f.yaml:5:14: partial is \"sometimes\"; allowed are keep and evaluate",
            "f.yaml:6:5: a group has no key \"colour\"; known here are name, interval,"
                + " query_offset, limit, labels, partial, rules",
            "f.yaml:7:14: \"__name__\" is not allowed as a name of a label",
            "f.yaml:9:17: group \"g\", rule 1, \"A\": \"record\" and \"alert\" cannot be in one"
                + " rule",
            "f.yaml:12:9: group \"g\", rule 2: \"record\" or \"alert\" is needed",
            "f.yaml:12:21: group \"g\", rule 2: could not parse expression: 1:7: parse error:"
                + " unclosed left parenthesis",
            "f.yaml:13:17: group \"g\", rule 3, \"r{x}\": the name \"r{x}\" contains braces; should"
                + " it be in \"expr\"?",
            "f.yaml:16:1: group \"g\", rule 3, \"r{x}\": could not parse expression: 2:9: parse"
                + " error: unexpected \")\"",
            "f.yaml:17:14: group \"g\", rule 3, \"r{x}\": \"for\" is not allowed in a recording"
                + " rule",
            "f.yaml:18:22: group \"g\", rule 3, \"r{x}\": \"annotations\" is not allowed in a"
                + " recording rule",
            "f.yaml:19:9: group \"g\", rule 4, \"A\": \"expr\" is missing or empty; a PromQL"
                + " expression is needed",
            "f.yaml:21:20: group \"g\", rule 4, \"A\": annotations.summary: line 1: js is not"
                + " supported; JavaScript is not supported in alerts",
            "f.yaml:22:5: the file has a group \"g\" already, in line 2",
            "f.yaml:23:12: rules is a map; a list is required",
            "f.yaml:24:5: a group needs a name; \"name\" is empty");
  }

  @Test
  void textThatIsNotYamlIsToldByItsPlace() {
    assertThat(problems("groups:\n  - name: [a\n").getFirst()).startsWith("f.yaml:3:1: not YAML: ");
    assertThat(problems("a\u0001b"))
        .containsExactly("f.yaml:1:2: not YAML: the character U+0001 is not allowed");
    InvalidRules bytes =
        catchThrowableOfType(
            InvalidRules.class, () -> READER.read("", "f", new byte[] {'a', '\n', (byte) 0xff}));
    assertThat(bytes).hasMessage("f:2:1: not YAML: the byte 0xff is not UTF-8");
    assertThat(problems("just text"))
        .containsExactly("f.yaml:1:1: the file is a text; a map is required");
    assertThat(problems("groups: [{name: a, name: b}]"))
        .containsExactly(
            "f.yaml:1:20: a group has the key \"name\" a second time; the first is in line 1");
  }

  @Test
  void aGroupAloneIsReadAsAnItemOfAFile() throws InvalidRules {
    RuleGroup group =
        READER.readGroup("t", "space", "name: g\nrules: [{record: r, expr: up}]\n".getBytes(UTF_8));
    assertThat(group.id()).isEqualTo(new RuleGroup.Id("t", "space", "g"));
    assertThat(group.rules()).hasSize(1);
    assertThat(
            catchThrowableOfType(
                InvalidRules.class, () -> READER.readGroup("t", "space", new byte[0])))
        .hasMessage("space:1:1: the text is empty; a rule group is required");
  }

  @Test
  void aMapThatMergesItselfIsAProblem() {
    assertThat(problems("groups:\n  - &g\n    name: a\n    <<: *g\n").getFirst())
        .contains("an anchor contains its own alias");
  }

  private static Optional<RuleProblem> unread(String text) {
    return RuleFileReader.unread("f.yaml", text.getBytes(UTF_8));
  }

  /** As promtool 3.5 does, which says nothing of it. */
  @Test
  void onlyTheFirstDocumentOfAFileIsReadAndThatIsTold() throws Exception {
    String one = "groups:\n  - name: one\n    rules: [{record: a, expr: b}]\n";
    String two = one.replace("one", "two");
    for (String whole :
        List.of(one, "---\n" + one, one + "...\n# no more\n", one + "---\n", one + "---\n# c\n")) {
      assertThat(unread(whole)).as(whole).isEmpty();
      assertThat(READER.read("", "f.yaml", whole.getBytes(UTF_8))).hasSize(1);
    }
    for (String more : List.of(two, "groups: [\n", "text\n")) {
      String text = one + "---\n" + more;
      assertThat(READER.read("", "f.yaml", text.getBytes(UTF_8))).hasSize(1);
      assertThat(unread(text).orElseThrow().toString())
          .matches("f.yaml:[45]:1: a second YAML document begins here; only the first.*");
    }
    assertThat(READER.read("", "f.yaml", ("---\n---\n" + one).getBytes(UTF_8))).isEmpty();
    assertThat(unread("---\n---\n" + one)).isPresent();
  }

  @Test
  void aSecondGroupBehindAPostedOneIsRefused() {
    String one = "name: one\nrules: [{record: a, expr: b}]\n";
    assertThatThrownBy(() -> READER.readGroup("", "space", (one + "---\n" + one).getBytes(UTF_8)))
        .hasMessage("space:4:1: a second group begins here; one is allowed");
  }

  /** Go's parser has no limit of their number. */
  @Test
  void anAnchorMayBeUsedManyTimes() throws Exception {
    StringBuilder text = new StringBuilder("groups:\n  - name: g\n    rules:\n");
    text.append("      - {record: a, expr: b, labels: &l {x: y}}\n");
    for (int i = 0; i < 200; i++) {
      text.append("      - {record: a").append(i).append(", expr: b, labels: *l}\n");
    }
    assertThat(READER.read("", "f", text.toString().getBytes(UTF_8)).getFirst().rules())
        .hasSize(201);
  }
}
