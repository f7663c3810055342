package io.fleetgauge.probe.attribution.kubelet;

import io.fleetgauge.sample.wire.ProtobufFields;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the messages of the kubelet's pod-resources API, package {@code v1}; fields that are not
 * listed here are skipped:
 *
 * <pre>
 *   ListPodResourcesResponse      1 PodResources*
 *   GetPodResourcesResponse       1 PodResources
 *   GetPodResourcesRequest        1 pod name, 2 namespace
 *   AllocatableResourcesResponse  1 ContainerDevices*
 *   PodResources                  1 name, 2 namespace, 3 ContainerResources*
 *   ContainerResources            1 name, 2 ContainerDevices*, 5 DynamicResource*
 *   ContainerDevices              1 resource name, 2 device id*
 *   DynamicResource               4 ClaimResource*
 *   ClaimResource                 1 CDIDevice*, 2 driver, 3 pool, 4 device
 *   CDIDevice                     1 name
 * </pre>
 *
 * <p>The kubelet writes each field that is not repeated once, and names of pods, namespaces and
 * containers as Kubernetes allows them. A pod that has others is left out. A message whose fields
 * do not end where they say gives nothing: a device could have got to another pod.
 */
final class PodResources {
  static final int MOST_PODS = 10_000;
  static final int MOST_CONTAINERS = 100_000;
  static final int MOST_DEVICES = 100_000;

  private static final int MAX_POD = 253;
  private static final int MAX_LABEL = 63;
  private static final int MAX_TEXT = 512;
  private static final int FIRST = 1 << 3 | ProtobufFields.BYTES;
  private static final int SECOND = 2 << 3 | ProtobufFields.BYTES;
  private static final int THIRD = 3 << 3 | ProtobufFields.BYTES;
  private static final int FOURTH = 4 << 3 | ProtobufFields.BYTES;
  private static final int FIFTH = 5 << 3 | ProtobufFields.BYTES;

  private final GpuResources gpus;
  private final ProtobufFields in;
  private final int size;
  private final List<PodDevice> devices = new ArrayList<>();
  private final Set<Pod> holders = new HashSet<>();
  private final List<String> leftOut = new ArrayList<>();
  private int pods;
  private int containers;

  /** The problem of the entry that is being read; empty so far. */
  private String odd = "";

  /**
   * The content of an answer.
   *
   * @param leftOut what is wrong with each entry that is not in the list
   */
  record Listed<T>(List<T> all, List<String> leftOut) {}

  /** A device that the kubelet can give away. */
  record Offered(String resource, String id) {}

  /** A device of a container and pod whose names may not be read yet. */
  private record Given(String container, String resource, List<String> names, boolean isDynamic) {}

  private PodResources(byte[] message, GpuResources gpus) {
    this.gpus = gpus;
    this.in = new ProtobufFields(message, message.length);
    this.size = message.length;
  }

  /** The GPUs of all pods, from the answer of {@code List} or {@code Get}. */
  static Listed<PodDevice> pods(byte[] message, GpuResources gpus) throws WireException {
    PodResources reader = new PodResources(message, gpus);
    while (reader.in.position() < reader.size) {
      int tag = reader.tag(reader.size);
      if (tag == FIRST) {
        reader.pods = count(reader.pods, MOST_PODS, "pods");
        reader.pod(reader.in.end(reader.size, "a pod"));
      } else {
        reader.in.skipField(tag, reader.size);
      }
    }
    return new Listed<>(List.copyOf(reader.devices), List.copyOf(reader.leftOut));
  }

  /** The GPUs that can be given away, given or not; unhealthy ones are not among them. */
  static Listed<Offered> allocatable(byte[] message, GpuResources gpus) throws WireException {
    PodResources reader = new PodResources(message, gpus);
    List<Given> offered = new ArrayList<>();
    while (reader.in.position() < reader.size) {
      int tag = reader.tag(reader.size);
      if (tag == FIRST) {
        List<Given> some = new ArrayList<>();
        reader.devices(reader.in.end(reader.size, "devices"), some);
        if (reader.isSound()) {
          offered.addAll(some);
        }
      } else {
        reader.in.skipField(tag, reader.size);
      }
    }
    return new Listed<>(
        offered.stream()
            .map(each -> new Offered(each.resource, each.names.getFirst()))
            .distinct()
            .toList(),
        List.copyOf(reader.leftOut));
  }

  /** Asks {@code Get} for a pod. */
  static byte[] request(Pod pod) {
    WireWriter out = new WireWriter();
    out.u8(FIRST).string(pod.name());
    out.u8(SECOND).string(pod.namespace());
    return out.toBytes();
  }

  private void pod(int end) throws WireException {
    String name = "";
    String namespace = "";
    List<Given> found = new ArrayList<>();
    while (in.isBefore(end, "a pod")) {
      int tag = tag(end);
      switch (tag) {
        case FIRST -> name = name(name, end, MAX_POD, "the name of a pod");
        case SECOND -> namespace = name(namespace, end, MAX_LABEL, "the namespace of a pod");
        case THIRD -> {
          containers = count(containers, MOST_CONTAINERS, "containers");
          container(in.end(end, "a container"), found);
        }
        default -> in.skipField(tag, end);
      }
    }
    if (name.isEmpty() || namespace.isEmpty()) {
      odd("a pod before byte " + end + " has no name or no namespace");
    }
    Pod pod = new Pod(namespace, name);
    if (odd.isEmpty() && !found.isEmpty() && !holders.add(pod)) {
      odd("the pod " + pod + " is listed twice");
      devices.removeIf(device -> device.pod().equals(pod)); // one of them has another's name
    }
    if (!isSound()) {
      return;
    }
    for (Given each : found) {
      devices.add(new PodDevice(pod, each.container, each.resource, each.names, each.isDynamic));
    }
    count(devices.size() - 1, MOST_DEVICES, "GPUs of pods");
  }

