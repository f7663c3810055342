package io.fleetgauge.promql.usage;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.OwnerLabels;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Names of the labels of rows. */
public final class UsageLabels {
  /** A device's labels, which every owner of it may see. */
  public static final Set<String> DEVICE =
      Set.of(
          "Hostname",
          "hostname",
          "instance",
          "gpu",
          "UUID",
          "uuid",
          "GPU_I_ID",
          "GPU_I_PROFILE",
          "modelName",
          "rack",
          "zone",
          "region",
          "cluster");

  /** Processes come and go within one owner's time, so they are no owners of their own. */
  private static final Set<String> OF_PROCESS = Set.of("pid", "process_name", "shared");

  /** An owner's labels. */
  public static final Set<String> OWNER =
      Stream.concat(OwnerLabels.KNOWN.stream(), Stream.of("job_name"))
          .filter(name -> !OF_PROCESS.contains(name))
          .collect(Collectors.toUnmodifiableSet());

  /** Labels of rows, whatever else is asked for. */
  public static final Set<String> ALL =
      Stream.concat(DEVICE.stream(), OWNER.stream()).collect(Collectors.toUnmodifiableSet());

  /** Labels that tell the GPUs of a host apart; {@code GPU_I_PROFILE} is that of many instances. */
  private static final Set<String> OF_ONE_GPU = Set.of("gpu", "UUID", "uuid", "GPU_I_ID");

  /** Labels of rows in which the GPUs of a host that are of one model are one device. */
  public static final Set<String> OF_MODEL =
      ALL.stream()
          .filter(name -> !OF_ONE_GPU.contains(name))
          .collect(Collectors.toUnmodifiableSet());

  /** Labels that series of hosts and of scrapes have as well, whoever has the GPU. */
  private static final Set<String> OF_HOST =
      Set.of("job", "tenant", "namespace", "exported_namespace", "partition");

  /** Who has one of them has the device, where no scheduler says so. */
  static final List<String> HOLDING =
      OwnerLabels.KNOWN.stream().filter(name -> !OF_HOST.contains(name)).toList();

  /** Labels by which a scrape says in which pod an exporter is. */
  private static final Set<String> OF_EXPORTER = Set.of("pod", "container");

  private UsageLabels() {}

  /**
   * The labels of a series that may name its owner. A scrape gives the exporter's own pod to the
   * series of a GPU that is no pod's, and, if it renames labels, to those of all GPUs.
   */
  static Labels named(Labels series) {
    return isOfExporter(series) ? series.without(OF_EXPORTER) : series;
  }

  private static boolean isOfExporter(Labels series) {
    String pod = series.value("pod");
    String service = series.value("service");
    return pod.contains("dcgm-exporter")
        || series.value("container").contains("dcgm-exporter")
        || !service.isEmpty() && pod.startsWith(service + "-");
  }

  /**
   * Returns true if a pod seems to be that of an exporter and to have GPUs: a scrape has renamed
   * the labels of other GPUs for it.
   */
  public static boolean haveGpusOfExporter(List<UsageRow> rows) {
    Set<String> targets = new HashSet<>();
    for (UsageRow row : rows) {
      String renamed = row.owner().value("exported_pod");
      if (!renamed.isEmpty() && !renamed.equals(row.owner().value("pod"))) {
        targets.add(row.owner().value("pod"));
      }
    }
    return rows.stream()
        .anyMatch(
            row ->
                row.isAllocated()
                    && row.owner().value("exported_pod").isEmpty()
                    && !row.owner().value("pod").isEmpty()
                    && targets.contains(row.owner().value("pod")));
  }
}
