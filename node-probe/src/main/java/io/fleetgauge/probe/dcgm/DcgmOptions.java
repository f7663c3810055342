package io.fleetgauge.probe.dcgm;

import io.fleetgauge.probe.config.KubeletSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The flags of dcgm-exporter and its environment variables, as keys of the configuration. A flag
 * goes before its variable, and both before the configuration file.
 */
public final class DcgmOptions {
  /** Sets keys, or says why the value has no effect. */
  private interface Action {
    void apply(Option option, String value, Result result);
  }

  /** The effect of a flag, and a sentence that tells it. */
  private record Use(String meaning, Action action) {}

  /**
   * One flag.
   *
   * @param names as on the command line; none if there is only a variable
   * @param variable of the environment; empty if there is none
   * @param takesValue whether a value follows the flag
   */
  record Option(List<String> names, String variable, boolean takesValue, Use use) {
    String meaning() {
      return use.meaning;
    }

    private String shown() {
      return names.isEmpty() ? variable : names.getLast();
    }
  }

  /**
   * The meaning of the flags and variables.
   *
   * @param keys values of keys of the configuration
   * @param warnings what has no effect, and why
   */
  public record Result(Map<String, Object> keys, List<String> warnings) {}

  private static final String ALWAYS = "every form of devices is understood without it";
  private static final String POD_LABELS = "labels of pods are not read";

  static final List<Option> ALL =
      List.of(
          value("COLLECTORS", key("gpu.collectors"), "-f", "--collectors"),
          value(
              "LISTEN",
              new Use("Sets http.host and http.port.", DcgmOptions::address),
              "-a",
              "--address"),
          value(
              "INTERVAL",
              new Use("Sets tick, in milliseconds.", DcgmOptions::interval),
              "-c",
              "--collect-interval"),
          value("DEVICES_STR", key("gpu.devices"), "-d", "--devices"),
          flag("NO_HOSTNAME", sets("metrics.hostname", false), "-n", "--no-hostname"),
          flag(
              "REPLACE_BLANKS_IN_MODEL_NAME",
              sets("gpu.replaceBlanksInModelName", true),
              "--replace-blanks-in-model-name"),
          flag("DEBUG", sets("log.level", "debug"), "--debug"),
          value("LOG_FORMAT", key("log.format"), "--log-format"),
          flag("KUBERNETES", sets("attribution.kubelet.enabled", true), "-k", "--kubernetes"),
          value("KUBERNETES_GPU_ID_TYPE", ignored(ALWAYS), "--kubernetes-gpu-id-type"),
          flag(
              "KUBERNETES_ENABLE_POD_LABELS",
              ignored(POD_LABELS),
              "--kubernetes-enable-pod-labels"),
          flag(
              "KUBERNETES_ENABLE_POD_UID",
              ignored("pod_uid is among the labels of processes' owners"),
              "--kubernetes-enable-pod-uid"),
          value(
              "KUBERNETES_POD_LABEL_ALLOWLIST_REGEX",
              ignored(POD_LABELS),
              "--kubernetes-pod-label-allowlist-regex"),
          named("KUBERNETES_ENABLE_DRA", false, ignored(ALWAYS), "--kubernetes-enable-dra"),
          named("KUBERNETES_VIRTUAL_GPUS", false, ignored(ALWAYS), "--kubernetes-virtual-gpus"),
          named(
              "NVIDIA_RESOURCE_NAMES",
              true,
              new Use("Adds to attribution.kubelet.resources.", DcgmOptions::resources),
              "--nvidia-resource-names"),
          named(
              "DCGM_POD_RESOURCES_KUBELET_SOCKET",
              true,
              key("attribution.kubelet.socket"),
              "--pod-resources-kubelet-socket"),
          named(
              "DCGM_HPC_JOB_MAPPING_DIR",
              true,
              key("attribution.slurm.mappingFolder"),
              "--hpc-job-mapping-dir"),
          value(
              "CONFIGMAP_DATA",
              ignored("mount the ConfigMap and name its file with --collectors"),
              "-m",
              "--configmap-data"),
          flag(
              "USE_OLD_NAMESPACE",
              ignored("the names before dcgm-exporter 2 are not shown"),
              "-o",
              "--use-old-namespace"),
          value(
              "XID_COUNT_WINDOW_SIZE",
              ignored("use increase(gpu_xid_total[…]), which has any window"),
              "-x",
              "--xid-count-window-size"),
          value(
              "CLOCK_EVENTS_COUNT_WINDOW_SIZE",
              ignored("use increase(gpu_clock_event_seconds_total[…]), which has any window"),
              "--clock-events-count-window-size"),
          value(
              "WEB_CONFIG_FILE",
              ignored("set http.tls.certificate and http.tls.key in the configuration file"),
              "--web-config-file"),
          flag(
              "ENABLE_GPU_BIND_UNBIND_WATCH",
              ignored("GPUs that are added and removed are always detected"),
              "--enable-gpu-bind-unbind-watch"),
          value(
              "GPU_BIND_UNBIND_POLL_INTERVAL",
              ignored("GPUs that are added and removed are always detected"),
              "--gpu-bind-unbind-poll-interval"),
          named(
              "DISABLE_STARTUP_VALIDATE",
              false,
              ignored("the probe always starts, whatever the driver returns"),
              "--disable-startup-validate"),
          flag("ENABLE_PPROF", ignored("it is for programs in Go"), "--enable-pprof"),
          flag(
              "SYSTEMD_SOCKET", ignored("the probe opens its port itself"), "--web-systemd-socket"),
          flag("DUMP_ENABLED", ignored("readings are not dumped to files"), "--dump-enabled"),
          value("DUMP_DIRECTORY", ignored("readings are not dumped to files"), "--dump-directory"),
          value("DUMP_RETENTION", ignored("readings are not dumped to files"), "--dump-retention"),
          flag(
              "DUMP_COMPRESSION",
              ignored("readings are not dumped to files"),
              "--dump-compression"),
          value("CPU_DEVICES_STR", ignored("CPUs are read as the host's"), "--cpu-devices"),
          value("OTHER_DEVICES_STR", ignored("NVSwitches are not read"), "--switch-devices"),
          named(
              "DCGM_REMOTE_HOSTENGINE_INFO",
              true,
              ignored("GPUs are read through NVML, without a host engine"),
              "-r",
              "--remote-hostengine-info"));

