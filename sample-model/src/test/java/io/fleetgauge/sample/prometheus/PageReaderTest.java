package io.fleetgauge.sample.prometheus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the reader of pages takes and refuses. {@code ScrapeComparisonTest} compares it with the
 * real Prometheus.
 */
class PageReaderTest {
  /** Everything that a page says, as texts. */
  private static final class Said implements PageReader.Sink {
    private final List<String> all = new ArrayList<>();

    @Override
    public void sample(PageLine line, String type) throws BadPage {
      all.add(
          String.join("|", line.pairs(type))
              + " "
              + line.value()
              + (line.hasTime() ? " at " + line.time() : ""));
    }

    @Override
    public void type(String family, String type) {
      all.add("type " + family + " " + type);
    }

    @Override
    public void help(String family, String help) {
      all.add("help " + family + " " + help);
    }

    @Override
    public void unit(String family, String unit) {
      all.add("unit " + family + " " + unit);
    }
  }

  private static List<String> read(PageFormat format, byte[] page, int piece) throws BadPage {
    Said said = new Said();
    PageReader reader = new PageReader(format, said);
    for (int from = 0; from < page.length; from += piece) {
      reader.take(page, from, Math.min(page.length, from + piece));
    }
    reader.end();
    return said.all;
  }

  private static List<String> read(PageFormat format, String page) throws BadPage {
    byte[] bytes = page.getBytes(StandardCharsets.UTF_8);
    List<String> said = read(format, bytes, bytes.length + 1);
    for (int piece = 1; piece < Math.min(bytes.length, 40); piece++) {
      assertThat(read(format, bytes, piece)).as("in pieces of %d bytes", piece).isEqualTo(said);
    }
    return said;
  }

  @Test
  void aPageInTheTextFormatIsRead() throws BadPage {
    assertThat(
            read(
                PageFormat.TEXT,
                """
                # HELP http_requests_total The \\\\ total\\nof "all" \\" requests.
                # TYPE http_requests_total counter
                http_requests_total{method="post",code="200"} 1027 1395066363000
                #no comment
                # EOF
                escaped {path="C:\\\\DIR",error="a\\n\\"b\\" \\t"}\t1.458255915e9
                {"a.quoted", "é"="x" b="", } NaN
                lines{a="1
                2"} +Inf
                x:y{}-0
                # TYPE h histogram
                h_bucket{le="1"} 007.50
                h_bucket{le="1000000"} 1e3
                # TYPE s summary
                s{quantile="0.50"} -12
                """))
        .containsExactly(
            "help http_requests_total The \\ total\nof \"all\" \\\" requests.",
            "type http_requests_total counter",
            "__name__|http_requests_total|method|post|code|200 1027.0 at 1395066363000",
            "__name__|escaped|path|C:\\DIR|error|a\n\"b\" \\t 1.458255915E9",
            "__name__|a.quoted|é|x|b| NaN",
            "__name__|lines|a|1\n2 Infinity",
            "__name__|x:y -0.0",
            "type h histogram",
            "__name__|h_bucket|le|1.0 7.5",
            "__name__|h_bucket|le|1e+06 1000.0",
            "type s summary",
            "__name__|s|quantile|0.5 -12.0");
  }

  @Test
  void aPageInOpenMetricsIsReadAndItsExemplarsAreLeftOut() throws BadPage {
    assertThat(
            read(
                PageFormat.OPENMETRICS,
                """
                # TYPE foo_seconds counter
                # UNIT foo_seconds seconds
                # HELP foo_seconds Some \\"help\\".
                foo_seconds_total{a="b"} 17.0 1520879607.789 # {id="x",é="y"} 0.67 1520879607.1
                foo_seconds_created{a="b"} 1520430000.123
                # TYPE bar histogram
                bar_bucket{le="+Inf"} 5 # {} 1
                {"a.b",c="d"} 1 -1.5
                # EOF
                """
                    .replace(",é=\"y\"", ",\"é\"=\"y\"")))
        .containsExactly(
            "type foo_seconds counter",
            "unit foo_seconds seconds",
            "help foo_seconds Some \"help\".",
            "__name__|foo_seconds_total|a|b 17.0 at 1520879607789",
            "__name__|foo_seconds_created|a|b 1.520430000123E9",
            "type bar histogram",
            "__name__|bar_bucket|le|+Inf 5.0",
            "__name__|a.b|c|d 1.0 at -1500");
  }

