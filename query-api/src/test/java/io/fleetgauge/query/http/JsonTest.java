package io.fleetgauge.query.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.query.QueryFailure;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonTest {
  @Test
  void outsideLabelSetsWhatHtmlGivesMeaningToIsEscaped() {
    assertThat(Json.success(List.of("<&>\u2028é😀/"), List.of()).toString())
        .isEqualTo("{\"status\":\"success\",\"data\":[\"\\u003c\\u0026\\u003e\\u2028é😀/\"]}");
    assertThat(Json.error(new QueryFailure(QueryFailure.Kind.TIMEOUT, "a > b"), false).toString())
        .isEqualTo("{\"status\":\"error\",\"errorType\":\"timeout\",\"error\":\"a \\u003e b\"}");
  }
}
