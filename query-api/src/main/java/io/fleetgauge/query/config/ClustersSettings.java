package io.fleetgauge.query.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.util.ArrayList;
import java.util.List;

/**
 * The clusters that a query API answers from.
 *
 * @param joins {@code cluster.join}
 * @param own source of the label {@code cluster} in the cluster that it joins
 * @param others {@code clusters}
 */
public record ClustersSettings(
    boolean joins, OtherClusterSettings.Label own, List<OtherClusterSettings> others) {
  /** The label that names the cluster of a series. */
  public static final String LABEL = "cluster";

  private static final Key<Boolean> JOIN =
      Key.of(
          "cluster.join",
          KeyType.flag(),
          true,
          "Whether this query API joins a cluster. Without one, it answers from `clusters` only,"
              + " and stores no results of rules.");

  public ClustersSettings {
    others = List.copyOf(others);
  }

  /** Its own cluster alone. */
  public static ClustersSettings none() {
    return new ClustersSettings(true, OtherClusterSettings.Label.ADDED, List.of());
  }

  /**
   * @param ownName of the cluster that is joined
   */
  static ClustersSettings read(ConfigReader in, String ownName) {
    boolean joins = in.get(JOIN);
    OtherClusterSettings.Label own = OtherClusterSettings.Label.ADDED;
    List<OtherClusterSettings> others = new ArrayList<>();
    for (String name : OtherClusterSettings.names(in)) {
      OtherClusterSettings each = OtherClusterSettings.read(in, name).orElse(null);
      if (each == null) {
        continue;
      }
      boolean isOwn = joins && name.equals(ownName);
      if (isOwn) {
        own = each.label();
      } else {
        others.add(each);
      }
      if (isOwn != each.urls().isEmpty()) {
        in.problem(
            each.section()
                + (isOwn
                    ? ".urls: the section is about the own cluster, which is not reached by URLs"
                    : ": urls is needed"));
      }
    }
    if (!joins && others.isEmpty()) {
      in.problem("cluster.join: without a cluster of its own, clusters is needed");
    }
    return new ClustersSettings(joins, own, others);
  }
}
