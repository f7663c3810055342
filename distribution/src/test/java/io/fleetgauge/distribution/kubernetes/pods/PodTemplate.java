package io.fleetgauge.distribution.kubernetes.pods;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.distribution.kubernetes.Manifests;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Pod's template as Podman has to be told it, for one Pod. A field that is not translated is
 * refused, so that none is ignored.
 */
record PodTemplate(
    String image,
    List<String> options,
    List<String> arguments,
    Map<String, String> labels,
    Map<String, Integer> ports,
    Check startup,
    Check liveness,
    Check readiness,
    Duration preStop,
    Duration grace,
    Map<Path, Long> volumeLimits) {
  private static final Pattern QUANTITY = Pattern.compile("([0-9.]+)(m|Ki|Mi|Gi|)");

  /** A check of a container by HTTP, as the kubelet does it; none where the path is empty. */
  record Check(String path, int port, Duration period, Duration timeout, int failures) {}

  /**
   * Facts of a Pod that a template does not tell.
   *
   * @param volumes a folder for the volumes of this Pod
   * @param claims folders of claims by the names of their volumes
   */
  record Place(
      String pod,
      String address,
      Node node,
      Manifests manifests,
      Path volumes,
      Map<String, Path> claims) {}

  /**
   * The machine that Pods are started on.
   *
   * @param root what stands for the folders that Pods may create on the node
   * @param runtimeClasses what each runtime adds to a container
   * @param nameServer address of the cluster's name server
   */
  record Node(
      String name,
      String address,
      Path root,
      Map<String, List<String>> runtimeClasses,
      String nameServer) {}

  /** Tells whether the Pods of a template use the network of their node. */
  static boolean isOnHostNetwork(JsonNode template) {
    return template.at("/spec/hostNetwork").asBoolean();
  }

  static PodTemplate of(JsonNode template, Place place) throws IOException {
    Fields pod = new Fields(place.pod(), template);
    Map<String, String> labels = metadata(pod.map("metadata"));
    Fields spec = pod.map("spec");
    List<String> options = new ArrayList<>();
    scheduling(spec);
    shared(spec, place, options);
    Fields security = spec.map("securityContext");
    security.only("runAsNonRoot", "true");
    security.only("fsGroupChangePolicy", "OnRootMismatch");
    security.map("seccompProfile").only("type", "RuntimeDefault");
    String user = security.text("runAsUser");
    if (user.isEmpty() || user.equals("0") && security.flag("runAsNonRoot")) {
      throw security.refusal("runAsUser");
    }
    options.add("--user=%s:%s".formatted(user, security.text("runAsGroup")));
    int group = security.number("fsGroup", -1);
    if (group >= 0) {
      options.add("--group-add=" + group);
    }
    Volumes volumes = new Volumes(place, group);
    volumes.read(spec.list("volumes"));
    List<Fields> containers = spec.list("containers");
    if (containers.size() != 1) {
      throw spec.refusal("containers");
    }
    Fields container = containers.getFirst();
    container.ignore("name");
    container.only("imagePullPolicy", "IfNotPresent");
    environment(container, labels, place, options);
    resources(container.map("resources"), options);
    containerSecurity(container.map("securityContext"), options);
    volumes.mount(container.list("volumeMounts"), options);
    Map<String, Integer> ports = ports(container);
    Fields lifecycle = container.map("lifecycle");
    PodTemplate read =
        new PodTemplate(
            container.text("image"),
            options,
            arguments(container),
            labels,
            ports,
            check(container.map("startupProbe"), ports),
            check(container.map("livenessProbe"), ports),
            check(container.map("readinessProbe"), ports),
            Duration.ofSeconds(lifecycle.map("preStop").map("sleep").number("seconds", 0)),
            Duration.ofSeconds(spec.number("terminationGracePeriodSeconds", 30)),
            volumes.limits);
    pod.end();
    return read;
  }

  private static Map<String, String> metadata(Fields metadata) {
    Fields annotations = metadata.map("annotations");
    annotations.ignore("kubectl.kubernetes.io/default-container", "checksum/config");
    return metadata.texts("labels");
  }

  /** Where Pods may run: there is one node, which is as they ask. */
  private static void scheduling(Fields spec) {
    spec.ignore(
        "affinity",
        "nodeSelector",
        "priorityClassName",
        "tolerations",
        "topologySpreadConstraints");
    // No token is mounted, so the account has no effect.
    spec.ignore("serviceAccountName");
    spec.only("automountServiceAccountToken", "false");
    spec.only("enableServiceLinks", "false");
  }

  /** Adds what Podman shares with the node, and the files that the kubelet writes. */
  private static void shared(Fields spec, Place place, List<String> options) throws IOException {
    boolean host = spec.flag("hostNetwork");
    spec.only("dnsPolicy", host ? "ClusterFirstWithHostNet" : "ClusterFirst");
    if (host && !spec.has("dnsPolicy")) {
      throw spec.refusal("hostNetwork");
    }
    if (spec.flag("hostPID")) {
      options.add("--pid=host");
    }
    Node node = place.node();
    if (spec.has("runtimeClassName")) {
      List<String> added = node.runtimeClasses().get(spec.text("runtimeClassName"));
      if (added == null) {
        throw spec.refusal("runtimeClassName");
      }
      options.addAll(added);
    }
    String name = host ? node.name() : place.pod();
    Files.createDirectories(place.volumes());
    Path hosts =
        Files.writeString(
            place.volumes().resolve("hosts"),
            "127.0.0.1\tlocalhost\n%s\t%s\n".formatted(place.address(), name));
    Path resolver =
        Files.writeString(
            place.volumes().resolve("resolv.conf"),
            """
            search fleetgauge.svc.cluster.local svc.cluster.local cluster.local
            nameserver %s
            options ndots:5
            """
                .formatted(node.nameServer()));
    options.add("--no-hosts");
    options.add("--hostname=" + name);
    options.add("--volume=" + hosts + ":/etc/hosts:ro");
    options.add("--volume=" + resolver + ":/etc/resolv.conf:ro");
    options.add("--no-healthcheck");
  }

  private static List<String> arguments(Fields container) {
    List<String> arguments = new ArrayList<>();
    container.take("args").forEach(each -> arguments.add(each.asText()));
    return arguments;
  }

  private static void environment(
      Fields container, Map<String, String> labels, Place place, List<String> options) {
    for (Fields each : container.list("env")) {
      String name = each.text("name");
      String value =
          each.has("valueFrom")
              ? field(each.map("valueFrom").map("fieldRef"), labels, place)
              : each.text("value");
      if (value.contains("$(")) {
        throw each.refusal("value");
      }
      options.add("--env=" + name + "=" + value);
    }
  }

  private static String field(Fields reference, Map<String, String> labels, Place place) {
    String field = reference.text("fieldPath");
    return switch (field) {
      case "metadata.name" -> place.pod();
      case "metadata.namespace" -> "fleetgauge";
      case "spec.nodeName" -> place.node().name();
      case "status.hostIP" -> place.node().address();
      case "status.podIP" -> place.address();
      default -> {
        String label = field.replaceFirst("^metadata\\.labels\\['(.*)']$", "$1");
        if (!labels.containsKey(label)) {
          throw reference.refusal("fieldPath");
        }
        yield labels.get(label);
      }
    };
  }

  private static void resources(Fields resources, List<String> options) {
    Fields requests = resources.map("requests");
    requests.ignore("memory"); // decides on which node a Pod runs
    if (requests.has("cpu")) {
      options.add("--cpu-shares=" + milli(requests.text("cpu")) * 1024 / 1000);
    }
    Fields limits = resources.map("limits");
    if (limits.has("cpu")) {
      options.add("--cpus=" + milli(limits.text("cpu")) / 1000.0);
    }
    if (limits.has("memory")) {
      long bytes = milli(limits.text("memory")) / 1000;
      options.add("--memory=" + bytes + "b");
      options.add("--memory-swap=" + bytes + "b");
    }
  }

  private static void containerSecurity(Fields security, List<String> options) {
    security.only("allowPrivilegeEscalation", "false");
    security.only("readOnlyRootFilesystem", "true");
    if (security.has("allowPrivilegeEscalation")) {
      options.add("--security-opt=no-new-privileges");
    }
    if (security.has("readOnlyRootFilesystem")) {
      options.add("--read-only");
      options.add("--read-only-tmpfs=false");
    }
    for (JsonNode each : security.map("capabilities").take("drop")) {
      options.add("--cap-drop=" + each.asText());
    }
  }

  private static Map<String, Integer> ports(Fields container) {
    Map<String, Integer> ports = new HashMap<>();
    for (Fields each : container.list("ports")) {
      each.only("protocol", "TCP");
      int port = each.number("containerPort", 0);
      each.only("hostPort", "" + port);
      ports.put(each.text("name"), port);
    }
    return ports;
  }

  private static Check check(Fields check, Map<String, Integer> ports) {
    Fields get = check.map("httpGet");
    get.only("scheme", "HTTP");
    String port = get.text("port");
    if (get.has("port") && !ports.containsKey(port)) {
      throw get.refusal("port");
    }
    return new Check(
        get.text("path"),
        ports.getOrDefault(port, 0),
        Duration.ofSeconds(check.number("periodSeconds", 10)),
        Duration.ofSeconds(check.number("timeoutSeconds", 1)),
        check.number("failureThreshold", 3));
  }

  /** A quantity of Kubernetes, in thousandths. */
  static long milli(String quantity) {
    Matcher matcher = QUANTITY.matcher(quantity);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(quantity + " is no quantity that is translated");
    }
    long unit =
        switch (matcher.group(2)) {
          case "m" -> 1;
          case "Ki" -> 1000L << 10;
          case "Mi" -> 1000L << 20;
          case "Gi" -> 1000L << 30;
          default -> 1000;
        };
    return new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit)).longValueExact();
  }

  /** The volumes of one Pod. */
  private static final class Volumes {
    private final Place place;
    private final int group;
    private final Map<String, Path> folders = new TreeMap<>();
    private final Map<Path, Long> limits = new HashMap<>();

    /**
     * @param group of the Pod's volumes; -1 if they belong to root
     */
    Volumes(Place place, int group) throws IOException {
      this.place = place;
      this.group = group;
      for (Map.Entry<String, Path> each : place.claims().entrySet()) {
        folders.put(each.getKey(), owned(each.getValue(), "rwxrwxr-x"));
      }
    }

    void read(List<Fields> volumes) throws IOException {
      for (Fields each : volumes) {
        String name = each.text("name");
        Path own = place.volumes().resolve(name);
        if (each.has("projected")) {
          project(each.map("projected"), own);
        } else if (each.has("emptyDir")) {
          owned(own, "rwxrwxrwx");
          limits.put(own, milli(each.map("emptyDir").text("sizeLimit")) / 1000);
        } else if (each.has("hostPath")) {
          own = hostPath(each.map("hostPath"));
        }
        folders.put(name, own);
      }
    }

    /** As the kubelet: of the group of the Pod's volumes, which its files inherit. */
    private Path owned(Path folder, String mode) throws IOException {
      Files.createDirectories(folder);
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(mode));
      if (group >= 0) {
        Files.setAttribute(folder, "unix:gid", group);
        int bits = (int) Files.getAttribute(folder, "unix:mode");
        Files.setAttribute(folder, "unix:mode", bits | 02000);
      }
      return folder;
    }

    private Path hostPath(Fields host) throws IOException {
      Path path = Path.of(host.text("path"));
      return switch (host.text("type")) {
        case "Directory" -> {
          if (!Files.isDirectory(path)) {
            throw host.refusal("path");
          }
          yield path;
        }
        case "DirectoryOrCreate" ->
            Files.createDirectories(place.node().root().resolve(path.toString().substring(1)));
        default -> throw host.refusal("type");
      };
    }

    private void project(Fields projected, Path folder) throws IOException {
      owned(folder, "rwxr-xr-x");
      int mode = projected.number("defaultMode", 0644);
      for (Fields each : projected.list("sources")) {
        if (each.has("configMap")) {
          String name = each.map("configMap").text("name");
          JsonNode data = place.manifests().get("ConfigMap", name).path("data");
          for (Map.Entry<String, JsonNode> file : data.properties()) {
            write(folder.resolve(file.getKey()), mode, file.getValue().asText());
          }
        } else if (each.has("secret")) {
          Fields secret = each.map("secret");
          JsonNode data = place.manifests().get("Secret", secret.text("name")).path("stringData");
          for (Fields item : secret.list("items")) {
            JsonNode value = data.path(item.text("key"));
            if (value.isMissingNode()) {
              throw item.refusal("key");
            }
            write(folder.resolve(item.text("path")), mode, value.asText());
          }
        }
      }
    }

    private void write(Path file, int mode, String text) throws IOException {
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
      Files.setAttribute(file, "unix:mode", mode);
      if (group >= 0) {
        Files.setAttribute(file, "unix:gid", group, LinkOption.NOFOLLOW_LINKS);
      }
    }

    void mount(List<Fields> mounts, List<String> options) {
      for (Fields each : mounts) {
        Path folder = folders.get(each.text("name"));
        if (folder == null) {
          throw each.refusal("name");
        }
        each.only("mountPropagation", "HostToContainer");
        options.add(
            "--volume=%s:%s:%s%s"
                .formatted(
                    folder,
                    each.text("mountPath"),
                    each.flag("readOnly") ? "ro" : "rw",
                    each.has("mountPropagation") ? ",rslave" : ""));
      }
    }
  }
}
