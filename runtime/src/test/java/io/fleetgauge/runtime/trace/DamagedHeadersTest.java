package io.fleetgauge.runtime.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.runtime.config.TracingSettings;
import java.net.URI;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Headers {@code traceparent} of other programs, damaged: a request whose header is not one of
 * W3C's begins a trace of its own. The property {@code fleetgauge.inputs.damaged} sets how many.
 */
class DamagedHeadersTest {
  private static final int COUNT = Integer.getInteger("fleetgauge.inputs.damaged", 5_000);
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String WHOLE = "00-" + TRACE + "-00f067aa0ba902b7-01";

  /** W3C's form: a later version may have more after a hyphen, and ff is none. */
  private static final Pattern FORM =
      Pattern.compile(
          "(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})"
              + "(-.*)?");

  private static final Pattern OURS =
      Pattern.compile("00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-0[13]");

  private static Tracer tracer;

  @BeforeAll
  static void start() throws Exception {
    // Nobody listens there: what is not sent is dropped.
    tracer =
        Tracer.start(
            new TracingSettings(
                Optional.of(URI.create("http://127.0.0.1:9")),
                1,
                Optional.empty(),
                Optional.empty()),
            "query",
            "q");
  }

  @AfterAll
  static void close() {
    tracer.close();
  }

  /** The trace of a request with a header; empty when it is not traced. */
  private static String trace(String header) {
    Span span = tracer.serve("request", header);
    span.end();
    if (!span.isRecorded()) {
      assertThat(span.header()).isEmpty();
      return "";
    }
    Matcher sent = OURS.matcher(span.header());
    assertThat(sent.matches()).as(span.header()).isTrue();
    return sent.group(1);
  }

  private static void assertTraced(String header) {
    Matcher form = FORM.matcher(header);
    boolean isValid = form.matches() && (form.group(4) == null || !form.group(1).equals("00"));
    String trace = trace(header);
    if (!isValid) {
      assertThat(trace).as(header).isNotEmpty().isNotEqualTo(TRACE);
    } else if (Integer.parseInt(form.group(3), 16) % 2 == 1) {
      assertThat(trace).as(header).isEqualTo(form.group(2));
    } else {
      assertThat(trace).as("its sender does not trace it: %s", header).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        WHOLE,
        "00-" + TRACE + "-00f067aa0ba902b7-00",
        "00-" + TRACE + "-00f067aa0ba902b7-03",
        "01-" + TRACE + "-00f067aa0ba902b7-01-later",
        "01-" + TRACE + "-00f067aa0ba902b7-01later",
        "00-" + TRACE + "-00f067aa0ba902b7-01-later",
        "ff-" + TRACE + "-00f067aa0ba902b7-01",
        "00-" + TRACE + "-0000000000000000-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-" + TRACE + "-00f067aa0ba902b7",
        "00-" + TRACE,
        "00",
        "-",
        " ",
        "00-" + TRACE + "-00f067aa0ba902b7-0",
        "00-" + TRACE + "-00f067aa0ba902b7-zz",
        "00_" + TRACE + "_00f067aa0ba902b7_01",
        "00-\u00e4" + TRACE + "-00f067aa0ba902b7-01"
      })
  void aHeaderIsFollowedWhenItHasTheFormOfW3cAndOtherwiseTheTraceIsAnother(String header) {
    assertTraced(header);
  }

  @Test
  void whatIsDamagedBeginsATraceOfItsOwn() {
    SplittableRandom random = new SplittableRandom(20_261_127);
    int followed = 0;
    for (int i = 0; i < COUNT; i++) {
      String header = damaged(random);
      assertTraced(header);
      followed += FORM.matcher(header).matches() ? 1 : 0;
    }
    assertThat(followed).as("some damage does not show").isBetween(COUNT / 20, COUNT * 19 / 20);
  }

  private static String damaged(SplittableRandom random) {
    StringBuilder header = new StringBuilder(WHOLE);
    String pieces = "0f-_ ,;=\t\u0000\u00ffAGg/";
    for (int hits = random.nextInt(1, 4); hits > 0 && header.length() > 0; hits--) {
      int at = random.nextInt(header.length());
      switch (random.nextInt(7)) {
        case 0 -> header.setCharAt(at, (char) random.nextInt(256));
        case 1 -> header.setCharAt(at, pieces.charAt(random.nextInt(pieces.length())));
        case 2 -> header.setCharAt(at, Character.forDigit(random.nextInt(16), 16));
        case 3 -> header.setLength(at);
        case 4 -> header.insert(at, header.substring(0, random.nextInt(header.length())));
        case 5 -> header.delete(at, Math.min(header.length(), at + random.nextInt(1, 20)));
        default -> header.append(pieces.charAt(random.nextInt(pieces.length())));
      }
    }
    return header.toString();
  }
}
