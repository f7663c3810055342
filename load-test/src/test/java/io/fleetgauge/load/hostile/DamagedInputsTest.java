package io.fleetgauge.load.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.config.GatewayConfig;
import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.rules.definition.InvalidRules;
import io.fleetgauge.query.rules.definition.RuleFileReader;
import io.fleetgauge.query.rules.definition.TemplateCheck;
import io.fleetgauge.query.rules.template.Template;
import io.fleetgauge.query.rules.template.TemplateFailure;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.runtime.tenant.TenantList;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.prometheus.RemoteRead;
import io.fleetgauge.sample.prometheus.RemoteWriteReader;
import io.fleetgauge.sample.vocabulary.AliasTable;
import io.fleetgauge.sample.vocabulary.InvalidAliases;
import io.fleetgauge.sample.wire.WireException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.xerial.snappy.Snappy;

/**
 * Input of other programs and people, damaged: it is read, or refused with the exception that its
 * reader declares and a message. {@code AnswersTest} does the same with answers of discovery,
 * {@code BadInputTest} with requests to running processes. The property {@code
 * fleetgauge.inputs.damaged} sets how many of each form.
 */
class DamagedInputsTest {
  private static final int COUNT = Integer.getInteger("fleetgauge.inputs.damaged", 2_000);
  private static final RuleFileReader RULES =
      new RuleFileReader(ParseOptions.STOCK, TemplateCheck.TEMPLATES, 60_000);

  private static final String QUERY =
      """
      # a query API
      http: {host: 127.0.0.1, port: 9090, allowedOrigins: ["https://grafana.example:3000"]}
      cluster: {name: fleet, members: ["10.0.0.11:5701", "10.0.0.12:5701"]}
      query:
        timeout: 2m
        limits: &limits {running: 20, samples: 50000000, strict: false}
      rules:
        alertmanagers:
          main:
            urls: ["http://10.0.0.31:9093"]
            relabel: [{source_labels: [a, 'b'], regex: "(.*)", target_label: c, modulus: 0x10}]
      """;

  private static final String GATEWAY =
      """
      ---
      zone: rack-1
      http: {host: 127.0.0.1, port: 9500}
      store: {folder: /data, retention: 7d, maxDisk: 100GiB}
      ingest:
        relabel:
          - {source_labels: [__name__], regex: 'go_.*', action: drop}
      rollups: {enabled: true}
      """;

  private static final String PROBE =
      """
      gateways: ["http://10.0.0.11:9500"]
      labels: {rack: r12, version: 1.10, "region": 'eu'}
      tick: 15s
      scrape:
        dcgm:
          url: "http://localhost:9401/metrics"
          honorLabels: true
          metricRelabel:
            - action: labeldrop
              regex: |-
                tmp_.*
      """;

  private static final String TENANTS =
      """
      tenants:
        red: &red
          scope: '{tenant="red"}'
          write: {labels: {tenant: red}}
          limits: {samples: 1000000}
          tokens:
            grafana: {sha256: 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824, rights: [read]}
      """;

  private static final String TEMPLATE =
      "{{ with query \"up{a='b'}\" }}{{ range . }}{{ .Labels.x | toUpper }} {{ printf \"%6.2f\""
          + " .Value }}{{ end }}{{ end }}{{ if eq $value 1.0 }}{{ $labels.gpu | humanize }}{{ end"
          + " }}";

  private static final String EXPRESSION =
      "sum by (\"a.b\", c) (rate({\"x.y\", d=~\"e.*|f\", g!='h\\\\n"
          + "'}[5m] offset -1h @ 1.5e9)) / on (i) group_left (j) max_over_time("
          + "k:l[1h:5m]) > bool 0x1F # m";

  /** Reads bytes; fails with what the reader of the form declares. */
  private interface Reader {
    void read(byte[] bytes) throws Exception;
  }

  private enum Form {
    QUERY_CONFIG(QUERY, bytes -> QueryConfig.read("f", text(bytes)), ConfigException.class),
    GATEWAY_CONFIG(GATEWAY, bytes -> GatewayConfig.read("f", text(bytes)), ConfigException.class),
    PROBE_CONFIG(PROBE, bytes -> ProbeConfig.read("f", text(bytes)), ConfigException.class),
    TENANTS_FILE(
        TENANTS,
        bytes -> TenantList.read("f", text(bytes), TenantLimits.DEFAULT, Parser::selectorProblem),
        ConfigException.class),
    RULE_FILE(
        rules(),
        bytes -> {
          RULES.read("", "f", bytes);
          RuleFileReader.unread("f", bytes);
        },
        InvalidRules.class),
    ALIASES(
        "vocabulary\tkind\talias\tstored\tfactor\tunit\thelp\n"
            + "ours\tmetric\tbusy\tDCGM_FI_DEV_GPU_UTIL\t1/100\tratio\tShare of time.\n"
            + "ours\tlabel\tnode\tHostname\t-\t-\t-\n",
        bytes -> AliasTable.builtIn().with("f", text(bytes)),
        InvalidAliases.class),
    TEMPLATE_TEXT(TEMPLATE, bytes -> Template.check(lenient(bytes)), TemplateFailure.class),
    PROMQL(EXPRESSION, bytes -> Parser.parse(lenient(bytes)), ParseException.class),
    REMOTE_WRITE_1(
        write(RemoteWriteBody.v1()),
        bytes -> write(RemoteWriteReader.Version.V1, bytes),
        WireException.class),
    REMOTE_WRITE_2(
        write(RemoteWriteBody.v2()),
        bytes -> write(RemoteWriteReader.Version.V2, bytes),
        WireException.class),
    REMOTE_READ(readRequest(), RemoteRead::read, WireException.class);

