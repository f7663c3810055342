package io.fleetgauge.load.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.config.HostCollector;
import io.fleetgauge.probe.config.HostSettings;
import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.config.TickSettings;
import io.fleetgauge.probe.host.HostReader;
import io.fleetgauge.probe.sampling.TickClasses;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * 100,000 damaged contents, or as many as {@code fleetgauge.damaged} says: files of proc, sys and
 * of metrics with words that are no numbers, cut, empty or gone, or with bytes that are no text.
 */
@Tag("slow")
class DamagedNodeTest {
  private static final long SEED = 20_261_124;
  private static final int DAMAGED = Integer.getInteger("fleetgauge.damaged", 100_000);
  private static final int AT_ONCE = 100;

  /** Words of which none is a number. */
  private static final String[] GARBAGE = {
    "x",
    "-",
    "1.2.3",
    "0y17",
    "NaN",
    "\u0000\u0001",
    "99999999999999999999999",
    "\u0661",
    "--4",
    ":"
  };

  /** Values that follow from words: another word is another fact, and no damage. */
  private static final Pattern OF_WORDS =
      Pattern.compile(
          "(node_(arp_entries|bonding_|network_up|md_|cpu_online|cpu_scaling_governor|"
              + "|filesystem_|processes_|time_|timex_|textfile_|disk_info|os_version"
              + "|scrape_collector_|hwmon_beep|uname|rapl_)).*");

  private final SplittableRandom random = new SplittableRandom(SEED);

  @Test
  void damageCostsItsOwnSamplesAndIsCountedButNeverMakesAValueWrong(@TempDir Path folder)
      throws Exception {
    NodeTree.write(folder);
    Map<String, Map<Labels, Double>> undamaged = new HashMap<>();
    for (HostCollector each : HostCollector.values()) {
      undamaged.put(
          each.text(),
          read(reader(settings(folder, "defaults: false, on: [" + each.text() + "]"))));
    }
    List<Map.Entry<String, String>> files = new ArrayList<>(NodeTree.files().entrySet());
    files.removeIf(file -> file.getKey().contains(" -> "));
    HostReader reader = reader(settings(folder, "on: [processes]"));
    read(reader);
    long faults = reader.failures();
    int wrong = 0;
    for (int done = 0; done < DAMAGED; done += AT_ONCE) {
      Set<Map.Entry<String, String>> chosen = new HashSet<>();
      while (chosen.size() < AT_ONCE) {
        chosen.add(files.get(random.nextInt(files.size())));
      }
      for (Map.Entry<String, String> file : chosen) {
        damage(folder.resolve(file.getKey()), file.getValue());
      }
      Map<Labels, Double> damaged = read(reader);
      for (HostCollector each : HostCollector.values()) {
        Labels success =
            Labels.of(Labels.NAME, "node_scrape_collector_success", "collector", each.text());
        if (damaged.get(success) == 1) {
          for (var sample : undamaged.get(each.text()).entrySet()) {
            Double value = damaged.get(sample.getKey());
            if (value != null && !value.equals(sample.getValue()) && !isOfWords(sample.getKey())) {
              assertThat(value)
                  .as("%s, after %d", sample.getKey(), done)
                  .isEqualTo(sample.getValue());
              wrong++;
            }
          }
        }
      }
      for (Map.Entry<String, String> file : chosen) {
        Files.writeString(folder.resolve(file.getKey()), file.getValue());
      }
    }
    assertThat(wrong).isZero();
    assertThat(reader.failures() - faults).isGreaterThan(DAMAGED / 4);
    assertThat(read(reader).keySet()).containsAll(undamaged.get("cpu").keySet());
  }

  private static boolean isOfWords(Labels series) {
    return OF_WORDS.matcher(series.metric()).matches();
  }

  private void damage(Path file, String content) throws IOException {
    // These may come without the end of their last line.
    boolean isCutUnseen = file.toString().matches(".*/(pressure/.*|softnet_stat|\\d+/stat)");
    boolean isOneValue = isCutUnseen || content.indexOf('\n') == content.length() - 1;
    switch (random.nextInt(6)) {
      case 0 -> Files.delete(file);
      case 1 -> Files.writeString(file, "");
      case 2 -> {
        byte[] noise = new byte[random.nextInt(1, 200)];
        for (int i = 0; i < noise.length; i++) {
          // No digits: noise must not be a number by chance.
          noise[i] = (byte) (random.nextBoolean() ? 128 + random.nextInt(128) : random.nextInt(32));
        }
        Files.write(file, noise);
      }
      case 3 -> {
        // A file of one value may come without its end, and one that ends behind a line is only
        // shorter: such cuts cannot be told.
        int end = isOneValue ? 0 : random.nextInt(content.length());
        if (end > 0 && content.charAt(end - 1) == '\n') {
          end--;
        }
        Files.writeString(file, content.substring(0, end));
      }
      default -> {
        // Any number that Go reads is a value in a file of metrics.
        boolean isMetrics = file.toString().endsWith(".prom");
        Files.writeString(file, withGarbage(content, isMetrics ? "{" : ""));
      }
    }
  }

  private String withGarbage(String content, String always) {
    String[] lines = content.split("\n", -1);
    for (int i = random.nextInt(1, 4); i > 0; i--) {
      int at = random.nextInt(lines.length);
      String[] words = lines[at].split(" ", -1);
      words[random.nextInt(words.length)] =
          always.isEmpty() ? GARBAGE[random.nextInt(GARBAGE.length)] : always;
      lines[at] = String.join(" ", words);
    }
    return String.join("\n", lines);
  }

  private static HostSettings settings(Path folder, String collectors) throws ConfigException {
    String yaml =
        """
        host:
          proc: %1$s/proc
          sys: %1$s/sys
          rootfs: %1$s/root
          textfile: {directory: %1$s/textfiles}
          collectors: {%2$s}
        """;
    return ProbeConfig.read("test", yaml.formatted(folder, collectors)).host();
  }

  private static HostReader reader(HostSettings settings) {
    TickClasses classes = TickClasses.of(TickSettings.every(Duration.ofSeconds(15)));
    return new HostReader(settings, classes, () -> 0);
  }

  private static Map<Labels, Double> read(HostReader reader) {
    Tick.Builder readings = new Tick.Builder();
    reader.read(readings);
    Tick tick = readings.at(0);
    Map<Labels, Double> samples = new HashMap<>();
    for (int i = 0; i < tick.size(); i++) {
      assertThat(samples.put(tick.series().get(i), tick.values()[i])).as("a series twice").isNull();
    }
    return samples;
  }
}