  private DcgmOptions() {}

  private static Option value(String variable, Use use, String... names) {
    return named("DCGM_EXPORTER_" + variable, true, use, names);
  }

  private static Option flag(String variable, Use use, String... names) {
    return named("DCGM_EXPORTER_" + variable, false, use, names);
  }

  private static Option named(String variable, boolean takesValue, Use use, String... names) {
    return new Option(List.of(names), variable, takesValue, use);
  }

  private static Use key(String key) {
    return new Use("Sets " + key + ".", (option, value, result) -> result.keys.put(key, value));
  }

  private static Use sets(String key, Object of) {
    return new Use(
        "Sets " + key + " to " + of + ".",
        (option, value, result) -> {
          if (isOn(value)) {
            result.keys.put(key, of);
          }
        });
  }

  private static Use ignored(String why) {
    return new Use(
        "Accepted without effect: " + why + ".",
        (option, value, result) -> {
          if (option.takesValue || isOn(value)) {
            result.warnings.add(option.shown() + " has no effect: " + why);
          }
        });
  }

  private static boolean isOn(String value) {
    return value.equals("1") || value.equalsIgnoreCase("t") || value.equalsIgnoreCase("true");
  }

  /** {@code host:port}, either of them empty for the default. */
  private static void address(Option option, String value, Result result) {
    int colon = value.lastIndexOf(':');
    String host = colon < 0 ? value : value.substring(0, colon);
    String port = colon < 0 ? "" : value.substring(colon + 1);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    if (!host.isEmpty()) {
      result.keys.put("http.host", host);
    }
    if (port.matches("\\d{1,6}")) {
      result.keys.put("http.port", Integer.parseInt(port));
    } else if (!port.isEmpty()) {
      result.keys.put("http.port", port);
    }
  }

  /** Names with commas between them, in addition to those that are GPUs anyway. */
  private static void resources(Option option, String value, Result result) {
    List<String> all = new ArrayList<>(KubeletSettings.GPU_RESOURCES);
    for (String name : value.split(",")) {
      if (!name.isBlank()) {
        all.add(name.strip().replace(".", "\\."));
      }
    }
    result.keys.put("attribution.kubelet.resources", all);
  }

  /** Milliseconds. */
  private static void interval(Option option, String value, Result result) {
    result.keys.put("tick", value.matches("\\d{1,18}") ? value + "ms" : value);
  }

  /**
   * @param flags values by the first name of a flag; {@code true} for one without a value
   * @param environment the value of a variable; null when it is not set
   */
  public static Result read(Map<String, String> flags, Function<String, String> environment) {
    Result result = new Result(new LinkedHashMap<>(), new ArrayList<>());
    for (Option option : ALL) {
      Optional.ofNullable(flags.get(option.names.getFirst()))
          .or(
              () ->
                  Optional.ofNullable(environment.apply(option.variable))
                      .filter(value -> !value.isBlank()))
          .ifPresent(value -> option.use.action.apply(option, value.strip(), result));
    }
    return result;
  }
}