    private final byte[] whole;
    private final Reader reader;
    private final Class<? extends Exception> refusal;

    Form(byte[] whole, Reader reader, Class<? extends Exception> refusal) {
      this.whole = whole;
      this.reader = reader;
      this.refusal = refusal;
    }

    Form(String whole, Reader reader, Class<? extends Exception> refusal) {
      this(whole.getBytes(StandardCharsets.UTF_8), reader, refusal);
    }
  }

  private static String text(byte[] bytes) throws CharacterCodingException {
    return StandardCharsets.UTF_8.newDecoder().decode(java.nio.ByteBuffer.wrap(bytes)).toString();
  }

  private static String lenient(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static byte[] rules() {
    try {
      return Files.readAllBytes(Path.of("src/test/rules/all-forms.yaml"));
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static byte[] write(RemoteWriteBody body) {
    for (int i = 0; i < 5; i++) {
      body.series(
          Labels.of("__name__", "power", "Hostname", "n" + i, "é.ü", "v\"\\n"),
          new long[] {1_700_000_000_000L, 1_700_000_015_000L},
          new double[] {i, Double.NaN});
    }
    try {
      return Snappy.uncompress(body.compressed());
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Two matchers from 1 to 2, and one accepted form, as Prometheus's proto file numbers them. */
  private static byte[] readRequest() {
    byte[] query = {
      8, 1, 16, 2, 26, 9, 18, 2, 'u', 'p', 26, 3, 'a', '.', '*', 26, 8, 8, 1, 18, 1, 'j', 26, 1, 'x'
    };
    byte[] request = new byte[query.length + 5];
    request[0] = 10;
    request[1] = (byte) query.length;
    System.arraycopy(query, 0, request, 2, query.length);
    request[query.length + 2] = 18;
    request[query.length + 3] = 1;
    request[query.length + 4] = 1;
    return request;
  }

  private static void write(RemoteWriteReader.Version version, byte[] bytes) throws WireException {
    new RemoteWriteReader(version, bytes, bytes.length)
        .read(
            new RemoteWriteReader.Sink() {
              @Override
              public boolean series(RemoteWriteReader reader) throws WireException {
                reader.seriesMetadata();
                assertThat(reader.describe()).hasSizeLessThan(50_000);
                return reader.problem().isEmpty();
              }

              @Override
              public void sample(long time, double value) {}

              @Override
              public void histogram(long time, Histogram histogram) {}

              @Override
              public void badHistogram(String why) {
                assertThat(why).isNotBlank();
              }

              @Override
              public void unwanted(int samples, int histograms) {}

              @Override
              public void exemplars(int count) {}

              @Override
              public void metadata(String metric, MetricMetadata metadata) {}
            });
  }

  /** Bytes that mean something to one of the forms. */
  private static final byte[] PIECES =
      "*&!|>-?:,[]{}#'\"%@`\n\r\t \\x()$<=~0_.\u0000\u0001".getBytes(StandardCharsets.UTF_8);

  static byte[] damaged(byte[] whole, SplittableRandom random) {
    byte[] bytes = Arrays.copyOf(whole, whole.length);
    for (int hits = random.nextInt(1, 4); hits > 0; hits--) {
      int at = random.nextInt(bytes.length);
      switch (random.nextInt(6)) {
        case 0 -> bytes[at] = (byte) random.nextInt(256);
        case 1 -> bytes[at] = PIECES[random.nextInt(PIECES.length)];
        case 2 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case 3 -> bytes = Arrays.copyOf(bytes, at + 1);
        case 4 -> { // a piece once more
          int length = random.nextInt(1, 40);
          byte[] longer = Arrays.copyOf(bytes, bytes.length + length);
          System.arraycopy(
              bytes, at, longer, Math.min(at + length, bytes.length), bytes.length - at);
          bytes = longer;
        }
        default -> { // a piece less
          int to = Math.min(bytes.length, at + random.nextInt(1, 40));
          byte[] shorter = Arrays.copyOf(bytes, Math.max(1, bytes.length - (to - at)));
          System.arraycopy(bytes, to, shorter, Math.min(at, shorter.length), bytes.length - to);
          bytes = shorter;
        }
      }
    }
    return bytes;
  }

  @ParameterizedTest
  @EnumSource(Form.class)
  void whatIsDamagedIsReadOrRefusedAndNothingElse(Form form) throws Exception {
    form.reader.read(form.whole);
    SplittableRandom random = new SplittableRandom(20_261_126);
    Set<Class<?>> refusals = Set.of(form.refusal, CharacterCodingException.class);
    int refused = 0;
    for (int i = 0; i < COUNT; i++) {
      byte[] bytes = damaged(form.whole, random);
      try {
        form.reader.read(bytes);
      } catch (Exception | Error e) {
        assertThat(refusals)
            .as("%s by %s in %s", e, Arrays.toString(e.getStackTrace()), lenient(bytes))
            .anyMatch(each -> each.isInstance(e));
        assertThat(e instanceof CharacterCodingException ? "-" : e.getMessage()).isNotBlank();
        refused++;
      }
    }
    assertThat(refused).isBetween(COUNT / 20, COUNT - 1);
  }
}