  @Test
  void theLastLineOfTextNeedsNoLineFeedAndAnEmptyPageHasNothing() throws BadPage {
    assertThat(read(PageFormat.TEXT, "a 1")).containsExactly("__name__|a 1.0");
    assertThat(read(PageFormat.TEXT, "")).isEmpty();
    assertThat(read(PageFormat.OPENMETRICS, "# EOF")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "a b",
        "a 1_0",
        "a 0x1p4",
        "a 1e999",
        "a 1 2.5",
        "a 1 -3",
        "a 1 2 3",
        "a 1\r",
        "a{b} 1",
        "a{,} 1",
        "a{b=\"1\",,} 1",
        "a{b=c} 1",
        "a{b=\"c 1",
        "a{\"b\"} 1",
        "{b=\"c\"} 1",
        "{} 1",
        "{\"a\",\"b\"} 1",
        "a{b=\"1\"}{} 1",
        "1a 1",
        "é 1",
        "a.b 1",
        "a{b.c=\"1\"} 1",
        "\0",
        "#\0",
        "a\0 1",
        "# TYPE a  counter",
        "# TYPE a counter ",
        "# TYPE a info",
        "# TYPE 1 counter",
        "# HELP \"a 1",
        "a{b=\"\\\n\"} 1"
      })
  void whatIsNotOfTheTextFormatIsRefused(String line) {
    assertThatThrownBy(() -> read(PageFormat.TEXT, "ok 1\n" + line + "\nok 2\n"))
        .isInstanceOf(BadPage.class)
        .hasMessageStartingWith("line ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " a 1",
        "a  1",
        "a\t1",
        "a 1 ",
        "a{} 1  # {} 1",
        "a{b=\"c\" ,d=\"e\"} 1",
        "a{b=\"c\"d=\"e\"} 1",
        "a{b=\"1\n2\"} 1",
        "a 1 NaN",
        "a 1 +Inf",
        "a 1 x",
        "a 1 # {a=\"b\"}",
        "a 1 # {a=\"b\"} x",
        "a 1 # {\"a\"} 1",
        "a 1 # {a=\"b\"} 1 Inf",
        "a 1 # {a=\"b\"} 1 1 1",
        "#comment",
        "# comment",
        "#  TYPE a gauge",
        "# TYPE a untyped",
        "# TYPE a",
        "# UNIT a_b c",
        "# UNIT s s",
        "# EOFx",
        "# EOF\n# EOF",
        "# EOF\n\n"
      })
  void whatIsNotOpenMetricsIsRefused(String line) {
    assertThatThrownBy(() -> read(PageFormat.OPENMETRICS, "ok 1\n" + line + "\n# EOF\n"))
        .isInstanceOf(BadPage.class)
        .hasMessageStartingWith("line ");
  }

  @Test
  void anOpenMetricsPageThatDoesNotSayThatItIsWholeIsRefused() {
    assertThatThrownBy(() -> read(PageFormat.OPENMETRICS, "a 1\n"))
        .hasMessage("line 2: the page does not end with # EOF");
    Said said = new Said();
    PageReader reader = new PageReader(PageFormat.OPENMETRICS, said);
    assertThatThrownBy(
            () -> {
              reader.take(new byte[] {'a', ' ', '1'}, 0, 3);
              reader.end();
            })
        .hasMessage("line 1: the last line does not end and is not # EOF");
    assertThat(said.all).isEmpty();
  }

  @Test
  void whatIsNotUtf8IsRefused() {
    for (String line : List.of("a{b=\"\u00ff\"} 1\n", "{\"\u00c3\"} 1\n", "# HELP a \u00ff\n")) {
      byte[] page = line.getBytes(StandardCharsets.ISO_8859_1);
      assertThatThrownBy(() -> read(PageFormat.TEXT, page, page.length))
          .hasMessageEndingWith("is not UTF-8");
    }
  }

  @Test
  void linesLabelsAndLineFeedsInQuotesAreLimited() throws BadPage {
    String longest = "a{b=\"" + "x".repeat(PageReader.MAX_LINE_BYTES - 9) + "\"} 1";
    assertThat(read(PageFormat.TEXT, longest.getBytes(StandardCharsets.UTF_8), 8_000)).hasSize(1);
    byte[] longer = longest.replace("x\"", "xx\"").getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> read(PageFormat.TEXT, longer, 8_000))
        .hasMessageContaining("more than 131072 bytes");
    byte[] quoted =
        ("a{b=\"" + "\n".repeat(PageReader.MAX_LINE_FEEDS + 1) + "\"} 1")
            .getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> read(PageFormat.TEXT, quoted, 8_000))
        .hasMessageContaining("more than 1000 line feeds");
    StringBuilder labels = new StringBuilder("a{");
    for (int i = 0; i <= PageLine.MAX_LABELS; i++) {
      labels.append("l").append(i).append("=\"\",");
    }
    assertThatThrownBy(() -> read(PageFormat.TEXT, labels + "} 1"))
        .hasMessageContaining("more than 256 labels");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "text/plain|TEXT",
        "text/plain; version=0.0.4; charset=utf-8|TEXT",
        "Text/Plain;a=\"b;c\"|TEXT",
        "application/openmetrics-text; version=1.0.0|OPENMETRICS",
        "application/vnd.google.protobuf|",
        "text/html|",
        "text/plain; =|",
        "text|",
        "''|"
      })
  void theContentTypeTellsTheFormat(String contentType, PageFormat format) {
    assertThat(PageFormat.of(contentType).orElse(null)).isEqualTo(format);
    assertThat(PageFormat.of(null)).isEmpty();
  }
}
