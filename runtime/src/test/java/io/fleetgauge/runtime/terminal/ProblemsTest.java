package io.fleetgauge.runtime.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;

class ProblemsTest {
  private static JsonObject problem(String severity, String text, String advice) {
    return new JsonObject()
        .put("severity", severity)
        .put("subject", "disk")
        .put("text", text)
        .put("advice", advice);
  }

  private static Problems problems(JsonObject... all) {
    return new Problems(JsonArray.of((Object[]) all), "severity", "subject");
  }

  @Test
  void belowAProblemIsWhatToDo() {
    JsonObject full = problem("warning", "is full", "free space");
    JsonObject empty = problem("ok", "is empty", "");
    assertThat(problems(full, empty).text(severity -> true))
        .isEqualTo("WARNING disk: is full\n    do: free space\nOK disk: is empty\n");
    assertThat(problems(full, empty).text("ok"::equals)).isEqualTo("OK disk: is empty\n");
  }

  @Test
  void theExitCodeIsThatOfTheWorst() {
    JsonObject skipped = problem("skipped", "is not known", "");
    JsonObject warning = problem("warning", "is full", "free space");
    assertThat(problems().exitCode()).isZero();
    assertThat(problems(skipped).exitCode()).isZero();
    assertThat(problems(skipped, warning).exitCode()).isEqualTo(1);
    assertThat(problems(warning, problem("critical", "fails", "repair it")).exitCode())
        .isEqualTo(2);
    assertThat(problems(problem("failure", "fails", "repair it")).exitCode()).isEqualTo(2);
  }
}
