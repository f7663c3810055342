package io.fleetgauge.promql.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.TextSpan;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnnotationsTest {
  private static final String QUERY = "sum(rate(x[5m])) +\n  rate(y[5m])";

  @Test
  void theSameTextIsShownOnceWithTheLastPosition() {
    Annotations annotations = new Annotations(QUERY);
    annotations.info("a counter?", new TextSpan(9, 14));
    annotations.info("a counter?", new TextSpan(26, 31));
    assertThat(annotations.infos()).containsExactly("PromQL info: a counter? (2:8)");
    assertThat(annotations.warnings()).isEmpty();
  }

  @Test
  void textsAreSortedAndWarningsApartFromInfos() {
    Annotations annotations = new Annotations(QUERY);
    annotations.warn("b", new TextSpan(0, 1));
    annotations.info("c", new TextSpan(0, 1));
    annotations.warn("a", new TextSpan(4, 5));
    assertThat(annotations.warnings())
        .containsExactly("PromQL warning: a (1:5)", "PromQL warning: b (1:1)");
    assertThat(annotations.infos()).containsExactly("PromQL info: c (1:1)");
    assertThat(annotations.annotations())
        .extracting(Annotation::text)
        .containsExactly("b", "a", "c");
  }

  @Test
  void moreThanTenOfALevelAreCounted() {
    Annotations annotations = new Annotations(QUERY);
    for (int i = 0; i < 13; i++) {
      annotations.warn("w" + (char) ('a' + i), new TextSpan(0, 1));
    }
    for (int i = 0; i < 10; i++) {
      annotations.info("i" + i, new TextSpan(0, 1));
    }
    assertThat(annotations.warnings())
        .hasSize(11)
        .last()
        .isEqualTo("3 more warning annotations omitted");
    assertThat(annotations.infos()).hasSize(10).noneMatch(text -> text.endsWith("omitted"));
  }

  @Test
  void aLayerIsKeptApartUntilItIsAdded() {
    Annotations annotations = new Annotations(QUERY);
    annotations.begin();
    annotations.warn("same", new TextSpan(0, 1));
    Annotations.Layer layer = annotations.end();
    annotations.warn("same", new TextSpan(4, 5));
    assertThat(annotations.warnings()).containsExactly("PromQL warning: same (1:5)");
    annotations.add(layer);
    assertThat(annotations.warnings()).containsExactly("PromQL warning: same (1:1)");
  }

  @Test
  void annotationsOfAPartAreAddedByLevel() {
    Annotations annotations = new Annotations(QUERY);
    annotations.add(
        List.of(
            new Annotation(true, "w", new TextSpan(0, 1)),
            new Annotation(false, "i", new TextSpan(0, 1))));
    assertThat(annotations.warnings()).containsExactly("PromQL warning: w (1:1)");
    assertThat(annotations.infos()).containsExactly("PromQL info: i (1:1)");
  }
}
