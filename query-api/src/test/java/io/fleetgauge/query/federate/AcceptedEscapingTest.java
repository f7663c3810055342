package io.fleetgauge.query.federate;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.prometheus.NameEscaping;
import org.junit.jupiter.api.Test;

/** What Prometheus 3.5 chooses for each header; {@code FederateTest} asks it. */
class AcceptedEscapingTest {
  private static void of(String accept, NameEscaping expected) {
    assertThat(AcceptedEscaping.of(accept)).as(accept).isEqualTo(expected);
  }

  @Test
  void itIsThatOfThePreferredTypesDownToTheFirstThatIsText() {
    of("", NameEscaping.UNDERSCORES);
    of("*/*", NameEscaping.UNDERSCORES);
    of("text/plain;version=1.0.0", NameEscaping.UNDERSCORES);
    of("text/plain;version=1.0.0;escaping=allow-utf-8", NameEscaping.ALLOW_UTF_8);
    of("text/plain;version=0.0.4;escaping=dots", NameEscaping.DOTS);
    of("text/plain; version=0.0.4; escaping=values ; q=0.5", NameEscaping.VALUES);
    of("text/plain;version=2.0.0;escaping=dots,*/*", NameEscaping.DOTS);
    of("text/plain;escaping=DOTS", NameEscaping.UNDERSCORES);
    of("text/plain;escaping=\"dots\"", NameEscaping.UNDERSCORES);
    of(
        "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
        NameEscaping.ALLOW_UTF_8);
    of("application/openmetrics-text;version=0.0.1;escaping=values", NameEscaping.VALUES);
    of(
        "application/openmetrics-text;escaping=values;q=0.1,text/plain;q=0.9",
        NameEscaping.UNDERSCORES);
    of("text/plain;escaping=dots;q=0.1,text/plain;escaping=values;q=0.5", NameEscaping.VALUES);
    of("*/*;escaping=dots,text/plain;escaping=values;q=0.1", NameEscaping.VALUES);
    of("text/*;escaping=dots", NameEscaping.DOTS);
    of("text/plain;escaping=dots;q=0", NameEscaping.DOTS);
    of("text/plain;escaping=nonsense", NameEscaping.UNDERSCORES);
    of("text/plain;Escaping=dots", NameEscaping.UNDERSCORES);
    of("text/plain;escaping=dots;escaping=values", NameEscaping.VALUES);
    of("TEXT/PLAIN;escaping=dots", NameEscaping.DOTS);
    of(
        "text/plain;version=1.0.0;q=x;escaping=dots,text/plain;escaping=values",
        NameEscaping.VALUES);
    of("a,b;escaping=dots,c/d/e;escaping=dots", NameEscaping.UNDERSCORES);
    of("*;escaping=dots", NameEscaping.DOTS);
    of("text/plain;escaping=a=b", NameEscaping.UNDERSCORES);
    of(
        "text/plain; escaping=allow-utf-8,application/x;q=1;escaping=dots",
        NameEscaping.ALLOW_UTF_8);
    of(",;,=,/", NameEscaping.UNDERSCORES);
  }
}
