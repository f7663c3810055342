package io.fleetgauge.sample.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Labels;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The expected names are those that Prometheus 3.5 writes. */
class NameEscapingTest {
  @ParameterizedTest
  @CsvSource({
    "x.y_z é, x_y_z__, x_dot_y__z____, U__x_2e_y__z_20__e9_",
    "1a-b, _a_b, __a__b, U___31_a_2d_b",
    "c.d_e, c_d_e, c_dot_d__e, U__c_2e_d__e",
    "a😀, a_, a__, U__a_1f600_",
    "a_b, a_b, a_b, a_b",
    "a:b, a:b, a:b, a:b"
  })
  void aNameIsWrittenAsItsSchemeSays(String name, String underscores, String dots, String values) {
    assertThat(NameEscaping.UNDERSCORES.escaped(name, true)).isEqualTo(underscores);
    assertThat(NameEscaping.DOTS.escaped(name, true)).isEqualTo(dots);
    assertThat(NameEscaping.VALUES.escaped(name, true)).isEqualTo(values);
    assertThat(NameEscaping.ALLOW_UTF_8.escaped(name, true)).isEqualTo(name);
  }

  /** Prometheus 3.5 writes it, and cannot parse what it wrote. */
  @Test
  void aColonInTheNameOfALabelIsEscaped() {
    assertThat(NameEscaping.UNDERSCORES.escaped("a:b", false)).isEqualTo("a_b");
    assertThat(NameEscaping.DOTS.escaped("a:b", false)).isEqualTo("a__b");
    assertThat(NameEscaping.VALUES.escaped("a:b", false)).isEqualTo("U__a_3a_b");
  }

  @ParameterizedTest
  @EnumSource(NameEscaping.class)
  void aSchemeIsFoundByItsParameter(NameEscaping escaping) {
    assertThat(NameEscaping.of(escaping.parameter())).contains(escaping);
    assertThat(NameEscaping.of(escaping.parameter() + " ")).isEmpty();
  }

  @Test
  void aLineIsEscapedAsAWhole() {
    Labels labels = Labels.of(Labels.NAME, "a.b", "c.d", "1", "instance", "i.k");
    assertThat(ExpositionLine.start(labels, NameEscaping.DOTS))
        .isEqualTo("a_dot_b{c_dot_d=\"1\",instance=\"i.k\"} ");
    assertThat(ExpositionLine.start(labels, NameEscaping.VALUES))
        .isEqualTo("U__a_2e_b{U__c_2e_d=\"1\",instance=\"i.k\"} ");
    assertThat(ExpositionLine.type("a.b", NameEscaping.VALUES))
        .isEqualTo("# TYPE U__a_2e_b untyped\n");
  }
}
