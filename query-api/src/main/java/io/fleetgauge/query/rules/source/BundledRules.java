package io.fleetgauge.query.rules.source;

import io.fleetgauge.query.rules.definition.InvalidRules;
import io.fleetgauge.query.rules.definition.RuleFileReader;
import io.fleetgauge.query.rules.definition.RuleGroup;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The rules about GPUs and nodes that come with the query API, as the operator's. Their file is the
 * path below the folder of the installation: wherever that is, query APIs of one cluster know the
 * groups by the same names, and alerts outlive an upgrade into another folder.
 */
final class BundledRules {
  static final List<String> FILES =
      List.of("faults.yaml", "gpus.yaml", "jobs.yaml", "nodes.yaml", "recording.yaml");

  private static final String PATH = "rules/fleetgauge/";

  /** The beginning of links in the files: pages that the query API serves. */
  private static final String SERVED = "{{ $externalURL }}/runbooks/";

  private BundledRules() {}

  /**
   * @param runbooks the folder of the pages that alerts link to; empty for those that the query API
   *     serves
   */
  static List<RuleGroup> read(RuleFileReader reader, Optional<URI> runbooks) throws InvalidRules {
    List<RuleGroup> groups = new ArrayList<>();
    for (String file : FILES) {
      String text = text(file);
      if (runbooks.isPresent()) {
        text = text.replace(SERVED, runbooks.get().toString().replaceFirst("/?$", "/"));
      }
      groups.addAll(reader.read("", PATH + file, text.getBytes(StandardCharsets.UTF_8)));
    }
    return groups;
  }

  private static String text(String file) {
    try (InputStream in = BundledRules.class.getResourceAsStream("bundled/" + file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
