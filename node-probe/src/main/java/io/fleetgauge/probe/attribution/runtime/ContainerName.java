package io.fleetgauge.probe.attribution.runtime;

import java.util.Map;
import java.util.Optional;

/**
 * The name of a container; empty text where it is in no pod.
 *
 * @param name as Docker has it: {@code k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT} in a pod
 * @param container its name, or its name in its pod
 * @param podUid with dashes
 */
public record ContainerName(
    String name, String container, String pod, String namespace, String podUid) {
  private static final String LABELS = "io.kubernetes.";

  /** Labels by which the kubelet names a container's place. */
  static final String CONTAINER = LABELS + "container.name";

  static final String POD = LABELS + "pod.name";
  static final String NAMESPACE = LABELS + "pod.namespace";
  static final String UID = LABELS + "pod.uid";

  private static final String OF_POD = "k8s_";

  /** Parts of a name in a pod. */
  private static final int PARTS = 6;

  private static final int LONGEST = 253;
  private static final int LONGEST_NAME = 1_024;

  /**
   * A container of Docker or Podman.
   *
   * @param name without the slash that Docker puts before it
   */
  static Optional<ContainerName> ofDocker(String name, Map<String, String> labels) {
    if (!isName(name, LONGEST_NAME)) {
      return Optional.empty();
    }
    // No name of Kubernetes has an underscore.
    String[] parts = name.startsWith(OF_POD) ? name.split("_", PARTS + 1) : new String[0];
    Optional<ContainerName> inPod =
        parts.length == PARTS
            ? inPod(parts[1], parts[2], parts[3], parts[4], parts[5])
            : inPod(labels, "0");
    return inPod
        .map(of -> new ContainerName(name, of.container, of.pod, of.namespace, of.podUid))
        .or(() -> Optional.of(new ContainerName(name, name, "", "", "")));
  }

  /**
   * A container of a runtime of Kubernetes.
   *
   * @param name as its metadata have it
   */
  static Optional<ContainerName> ofCri(String name, String attempt, Map<String, String> labels) {
    return inPod(labels, attempt)
        .or(
            () ->
                isName(name, LONGEST)
                    ? Optional.of(new ContainerName(name, name, "", "", ""))
                    : Optional.empty());
  }

  private static Optional<ContainerName> inPod(Map<String, String> labels, String attempt) {
    return inPod(
        labels.getOrDefault(CONTAINER, ""),
        labels.getOrDefault(POD, ""),
        labels.getOrDefault(NAMESPACE, ""),
        labels.getOrDefault(UID, ""),
        attempt);
  }

  private static Optional<ContainerName> inPod(
      String container, String pod, String namespace, String uid, String attempt) {
    boolean isWhole =
        isName(container, LONGEST)
            && isName(pod, LONGEST)
            && isName(namespace, LONGEST)
            && isName(uid, LONGEST);
    return isWhole
        ? Optional.of(
            new ContainerName(
                OF_POD + String.join("_", container, pod, namespace, uid, attempt),
                container,
                pod,
                namespace,
                uid))
        : Optional.empty();
  }

  private static boolean isName(String text, int longest) {
    return !text.isEmpty()
        && text.length() <= longest
        && text.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '"' && c != '\\');
  }
}
