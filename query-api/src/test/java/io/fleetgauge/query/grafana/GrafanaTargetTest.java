package io.fleetgauge.query.grafana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.query.QueryFailure;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GrafanaTargetTest {
  private static JsonObject json(String text) {
    return new JsonObject(text.replace('\'', '"'));
  }

  private static GrafanaTarget target(String payload) throws Exception {
    return GrafanaTarget.of(
        json("{'target': 'power', 'refId': 'A', 'payload': {" + payload + "}}"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        " | power",
        "\"aggregate\": \"none\" | power",
        "\"aggregate\": \"sum\" | sum (power)",
        "\"aggregate\": \"avg\", \"by\": [\"rack\", \"job\"] | avg by (rack, job) (power)",
        "\"aggregate\": \"max\", \"by\": \"rack\" | max by (rack) (power)",
        "\"aggregate\": \"min\", \"by\": [{\"value\": \"gpu\"}] | min by (gpu) (power)",
        "\"aggregate\": {\"value\": \"count\"} | count (power)",
        "\"rate\": \"5m\" | rate(power[5m])",
        "\"rate\": \"none\", \"filters\": \"rack='r0'\" | power{rack='r0'}",
        "\"aggregate\": \"sum\", \"rate\": \"1h\", \"filters\": \" gpu=~'[12]' \""
            + " | sum (rate(power{gpu=~'[12]'}[1h]))"
      })
  void aPayloadSaysHowToReduceAMetric(String payload, String query) throws Exception {
    String text = payload == null ? "" : payload.replace("'", "\\\"");
    GrafanaTarget target =
        GrafanaTarget.of(
            new JsonObject(
                "{\"target\": \"power\", \"refId\": \"A\", \"payload\": {" + text + "}}"));
    assertThat(target)
        .isEqualTo(new GrafanaTarget(GrafanaTarget.Kind.SERIES, query.replace('\'', '"'), "A"));
  }

  @Test
  void aPayloadDoesNotChangeAQuery() throws Exception {
    JsonObject query = json("{'target': 'sum(power)', 'payload': {'aggregate': 'avg'}}");
    assertThat(GrafanaTarget.of(query).text()).isEqualTo("sum(power)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'target': 'a' | SERIES | a",
        "'target': 'a', 'type': 'table' | TABLE | a",
        "'target': 'a', 'payload': {'format': 'table'} | TABLE | a",
        "'target': 'a', 'payload': {'format': 'timeserie'} | SERIES | a",
        "'target': 'events' | EVENTS | ``",
        "'target': 'events xid, host' | EVENTS | xid, host",
        "'target': 'eventsx' | SERIES | eventsx",
        "'target': '  ' | NOTHING | ``",
        "'refId': 'B' | NOTHING | ``"
      })
  void aTargetIsOfOneKind(String fields, GrafanaTarget.Kind kind, String text) throws Exception {
    GrafanaTarget target = GrafanaTarget.of(json("{" + fields + "}"));
    assertThat(target.kind()).isEqualTo(kind);
    assertThat(target.text()).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'aggregate': 'drop' | aggregate is drop; ",
        "'rate': '5 minutes' | rate is 5 minutes; ",
        "'rate': '5m]) or (x' | rate is 5m]) or (x; ",
        "'filters': 'rack=' | the filters rack= cannot be parsed: ",
        "'filters': 'a=`b`} or x{' | the filters ",
        "'aggregate': 'sum', 'by': ['a b'] | by has a b, which is not the name of a label",
        "'aggregate': 'sum', 'by': ['a) (x) or (y'] | by has "
      })
  void anInvalidPayloadIsAnErrorAndNeverPartOfAQuery(String payload, String message) {
    assertThatThrownBy(() -> target(payload))
        .isInstanceOf(QueryFailure.class)
        .hasMessageStartingWith(message);
  }
}
