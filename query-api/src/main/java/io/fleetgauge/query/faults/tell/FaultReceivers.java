package io.fleetgauge.query.faults.tell;

import io.fleetgauge.query.config.FaultReceiverSettings;
import io.fleetgauge.query.delivery.Delivery;
import io.fleetgauge.query.delivery.Receiver;
import io.fleetgauge.query.delivery.ReceiverClient;
import io.fleetgauge.query.delivery.Signature;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.runtime.files.FilePoller;
import io.fleetgauge.runtime.http.SecretFile;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/** The receivers of faults that are configured. Safe for all threads. */
public final class FaultReceivers implements AutoCloseable {
  private static final Receiver.Names NAMES = new Receiver.Names("receiver", "fault");
  private static final Duration LOOK_EVERY = Duration.ofSeconds(5);
  private static final int QUEUE = 10_000;

  private final List<Section> sections = new ArrayList<>();
  private final LongSupplier clock;
  private final Taken taken;

  /** Hears which state of an episode a receiver has taken. */
  @FunctionalInterface
  public interface Taken {
    void by(String receiver, String episode, String state);
  }

  /** One receiver. */
  private final class Section implements Receiver.Posting {
    final FaultReceiverSettings settings;
    final ReceiverForm form;
    final SecretFile secret;
    final ReceiverClient client;
    final Receiver receiver;
    final Optional<FilePoller> looks;

    Section(Vertx vertx, FaultReceiverSettings settings) throws StartFailure {
      String name = "faults.receivers." + settings.name();
      this.settings = settings;
      this.form = form(settings.form());
      this.secret = SecretFile.ofOthers(name + ".secretFile", settings.secret());
      this.client = ReceiverClient.open(vertx, name, settings.timeout(), settings.access());
      this.receiver = new Receiver(vertx, NAMES, this, settings.url(), QUEUE, form.batch());
      this.looks =
          settings
              .secret()
              .map(file -> FilePoller.start(vertx, "secret of " + name, LOOK_EVERY, secret::look));
    }

    boolean takes(Episode episode) {
      String tenant = episode.subject().labels().value("tenant");
      return episode.severity().compareTo(settings.severity()) >= 0
          && (settings.kinds().isEmpty() || settings.kinds().contains(episode.kind()))
          && (settings.tenants().isEmpty() || settings.tenants().contains(tenant));
    }

    @Override
    public Future<ReceiverClient.Answer> post(List<Delivery.Item> items) {
      byte[] body = form.body(items.stream().map(Delivery.Item::json).toList());
      Map<String, String> headers = new HashMap<>(Signature.of(secret, body, clock.getAsLong()));
      if (items.size() == 1) {
        headers.put("Idempotency-Key", key(items.getFirst()));
      }
      return client.post(settings.url(), "application/json", headers, body);
    }

    @Override
    public void taken(List<Delivery.Item> items) {
      for (Delivery.Item item : items) {
        taken.by(settings.name(), item.key().value("episode"), item.key().value("state"));
      }
    }

    private static String key(Delivery.Item item) {
      return item.key().value("episode") + "/" + item.key().value("state");
    }

    void close() {
      looks.ifPresent(FilePoller::close);
      receiver.close();
      client.close();
    }
  }

  private FaultReceivers(LongSupplier clock, Taken taken) {
    this.clock = clock;
    this.taken = taken;
  }

  /**
   * @param clock ms since the epoch
   * @throws StartFailure if a file with a secret cannot be used
   */
  public static FaultReceivers start(
      Vertx vertx, List<FaultReceiverSettings> settings, LongSupplier clock, Taken taken)
      throws StartFailure {
    FaultReceivers all = new FaultReceivers(clock, taken);
    for (FaultReceiverSettings each : settings) {
      all.sections.add(all.new Section(vertx, each));
    }
    return all;
  }

  private static ReceiverForm form(FaultReceiverSettings.Form form) {
    return switch (form) {
      case WEBHOOK -> new WebhookForm();
      case NVSENTINEL -> new NvsentinelForm();
      case LOKI -> new LokiForm();
      case OTLP -> new OtlpForm();
    };
  }

  /** The names of the receivers that want an episode. */
  public List<String> wanting(Episode episode) {
    return sections.stream()
        .filter(each -> !episode.shadow() && each.takes(episode))
        .map(each -> each.settings.name())
        .toList();
  }

  /**
   * Tells a receiver of an episode's newest state.
   *
   * @param current true while it is this process that tells
   */
  public void tell(String receiver, Told told, BooleanSupplier current) {
    for (Section each : sections) {
      if (each.settings.name().equals(receiver)) {
        each.receiver.offer(
            List.of(
                new Delivery.Item(
                    told.key().with("state", told.state().text()), each.form.item(told), current)));
      }
    }
  }

  /** Declares the metrics of this package. */
  public void declare(Meters meters) {
    if (sections.isEmpty()) {
      return;
    }
    meters.counters(
        "fault_notifications_sent",
        "Faults in requests to a receiver that are over, failed ones too.",
        "receiver",
        () -> counts(each -> each.receiver.figures().counts().sent()));
    meters.counters(
        "fault_notifications_failed",
        "Faults in requests to a receiver that failed or were rejected.",
        "receiver",
        () -> counts(each -> each.receiver.figures().counts().errors()));
    meters.counters(
        "fault_notifications_dropped",
        "Faults that a receiver rejected, or that were too many.",
        "receiver",
        () ->
            counts(
                each ->
                    each.receiver.figures().counts().overflowed()
                        + each.receiver.figures().counts().refused()));
  }

  private Map<String, Long> counts(ToLongFunction<Section> count) {
    Map<String, Long> counts = new HashMap<>();
    sections.forEach(each -> counts.put(each.settings.name(), count.applyAsLong(each)));
    return counts;
  }

  @Override
  public void close() {
    sections.reversed().forEach(Section::close);
  }
}
