package io.fleetgauge.query.prometheus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.query.QueryFailure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EscapedNameTest {
  @ParameterizedTest
  @CsvSource({
    "rack, rack",
    "my.label, my.label",
    "U__rack, rack",
    "U__my_2e_label, my.label",
    "U__a__b, a_b",
    "U____, _",
    "U__1f600_, U__1f600_",
    "U___1f600_, 😀",
    "U___1F600_, 😀",
    // What is not escaped well is the name itself.
    "U__a_b, U__a_b",
    "U__a_xy_, U__a_xy_",
    "U__a_1234567_, U__a_1234567_",
    "U__a_110000_, U__a_110000_"
  })
  void aNameMayBeEscapedAsPrometheusLetsIt(String path, String name) throws QueryFailure {
    assertThat(EscapedName.unescaped(path)).isEqualTo(name);
  }

  @Test
  void anInvalidNameIsAnError() {
    for (String wrong : new String[] {"", "U__", "a\ufffd"}) {
      assertThatThrownBy(() -> EscapedName.unescaped(wrong))
          .isInstanceOf(QueryFailure.class)
          .hasMessageStartingWith("invalid label name: ");
    }
  }
}
