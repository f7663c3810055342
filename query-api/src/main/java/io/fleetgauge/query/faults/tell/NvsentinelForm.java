package io.fleetgauge.query.faults.tell;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.Severity;
import java.io.IOException;
import java.time.Instant;

/** NVSentinel's health events, as protobuf's JSON has them. */
final class NvsentinelForm implements ReceiverForm {
  private static final int BATCH = 100;

  @Override
  public int batch() {
    return BATCH;
  }

  @Override
  public byte[] item(Told told) {
    Episode episode = told.episode();
    return ReceiverForm.json(
        json -> {
          json.writeStartObject();
          json.writeNumberField("version", 1);
          json.writeStringField("agent", "fleetgauge");
          json.writeStringField("componentClass", component(episode.kind()));
          json.writeStringField("checkName", "Fleetgauge_" + episode.kind().text());
          json.writeBooleanField(
              "isFatal", episode.isOpen() && episode.severity() == Severity.CRITICAL);
          json.writeBooleanField("isHealthy", !episode.isOpen());
          json.writeStringField("message", episode.text());
          json.writeStringField("recommendedAction", action(episode));
          json.writeArrayFieldStart("errorCode");
          boolean isCode =
              episode.kind() == FaultKind.XID || episode.kind() == FaultKind.XID_APPLICATION;
          if (isCode) {
            json.writeString(episode.cause());
          }
          json.writeEndArray();
          json.writeArrayFieldStart("entitiesImpacted");
          entity(json, "GPU", told.label("gpu"));
          entity(json, "GPU_UUID", episode.subject().uuid());
          entity(json, "PCI", told.label("pci_bus_id"));
          entity(json, partOf(episode.kind()), episode.subject().part());
          json.writeEndArray();
          json.writeObjectFieldStart("metadata");
          json.writeStringField("episode", episode.id());
          json.writeStringField("cause", episode.cause());
          json.writeStringField("job", told.job());
          json.writeEndObject();
          json.writeStringField("generatedTimestamp", Instant.ofEpochMilli(told.time()).toString());
          json.writeStringField("nodeName", told.host());
          json.writeEndObject();
        });
  }

  private static void entity(JsonGenerator json, String type, String value) throws IOException {
    if (!value.isEmpty()) {
      json.writeStartObject();
      json.writeStringField("entityType", type);
      json.writeStringField("entityValue", value);
      json.writeEndObject();
    }
  }

  private static String component(FaultKind kind) {
    return switch (kind) {
      case NIC_DOWN, NIC_ERRORS, NIC_SLOW -> "NIC";
      case HOST_SILENT -> "Node";
      default -> "GPU";
    };
  }

  private static String partOf(FaultKind kind) {
    return component(kind).equals("NIC") ? "NIC" : "NVLINK";
  }

  /** A name of its enumeration of actions. */
  private static String action(Episode episode) {
    if (!episode.isOpen()) {
      return "NONE";
    }
    return switch (episode.kind()) {
      case HOST_SILENT, DRIVER_HANG, GPU_MISSING, GPU_LOST -> "RESTART_BM";
      case XID, RECOVERY_ACTION, ECC_UNCORRECTED, ROW_REMAP_PENDING, NVLINK_DOWN, FABRIC ->
          "COMPONENT_RESET";
      case ROW_REMAP_FAILED, ROW_SPARE_LOW, ECC_STORM, NVLINK_TREND, POWER_RANGE ->
          "CONTACT_SUPPORT";
      default -> "NONE";
    };
  }

  @Override
  public String before() {
    return "{\"version\":1,\"events\":[";
  }

  @Override
  public String behind() {
    return "]}";
  }
}
