package io.fleetgauge.query.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Labels;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonTest {
  private static final String SUCCESS = "{\"status\":\"success\",\"data\":";

  @Test
  void htmlCharactersAreEscapedExceptInLabelSets() {
    assertThat(Json.success(List.of("<&>\u2028é😀/"), List.of()).toString())
        .isEqualTo(SUCCESS + "[\"\\u003c\\u0026\\u003e\\u2028é😀/\"]}");
    assertThat(Json.labelSets(List.of(Labels.of("a", "<&>\u2028é😀/")), List.of()).toString())
        .isEqualTo(SUCCESS + "[{\"a\":\"<&>\u2028é😀/\"}]}");
    assertThat(Json.text("\u2029").toString()).isEqualTo(SUCCESS + "\"\\u2029\"}");
  }

  @Test
  void afterALabelSetTheEscapesAreThoseOfBefore() {
    assertThat(Json.labelSets(List.of(Labels.of("a", "<")), List.of("<")).toString())
        .isEqualTo(SUCCESS + "[{\"a\":\"<\"}],\"warnings\":[\"\\u003c\"]}");
  }

  @Test
  void anErrorHasTypeAndTextAndForGrafanaAMessage() {
    QueryFailure failure = new QueryFailure(QueryFailure.Kind.TIMEOUT, "a > b");
    assertThat(Json.error(failure, false).toString())
        .isEqualTo("{\"status\":\"error\",\"errorType\":\"timeout\",\"error\":\"a \\u003e b\"}");
    assertThat(Json.error(failure, true).toString())
        .isEqualTo(
            "{\"status\":\"error\",\"errorType\":\"timeout\",\"error\":\"a \\u003e b\","
                + "\"message\":\"a \\u003e b\"}");
  }

  @Test
  void anythingMayBeTheDataAndWarningsComeBehindIt() {
    assertThat(Json.data(json -> json.writeNumber(1)).toString()).isEqualTo(SUCCESS + "1}");
    assertThat(Json.success(json -> json.writeBoolean(true), List.of("w")).toString())
        .isEqualTo(SUCCESS + "true,\"warnings\":[\"w\"]}");
    assertThat(Json.success(List.of(), List.of()).toString()).isEqualTo(SUCCESS + "[]}");
  }
}
