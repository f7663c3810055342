package io.fleetgauge.probe.attribution.allocation;

import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fleetgauge.sample.Labels;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Allocations as JSON. */
final class AllocationForm {
  /** Most bytes of one. */
  static final int MAX_BYTES = 64 << 10;

  /** Most GPUs of one. */
  static final int MAX_GPUS = 256;

  /** Most labels of an owner. */
  static final int MAX_LABELS = 32;

  private static final int MAX_ID = 128;
  private static final int MAX_GPU = 128;
  private static final int MAX_NAME = 128;
  private static final int MAX_VALUE = 1_024;
  private static final int MAX_DEPTH = 8;
  private static final int MAX_SHOWN = 60;
  private static final long MILLIS = 1_000;
  private static final long LAST_SECOND = 253_402_300_799L; // of the year 9999
  private static final int MOST_MINORS = 1_000_000;

  private static final Pattern ID = Pattern.compile("[A-Za-z0-9._:-]{1," + MAX_ID + "}");
  private static final Pattern NAME = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_]*");
  private static final Set<String> FIELDS = Set.of("id", "gpus", "owner", "expires");
  private static final String HAD_CGROUP = "hadCgroup";

  /** Labels by which series of GPUs, targets and this package's own series are told apart. */
  private static final Set<String> RESERVED =
      Set.of(
          "instance",
          "Hostname",
          "UUID",
          "gpu",
          "device",
          "modelName",
          "pci_bus_id",
          "GPU_I_ID",
          "GPU_I_PROFILE",
          "shared",
          "slot",
          "source",
          "basis");

  private static final JsonMapper JSON =
      JsonMapper.builder(
              new JsonFactoryBuilder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private AllocationForm() {}

  /**
   * Reads an allocation that a scheduler tells.
   *
   * @param now ms since the epoch
   */
  static ReportedAllocation read(byte[] body, long now) throws BadAllocation {
    JsonNode node = json(body);
    ReportedAllocation read = read(node, FIELDS);
    if (read.isOver(now)) {
      throw new BadAllocation(
          "expires " + node.get("expires") + " has passed: give a later time, or leave it out");
    }
    return read;
  }

  /** Reads one that {@link #write} wrote. */
  static ReportedAllocation readKept(String line) throws BadAllocation {
    JsonNode node = json(line.getBytes(StandardCharsets.UTF_8));
    Set<String> fields = new LinkedHashSet<>(FIELDS);
    fields.add(HAD_CGROUP);
    ReportedAllocation read = read(node, fields);
    return node.path(HAD_CGROUP).asBoolean() ? read.withCgroup() : read;
  }

  static String write(ReportedAllocation allocation) {
    return node(allocation).put(HAD_CGROUP, allocation.hadCgroup()).toString();
  }

  /** The answer to a request that was carried out. */
  static String answer(ReportedAllocation allocation, List<String> unknownGpus) {
    ObjectNode data = node(allocation);
    ArrayNode unknown = data.putArray("unknownGpus");
    unknownGpus.forEach(unknown::add);
    return success(data);
  }

  static String answer(List<ReportedAllocation> allocations) {
    ArrayNode data = JSON.createArrayNode();
    allocations.forEach(each -> data.add(node(each)));
    return success(data);
  }

  static String removed(boolean wasThere) {
    return success(JSON.createObjectNode().put("removed", wasThere));
  }

  static String error(String type, String message) {
    return JSON.createObjectNode()
        .put("status", "error")
        .put("errorType", type)
        .put("error", message)
        .toString();
  }

  static boolean isId(String id) {
    return ID.matcher(id).matches();
  }

  private static String success(JsonNode data) {
    return JSON.createObjectNode().put("status", "success").set("data", data).toString();
  }

  private static ObjectNode node(ReportedAllocation allocation) {
    ObjectNode node = JSON.createObjectNode().put("id", allocation.id());
    ArrayNode gpus = node.putArray("gpus");
    allocation.gpus().forEach(gpus::add);
    ObjectNode owner = node.putObject("owner");
    Labels labels = allocation.owner();
    for (int i = 0; i < labels.size(); i++) {
      owner.put(labels.name(i), labels.value(i));
    }
    allocation
        .expires()
        .ifPresent(time -> node.put("expires", Instant.ofEpochMilli(time).toString()));
    return node;
  }

  private static JsonNode json(byte[] body) throws BadAllocation {
    if (body.length > MAX_BYTES) {
      throw new BadAllocation(
          "the body has " + body.length + " bytes; " + MAX_BYTES + " are the most");
    }
    try {
      JsonNode node = JSON.readTree(body);
      if (node == null || !node.isObject()) {
        throw new BadAllocation(
            "the body is not a JSON object; send {\"id\": ..., \"gpus\": [...], \"owner\": {...}}");
      }
      return node;
    } catch (JsonProcessingException e) {
      throw new BadAllocation("the body is not JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new BadAllocation("the body is not JSON: " + e.getMessage());
    }
  }

  private static ReportedAllocation read(JsonNode node, Set<String> fields) throws BadAllocation {
    for (var field : node.properties()) {
      if (!fields.contains(field.getKey())) {
        throw new BadAllocation(
            "there is no field "
                + shown(field.getKey())
                + "; an allocation has id, gpus, owner and expires");
      }
    }
    JsonNode id = node.path("id");
    if (!id.isTextual() || !isId(id.textValue())) {
      throw new BadAllocation(
          "id is "
              + shown(id)
              + ", but must be text of 1 to "
              + MAX_ID
              + " letters, digits and . _ : -");
    }
    return new ReportedAllocation(
        id.textValue(), gpus(node.path("gpus")), owner(node.path("owner")), expires(node), false);
  }

  private static List<String> gpus(JsonNode node) throws BadAllocation {
    if (!node.isArray() || node.isEmpty() || node.size() > MAX_GPUS) {
      throw new BadAllocation(
          "gpus is " + shown(node) + ", but must be a list of 1 to " + MAX_GPUS + " GPUs");
    }
    Set<String> gpus = new LinkedHashSet<>();
    for (JsonNode gpu : node) {
      if (gpu.isInt() && gpu.intValue() >= 0 && gpu.intValue() < MOST_MINORS) {
        gpus.add("nvidia" + gpu.intValue());
      } else if (gpu.isTextual() && isPrintable(gpu.textValue(), MAX_GPU)) {
        gpus.add(gpu.textValue());
      } else {
        throw new BadAllocation(
            "gpus has "
                + shown(gpu)
                + ", but a GPU is a UUID, such as GPU-..., or the number of its device file");
      }
    }
    return new ArrayList<>(gpus);
  }

  private static Labels owner(JsonNode node) throws BadAllocation {
    if (!node.isObject() || node.isEmpty() || node.size() > MAX_LABELS) {
      throw new BadAllocation(
          "owner is " + shown(node) + ", but must be an object of 1 to " + MAX_LABELS + " labels");
    }
    Map<String, String> labels = new TreeMap<>();
    for (var label : node.properties()) {
      String name = label.getKey();
      JsonNode value = label.getValue();
      checkName(name);
      boolean isText = value.isTextual() || value.isIntegralNumber();
      if (!isText || value.asText().length() > MAX_VALUE) {
        throw new BadAllocation(
            "owner."
                + name
                + " is "
                + shown(value)
                + ", but must be text of at most "
                + MAX_VALUE
                + " characters");
      }
      if (!value.asText().isBlank()) {
        if (!isPrintable(value.asText(), MAX_VALUE)) {
          throw new BadAllocation("owner." + name + " has control characters; leave them out");
        }
        labels.put(name, value.asText());
      }
    }
    if (labels.isEmpty()) {
      throw new BadAllocation("owner has no label that is not empty; name the owner");
    }
    return Labels.of(labels);
  }

  private static void checkName(String name) throws BadAllocation {
    if (name.length() > MAX_NAME || name.startsWith("__") || !NAME.matcher(name).matches()) {
      throw new BadAllocation(
          "owner has the label "
              + shown(name)
              + ", but a name has 1 to "
              + MAX_NAME
              + " letters, digits and underscores, and does not begin with a digit or __");
    }
    if (name.equals("job")) {
      throw new BadAllocation(
          "owner has the label job, which is the job of a target; name a batch job hpc_job");
    }
    if (RESERVED.contains(name)) {
      throw new BadAllocation(
          "owner has the label " + name + ", which series of GPUs have already; choose another");
    }
  }

  private static OptionalLong expires(JsonNode node) throws BadAllocation {
    JsonNode expires = node.path("expires");
    if (expires.isMissingNode() || expires.isNull()) {
      return OptionalLong.empty();
    }
    if (expires.isIntegralNumber()
        && expires.canConvertToLong()
        && expires.longValue() >= 0
        && expires.longValue() <= LAST_SECOND) {
      return OptionalLong.of(expires.longValue() * MILLIS);
    }
    if (expires.isTextual()) {
      try {
        return OptionalLong.of(
            OffsetDateTime.parse(expires.textValue()).toInstant().toEpochMilli());
      } catch (DateTimeException | ArithmeticException e) {
        // told below
      }
    }
    throw new BadAllocation(
        "expires is "
            + shown(expires)
            + ", but must be seconds since the epoch or a time such as 2030-01-31T12:00:00Z");
  }

  private static boolean isPrintable(String text, int most) {
    return !text.isBlank()
        && text.length() <= most
        && text.codePoints()
            .noneMatch(
                c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE);
  }

  private static String shown(JsonNode node) {
    return node.isMissingNode() ? "missing" : shown(node.toString());
  }

  private static String shown(String text) {
    return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "...";
  }
}
