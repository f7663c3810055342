package io.fleetgauge.sample.vocabulary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.gpu.GpuMetrics;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class AliasTableTest {
  private static final String HEAD = "vocabulary\tkind\talias\tstored\tfactor\tunit\thelp\n";

  private static List<String> problems(AliasTable below, String text) {
    return catchThrowableOfType(InvalidAliases.class, () -> below.with("f", text)).problems();
  }

  @Test
  void everyBuiltInAliasStandsForAMetricOfTheTableOnceAndIsNone() {
    Set<String> names = new HashSet<>();
    for (MetricAlias alias : AliasTable.builtIn().metrics()) {
      assertThat(GpuMetrics.find(alias.stored())).as(alias.name()).isPresent();
      assertThat(GpuMetrics.find(alias.name())).as(alias.name()).isEmpty();
      assertThat(names.add(alias.name())).as(alias.name()).isTrue();
      assertThat(alias.factor().isOne()).as(alias.name()).isEqualTo(alias.unit().isEmpty());
    }
    assertThat(names).hasSizeGreaterThan(130);
  }

  @Test
  void theUnitsAreThoseOfDcgmExporter49() {
    Map<String, MetricAlias> newer = AliasTable.builtIn().vocabulary("dcgm-exporter-4.9").metrics();
    assertThat(newer.get("DCGM_FI_DEV_SM_CLOCK_HERTZ").factor().apply(1_410)).isEqualTo(1.41e9);
    assertThat(newer.get("DCGM_FI_DEV_GPU_ENERGY_JOULES_TOTAL").factor().apply(1_234))
        .isEqualTo(1.234);
    assertThat(newer.get("DCGM_FI_DEV_GPU_UTIL_RATIO").factor().apply(57)).isEqualTo(0.57);
    assertThat(newer.get("DCGM_FI_DEV_FB_CAPACITY_BYTES").factor().apply(81_920))
        .isEqualTo(81_920L << 20);
    // 1000 KiB are an MB to dcgm-exporter.
    assertThat(newer.get("DCGM_FI_DEV_NVLINK_THROUGHPUT_BYTES_PER_SECOND").factor().apply(1))
        .isEqualTo(1_024_000);
  }

  @Test
  void aSeriesIsSeenWithAddedLabelsAndScaledNumbers() {
    Series stored =
        new Series(
            Labels.of("__name__", "old", "a", "1", "kept", "2", "b", "3"),
            new long[] {1, 2, 3},
            new double[] {250, Staleness.MARKER, Double.POSITIVE_INFINITY});
    SeriesAliases seen =
        new Aliases(Map.of(), Map.of("kept", "a", "x", "a", "y", "nothing"))
            .named(new MetricAlias("new", "old", new Factor(1, 100), "", ""));
    assertThat(seen.series(stored))
        .isEqualTo(
            new Series(
                Labels.of("__name__", "new", "a", "1", "kept", "2", "b", "3", "x", "1"),
                stored.times(),
                new double[] {2.5, Staleness.MARKER, Double.POSITIVE_INFINITY}));
  }

  @Test
  void aFileAddsAliasesAndReplacesThoseOfTheSameName() throws InvalidAliases {
    AliasTable table =
        AliasTable.builtIn()
            .with(
                "f",
                HEAD
                    + "# ours\n\n"
                    + "ours\tmetric\tgpu_busy\tDCGM_FI_DEV_GPU_UTIL\t1/100\tratio\tBusy.\n"
                    + "ours\tlabel\tnode\tHostname\t-\t-\t-\n"
                    + "ours\tmetric\tDCGM_FI_DEV_XID_ERROR\tmy_xid\t1\t-\t-\n");
    assertThat(table.used(List.of("gpu_busy"), List.of()).labels())
        .isEqualTo(Map.of("node", "Hostname"));
    assertThat(table.used(List.of("DCGM_FI_DEV_XID_ERROR"), List.of()).metrics())
        .hasValueSatisfying(
            new org.assertj.core.api.Condition<>(
                alias -> alias.stored().equals("my_xid"), "replaced"));
    assertThat(table.used(List.of("up"), List.of("rack"))).isSameAs(Aliases.NONE);
  }

  @Test
  void everyProblemOfAFileIsToldWithItsLine() {
    assertThat(
            problems(
                AliasTable.builtIn(),
                HEAD
                    + "v\tmetric\tx\n"
                    + "v v\tmetric\ta\tb\t1\t-\t-\n"
                    + "v\tthing\ta\tb\t1\t-\t-\n"
                    + "v\tmetric\tc d\tb\t0\t-\t-\n"
                    + "v\tmetric\te\te\t1/0\t-\t-\n"
                    + "v\tmetric\ta\tb\t1\t-\t-\n"
                    + "v\tmetric\tDCGM_FI_DEV_GPU_UTIL\tb\t1\t-\t-\n"
                    + "v\tmetric\tg\tDCGM_FI_DEV_GPU_UTIL_RATIO\t1\t-\t-\n"
                    + "v\tlabel\tl\t__name__\t-\t-\t-\n"
                    + "v\tlabel\tm\tn\t2\t-\t-\n"
                    + "v\tlabel\tHostname\tn\t-\t-\t-\n"))
        .containsExactly(
            "line 2: it has 3 cells separated by tabs, not 7",
            "line 3: the vocabulary \"v v\" is no name of letters, digits, dots, dashes and"
                + " underscores",
            "line 4: the kind \"thing\" is neither metric nor label",
            "line 5: \"c d\" is no name of a metric",
            "line 5: the factor \"0\" is neither a whole number above 0 nor two of them, such as"
                + " 1/100",
            "line 6: e is an alias of itself",
            "line 6: the factor \"1/0\" is neither a whole number above 0 nor two of them, such as"
                + " 1/100",
            "line 7: the alias a is in line 3 already",
            "line 8: DCGM_FI_DEV_GPU_UTIL is the name of a metric that is stored, so it cannot be"
                + " an alias",
            "line 10: __name__ is the metric's name; use a line of kind metric",
            "line 11: a label has no factor, unit or help; write - for each",
            "line 6: the metric e is itself an alias; name what is stored",
            "line 9: the metric DCGM_FI_DEV_GPU_UTIL_RATIO is itself an alias; name what is stored",
            "line 8: DCGM_FI_DEV_GPU_UTIL is what the alias DCGM_FI_DEV_GPU_UTIL_RATIO stands for",
            "line 12: Hostname is what another alias stands for");
    assertThat(problems(AliasTable.EMPTY, "")).hasSize(1).first().asString().startsWith("line 1: ");
    assertThat(problems(AliasTable.EMPTY, HEAD + "x\n".repeat(200)))
        .hasSize(51)
        .last()
        .isEqualTo("and 150 more");
    assertThat(problems(AliasTable.EMPTY, HEAD + "\n".repeat(10_000)))
        .containsExactly("line 10000: the file has more lines than the limit of 10000");
  }

  @Test
  void noDamageToAFileIsMoreThanAListOfProblems() throws Exception {
    byte[] whole;
    try (var in = AliasTable.class.getResourceAsStream("aliases.tsv")) {
      whole = in.readNBytes(3_000);
    }
    SplittableRandom random = new SplittableRandom(9);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = whole.clone();
      for (int n = 0; n <= random.nextInt(4); n++) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      try {
        AliasTable table =
            AliasTable.EMPTY.with("f", new String(bytes, StandardCharsets.ISO_8859_1));
        assertThat(table.metrics()).isNotEmpty();
      } catch (InvalidAliases e) {
        assertThat(e.problems()).isNotEmpty().allMatch(text -> text.startsWith("line "));
      }
    }
  }
}
