package io.fleetgauge.promql.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScriptReaderTest {
  private static List<Notation.Item> items(String samples) throws ScriptException {
    return new Notation(1).parse("a " + samples).items();
  }

  private static String shown(String samples) throws ScriptException {
    StringBuilder text = new StringBuilder();
    for (Notation.Item item : items(samples)) {
      text.append(text.isEmpty() ? "" : " ");
      text.append(
          !item.present()
              ? "_"
              : Staleness.isMarker(item.value()) ? "stale" : Double.toString(item.value()));
    }
    return text.toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " -> ",
      quoteCharacter = '~',
      value = {
        "1 2 3 -> 1.0 2.0 3.0",
        "1x2 -> 1.0 1.0 1.0",
        "1x0 -> 1.0",
        "0+10x3 -> 0.0 10.0 20.0 30.0",
        "5-2x2 -> 5.0 3.0 1.0",
        "-1+1x2 -> -1.0 0.0 1.0",
        "_ 1 _x2 2 -> _ 1.0 _ _ 2.0",
        "1 stale 2 -> 1.0 stale 2.0",
        "Inf -inf NaN +Inf -> Infinity -Infinity NaN Infinity",
        "1e3 .5 5. 1E-2 -> 1000.0 0.5 5.0 0.01",
        "1m30s 5ms -1h -> 90.0 0.005 -3600.0",
        "0+1mx2 -> 0.0 60.0 120.0",
      })
  void samplesAreOnePerPositionAndMayRepeatAndGrow(String text, String values) throws Exception {
    assertThat(shown(text)).isEqualTo(values);
  }

  @Test
  void aHistogramIsRepeatedAndGrowsByAnother() throws Exception {
    List<Notation.Item> items =
        items(
            "{{schema:1 sum:5 count:4 buckets:[1 2 1]}}+{{schema:1 sum:2 count:1 buckets:[1]}}x2");
    assertThat(items).extracting(item -> item.histogram().count()).containsExactly(4.0, 5.0, 6.0);
    assertThat(items).extracting(item -> item.histogram().sum()).containsExactly(5.0, 7.0, 9.0);
    assertThat(items.getLast().histogram().positive().counts()).containsExactly(3, 2, 1);
    assertThat(items).allMatch(item -> item.histogram().schema() == 1);
  }

  @Test
  void aSeriesIsReadWithItsNameInAnyPlace() throws Exception {
    assertThat(new Notation(1).parse("a{b=\"}\",c='{'} 1").labels())
        .isEqualTo(Labels.of("__name__", "a", "b", "}", "c", "{"));
    assertThat(new Notation(1).parse("{\"x y\"} 1").labels())
        .isEqualTo(Labels.of("__name__", "x y"));
    assertThat(new Notation(1).parse("a {b=\"c\"} 1").labels())
        .isEqualTo(Labels.of("__name__", "a", "b", "c"));
    assertThat(new Notation(1).parse("{} 1").labels()).isEqualTo(Labels.EMPTY);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " -> ",
      quoteCharacter = '~',
      value = {
        "nothing -> line 1: neither clear nor load nor eval: nothing",
        "load -> line 1: load takes a step: load",
        "load 5 -> line 1: no duration: 5",
        "eval at 5m a -> line 1: eval takes \"instant at T QUERY\" or \"range from A to B step S"
            + " QUERY\": eval at 5m a",
        "eval range from 0 to 1m step 0 a -> line 1: the step must be above 0: eval range from 0 to"
            + " 1m step 0 a",
        "eval_maybe instant at 0 a -> line 1: eval_maybe is not known",
        "eval instant at x a -> line 1: no duration: x",
        "clear;load 1m;  a one -> line 3: \"one\" is no sample",
        "load 1m;  a{b 1 -> line 2: the braces of a series are not closed: a{b 1",
        "load 1m;  a 1x9999999999 -> line 2: 9999999999 positions are too many, allowed are"
            + " 1000000",
        "load 1m;  a {{size:1}} -> line 2: a histogram has no \"size\": {{size:1}}",
        "eval instant at 0 a;  expect nothing -> line 2: an expectation that is not known: expect"
            + " nothing",
        "eval instant at 0 a;  expect string b -> line 2: no quoted string: b",
      })
  void whatCannotBeReadIsAnErrorWithItsLine(String script, String error) {
    assertThatThrownBy(() -> ScriptReader.read(script.replace(';', '\n')))
        .isInstanceOf(ScriptException.class)
        .hasMessage(error);
  }

  @Test
  void aScriptIsItsCommandsInOrder() throws Exception {
    String script =
        """
        # a comment
        clear
        load 30s
          a 1 2

        load_with_nhcb 1m
          b 3

        eval instant at 1m a
          expect ordered
          expect warn msg: careful
          expect no_info
          a 2

        eval range from 0 to 1m step 30s a
          expect fail regex: too .* many
        """;
    List<ScriptCommand> commands = ScriptReader.read(script);
    assertThat(commands).hasSize(5);
    assertThat(commands.get(0)).isEqualTo(new ScriptCommand.Clear());
    assertThat(((ScriptCommand.Load) commands.get(1)).step()).isEqualTo(30_000);
    assertThat(((ScriptCommand.Load) commands.get(1)).customBuckets()).isFalse();
    assertThat(((ScriptCommand.Load) commands.get(2)).customBuckets()).isTrue();
    ScriptCommand.Eval instant = (ScriptCommand.Eval) commands.get(3);
    assertThat(instant.isInstant()).isTrue();
    assertThat(instant.line()).isEqualTo(9);
    assertThat(instant.start()).isEqualTo(60_000);
    assertThat(instant.expected().ordered()).isTrue();
    assertThat(instant.expected().warnings()).hasSize(1);
    assertThat(instant.expected().warnings().getFirst().allows("careful")).isTrue();
    assertThat(instant.expected().warnings().getFirst().allows("careful!")).isFalse();
    assertThat(instant.expected().infos()).isEmpty();
    ScriptCommand.Eval range = (ScriptCommand.Eval) commands.get(4);
    assertThat(range.isInstant()).isFalse();
    assertThat(range.expected().failure().orElseThrow().allows("there are too very many!"))
        .isTrue();
    assertThat(range.expected().warnings()).isNull();
  }

  /** A case that is wrong fails, whatever is wrong about it, and says what came. */
  @ParameterizedTest
  @CsvSource(
      delimiterString = " -> ",
      quoteCharacter = '~',
      value = {
        "a;  a{h=\"1\"} 1;  a{h=\"2\"} 2 -> true",
        "a;  a{h=\"2\"} 2;  a{h=\"1\"} 1 -> true",
        "a;  a{h=\"1\"} 1 -> false",
        "a;  a{h=\"1\"} 1;  a{h=\"2\"} 2.1 -> false",
        "a;  a{h=\"1\"} 1;  a{h=\"2\"} 2.000001 -> true",
        "a;  a{h=\"1\"} 1;  a{h=\"3\"} 2 -> false",
        "sort(a);  expect ordered;  a{h=\"1\"} 1;  a{h=\"2\"} 2 -> true",
        "sort(a);  expect ordered;  a{h=\"2\"} 2;  a{h=\"1\"} 1 -> false",
        "a + on () a;  expect fail -> true",
        "a + on () a;  expect fail msg: something else -> false",
        "a;  expect fail -> false",
        "quantile(2, a);  expect warn;  {} Inf -> true",
        "quantile(2, a);  expect no_warn;  {} Inf -> false",
        "sum(a);  expect warn;  {} 3 -> false",
        "1 + 1;  2 -> true",
        "1 + 1;  3 -> false",
        "'b';  expect string 'b' -> true",
        "'b';  expect string 'c' -> false",
        "a b;  expect fail -> false",
      })
  void aCaseIsPassedOnlyIfTheAnswerIsTheWantedOne(String body, boolean passes) throws Exception {
    String script =
        "load 1m\n  a{h=\"1\"} 1\n  a{h=\"2\"} 2\n\neval instant at 0 " + body.replace(';', '\n');
    List<CaseResult> results = ScriptRunner.run(script);
    assertThat(results).hasSize(1);
    assertThat(results.getFirst().line()).isEqualTo(5);
    assertThat(results.getFirst().passed())
        .as("%s", results.getFirst().failure())
        .isEqualTo(passes);
  }
}
