package io.fleetgauge.probe.host.kernel;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.MissingSource;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.io.IOException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** node_exporter's collector {@code os}. */
public final class OsRelease implements Collector {
  private static final String[] PLACES = {"/etc/os-release", "/usr/lib/os-release"};
  private static final Pattern VERSION = Pattern.compile("^[0-9]+\\.?[0-9]*");
  private static final String[] LABELS = {
    "build_id",
    "id",
    "id_like",
    "image_id",
    "image_version",
    "name",
    "pretty_name",
    "variant",
    "variant_id",
    "version",
    "version_codename",
    "version_id"
  };

  private final Metric info = new Metric("node_os_info", LABELS);
  private final Metric version = new Metric("node_os_version", "id", "id_like", "name");
  private final Metric support = new Metric("node_os_support_end_timestamp_seconds");

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws IOException {
    Map<String, String> values = values(files);
    String[] labels = new String[LABELS.length];
    for (int i = 0; i < LABELS.length; i++) {
      labels[i] = of(values, LABELS[i]);
    }
    out.add(info, 1, labels);
    Matcher number = VERSION.matcher(of(values, "version_id"));
    if (number.find() && Double.parseDouble(number.group()) > 0) {
      out.add(
          version,
          Double.parseDouble(number.group()),
          of(values, "id"),
          of(values, "id_like"),
          of(values, "name"));
    }
    String end = of(values, "support_end");
    if (!end.isEmpty()) {
      try {
        out.add(support, LocalDate.parse(end).atStartOfDay(ZoneOffset.UTC).toEpochSecond());
      } catch (DateTimeParseException e) {
        files.damaged("SUPPORT_END of os-release is " + end + ", which is no date");
      }
    }
  }

  private static String of(Map<String, String> values, String name) {
    return values.getOrDefault(name, "");
  }

  private static Map<String, String> values(NodeFiles files) throws IOException {
    for (String place : PLACES) {
      if (files.isThere(files.inRoot(place))) {
        KernelText text = files.text(files.inRoot(place));
        Map<String, String> values = new HashMap<>();
        while (text.nextLine()) {
          String line = text.line().strip();
          int equals = line.indexOf('=');
          if (equals > 0 && line.charAt(0) != '#') {
            String name = line.substring(0, equals).toLowerCase(java.util.Locale.ROOT);
            values.put(name, unquoted(line.substring(equals + 1)));
          }
        }
        return values;
      }
    }
    throw new MissingSource(PLACES[0]);
  }

  /** A value as a shell reads it. */
  private static String unquoted(String value) {
    boolean quoted =
        value.length() > 1
            && (value.charAt(0) == '"' || value.charAt(0) == '\'')
            && value.charAt(value.length() - 1) == value.charAt(0);
    String inner = quoted ? value.substring(1, value.length() - 1) : value;
    return inner.replaceAll("\\\\([\"$`\\\\])", "$1");
  }
}
