package io.fleetgauge.query.faults.running;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.runtime.log.ProblemLog;
import io.fleetgauge.runtime.yaml.BadYaml;
import io.fleetgauge.runtime.yaml.YamlTree;
import io.fleetgauge.sample.Labels;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mail addresses of users, accounts and tenants, which are read again when their file changes. An
 * entry that is not understood is left out and told, the others are used. Thread-safe.
 */
public final class ContactsFile {
  /** The label of an episode that has the address. */
  public static final String LABEL = "contact";

  private static final Logger LOG = LoggerFactory.getLogger(ContactsFile.class);

  /** The first that has an address counts. */
  private static final List<String> SECTIONS = List.of("user", "account", "tenant");

  private static final Pattern ADDRESS =
      Pattern.compile("[^\\s\\p{Cntrl}@,;:<>()\\[\\]\"\\\\]{1,64}@[a-zA-Z0-9.-]{1,250}");
  private static final int MOST_TOLD = 20;
  private static final long MILLIS = 1_000_000;

  private final Optional<Path> file;
  private final ProblemLog problems = new ProblemLog(LOG::warn, LOG::info);
  private String text = "";

  /** Addresses by section and name. */
  private Map<String, Map<String, String>> addresses = Map.of();

  private int leftOut;

  /**
   * @param file empty for none
   */
  public ContactsFile(Optional<Path> file) {
    this.file = file;
  }

  /** Reads the file if it has changed; what cannot be read changes nothing. */
  public synchronized void look() {
    if (file.isEmpty()) {
      return;
    }
    Optional<String> problem = Optional.empty();
    try {
      String now = Files.readString(file.get(), StandardCharsets.UTF_8);
      if (!now.equals(text)) {
        take(YamlTree.read(now));
        text = now;
      }
    } catch (IOException | BadYaml e) {
      problem = Optional.of("faults.contacts stay as they are: " + file.get() + ": " + e);
    }
    problems.update(System.nanoTime() / MILLIS, problem);
  }

  private void take(JsonNode root) {
    Map<String, Map<String, String>> read = new HashMap<>();
    leftOut = 0;
    for (Map.Entry<String, JsonNode> section : root.properties()) {
      if (!SECTIONS.contains(section.getKey()) || !section.getValue().isObject()) {
        leaveOut(section.getKey(), "no map of one of " + SECTIONS);
        continue;
      }
      Map<String, String> of = read.computeIfAbsent(section.getKey(), none -> new HashMap<>());
      for (Map.Entry<String, JsonNode> each : section.getValue().properties()) {
        String address = each.getValue().isValueNode() ? each.getValue().asText() : "";
        if (ADDRESS.matcher(address).matches()) {
          of.put(each.getKey(), address);
        } else {
          leaveOut(section.getKey() + "." + each.getKey(), "no mail address");
        }
      }
    }
    addresses = read;
  }

  private void leaveOut(String entry, String why) {
    if (leftOut++ < MOST_TOLD) {
      LOG.warn("left out: {}: {} is {}", file.get(), entry, why);
    }
  }

  synchronized int leftOut() {
    return leftOut;
  }

  /** Labels with the address of whoever they are of; the same if there is none. */
  synchronized Labels add(Labels labels) {
    for (String each : SECTIONS) {
      String address = addresses.getOrDefault(each, Map.of()).get(labels.value(each));
      if (address != null) {
        return labels.with(LABEL, address);
      }
    }
    return labels;
  }
}
