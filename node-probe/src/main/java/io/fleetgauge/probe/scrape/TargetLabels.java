package io.fleetgauge.probe.scrape;

import io.fleetgauge.probe.config.ScrapeSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.BadPage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The labels that the samples of a target get, as Prometheus's scraper gives them. Immutable. */
final class TargetLabels {
  private static final String EXPORTED = "exported_";
  private static final String HOST = "Hostname";

  private final ScrapeSettings settings;
  private final String host;

  /** Names of the target's labels, shorter ones first: in this order conflicts are resolved. */
  private final List<String> names = new ArrayList<>();

  /**
   * @param host the node's name: no sample may claim to be of another node
   */
  TargetLabels(ScrapeSettings settings, String host) {
    this.settings = settings;
    this.host = host;
    for (int i = 0; i < settings.target().size(); i++) {
      names.add(settings.target().name(i));
    }
    names.sort(Comparator.comparingInt(String::length));
  }

  /**
   * The labels of a sample.
   *
   * @param pairs names and values in turn as the page has them; an empty value counts as a label
   *     that the page has, where the page's labels win
   * @return empty if it is dropped
   * @throws BadPage if Prometheus would refuse the page because of them
   */
  Labels of(String[] pairs) throws BadPage {
    try {
      Labels own = Labels.of(pairs);
      for (int i = 0; i < pairs.length; i += 2) {
        if (pairs[i + 1].isEmpty() && !own.value(pairs[i]).isEmpty()) {
          throw new BadPage("the label \"" + pairs[i] + "\" occurs twice");
        }
      }
      Labels all = settings.honorLabels() ? honored(own, pairs) : renamed(own);
      String claimed = all.value(HOST);
      if (!claimed.isEmpty() && !claimed.equals(host)) {
        all = exported(all.without(HOST), HOST, claimed);
      }
      return settings.relabelling().apply(all).orElse(Labels.EMPTY);
    } catch (IllegalArgumentException e) {
      throw new BadPage(e.getMessage());
    }
  }

  /**
   * Tells whether a sample has more labels, or longer ones, than it may.
   *
   * @return what is too much; empty if nothing is
   */
  String excess(Labels labels) {
    ScrapeSettings.Limits limits = settings.limits();
    if (labels.size() > limits.labels()) {
      return labels.metric() + " has " + labels.size() + " labels, more than maxLabels";
    }
    for (int i = 0; i < labels.size(); i++) {
      if (isLonger(labels.name(i), limits.nameBytes())) {
        return labels.metric() + " has a label whose name is longer than maxLabelName";
      }
      if (isLonger(labels.value(i), limits.valueBytes())) {
        return labels.metric()
            + " has a value of "
            + labels.name(i)
            + " that is longer than maxLabelValue";
      }
    }
    return "";
  }

  private static boolean isLonger(String text, int bytes) {
    return text.length() > bytes
        || 3L * text.length() > bytes && text.getBytes(StandardCharsets.UTF_8).length > bytes;
  }

  private Labels honored(Labels own, String[] pairs) {
    Labels all = own;
    for (String name : names) {
      boolean isThere = false;
      for (int i = 0; i < pairs.length; i += 2) {
        isThere |= pairs[i].equals(name);
      }
      if (!isThere) {
        all = all.with(name, settings.target().value(name));
      }
    }
    return all;
  }

  private Labels renamed(Labels own) {
    Labels all = own.with(settings.target());
    for (String name : names) {
      String value = own.value(name);
      if (!value.isEmpty()) {
        all = exported(all, name, value);
      }
    }
    return all;
  }

  private static Labels exported(Labels labels, String name, String value) {
    String free = EXPORTED + name;
    while (!labels.value(free).isEmpty()) {
      free = EXPORTED + free;
    }
    return labels.with(free, value);
  }
}