  private void container(int end, List<Given> found) throws WireException {
    String name = "";
    List<Given> given = new ArrayList<>();
    while (in.isBefore(end, "a container")) {
      int tag = tag(end);
      switch (tag) {
        case FIRST -> name = name(name, end, MAX_LABEL, "the name of a container");
        case SECOND -> devices(in.end(end, "devices"), given);
        case FIFTH -> dynamic(in.end(end, "dynamic resources"), given);
        default -> in.skipField(tag, end);
      }
    }
    if (name.isEmpty()) {
      odd("a container before byte " + end + " has no name");
    }
    for (Given each : given) {
      found.add(new Given(name, each.resource, each.names, each.isDynamic));
    }
  }

  private void devices(int end, List<Given> given) throws WireException {
    String resource = "";
    List<String> ids = new ArrayList<>();
    while (in.isBefore(end, "devices")) {
      int tag = tag(end);
      switch (tag) {
        case FIRST -> resource = once(resource, raw(end, "the name of a resource"));
        case SECOND -> ids.add(raw(end, "the id of a device"));
        default -> in.skipField(tag, end);
      }
    }
    if (gpus.isGpu(resource)) {
      for (String id : ids) {
        requirePlain(id, "the id of a device of " + resource);
        given.add(new Given("", resource, List.of(id), false));
      }
      count(given.size() - 1, MOST_DEVICES, "GPUs of a container");
    }
  }

  private void dynamic(int end, List<Given> given) throws WireException {
    while (in.isBefore(end, "dynamic resources")) {
      int tag = tag(end);
      if (tag == FOURTH) {
        claimed(in.end(end, "a claimed device")).ifPresent(given::add);
      } else {
        in.skipField(tag, end);
      }
    }
    count(given.size() - 1, MOST_DEVICES, "GPUs of a container");
  }

  private Optional<Given> claimed(int end) throws WireException {
    String driver = "";
    String device = "";
    List<String> cdi = new ArrayList<>();
    while (in.isBefore(end, "a claimed device")) {
      int tag = tag(end);
      switch (tag) {
        case FIRST -> cdi(in.end(end, "a CDI device"), cdi);
        case SECOND -> driver = once(driver, raw(end, "the name of a driver"));
        case FOURTH -> device = once(device, raw(end, "the name of a device"));
        default -> in.skipField(tag, end);
      }
    }
    if (!gpus.isDriver(driver)) {
      return Optional.empty();
    }
    List<String> names = new ArrayList<>();
    if (!device.isEmpty()) {
      names.add(device);
    }
    names.addAll(cdi);
    if (names.isEmpty()) {
      odd("a claimed device before byte " + end + " has no name");
    }
    for (String name : names) {
      requirePlain(name, "the name of a device of " + driver);
    }
    return Optional.of(new Given("", driver, List.copyOf(names), true));
  }

  private void cdi(int end, List<String> names) throws WireException {
    while (in.isBefore(end, "a CDI device")) {
      int tag = tag(end);
      if (tag == FIRST) {
        names.add(raw(end, "the name of a CDI device"));
      } else {
        in.skipField(tag, end);
      }
    }
    count(names.size() - 1, MAX_LABEL, "CDI names of a device");
  }

  private int tag(int end) throws WireException {
    int tag = in.uint(Integer.MAX_VALUE, "a tag");
    ProtobufFields.require(in.position() <= end, "a tag", in.position());
    return tag;
  }

  /** A name as Kubernetes allows it. */
  private String name(String before, int end, int max, String what) throws WireException {
    String name = once(before, raw(end, what));
    boolean isAllowed =
        !name.isEmpty()
            && name.length() <= max
            && name.chars().allMatch(c -> c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || isMark(c))
            && !isMark(name.charAt(0))
            && !isMark(name.charAt(name.length() - 1));
    if (!isAllowed) {
      odd(what + " is " + shown(name) + ", which Kubernetes does not allow");
    }
    return name;
  }

  private static boolean isMark(int c) {
    return c == '-' || c == '.';
  }

  private String raw(int end, String what) throws WireException {
    int at = in.position();
    String text = in.string(what);
    ProtobufFields.require(in.position() <= end, what, at);
    return text;
  }

  private void requirePlain(String text, String what) {
    boolean isPlain =
        !text.isEmpty()
            && text.length() <= MAX_TEXT
            && text.chars().allMatch(c -> c > ' ' && c < 0x7f);
    if (!isPlain) {
      odd(what + " is not 1 to " + MAX_TEXT + " printable characters of ASCII, but " + shown(text));
    }
  }

  private String once(String before, String now) {
    if (!before.isEmpty()) {
      odd(
          "a field before byte "
              + in.position()
              + " is there twice: "
              + shown(before)
              + " and "
              + shown(now));
    }
    return now;
  }

  private void odd(String why) {
    odd = odd.isEmpty() ? why : odd;
  }

  /**
   * Tells whether the entry that was read is as the kubelet writes it; it is left out if it is not.
   */
  private boolean isSound() {
    boolean isSound = odd.isEmpty();
    if (!isSound) {
      leftOut.add(odd);
      odd = "";
    }
    return isSound;
  }

  /** For messages: the beginning, in one line. */
  private static String shown(String text) {
    String line = text.replaceAll("[^ -~]", "?");
    return line.length() <= MAX_LABEL ? line : line.substring(0, MAX_LABEL) + "...";
  }

  /** One more; an error beyond the limit. */
  private static int count(int before, int most, String what) throws WireException {
    if (before >= most) {
      throw new WireException("the response has more than " + most + " " + what);
    }
    return before + 1;
  }
}
