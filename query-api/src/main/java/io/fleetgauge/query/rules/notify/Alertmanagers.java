package io.fleetgauge.query.rules.notify;

import io.fleetgauge.query.config.AlertmanagerSettings;
import io.fleetgauge.query.config.NotificationSettings;
import io.fleetgauge.query.delivery.Delivery;
import io.fleetgauge.query.delivery.Receiver;
import io.fleetgauge.query.delivery.ReceiverClient;
import io.fleetgauge.query.rules.evaluation.GroupEvaluation.Notice;
import io.fleetgauge.runtime.config.DiscoverySettings;
import io.fleetgauge.runtime.discovery.Discovery;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.sample.Labels;
import io.vertx.core.Vertx;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BinaryOperator;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Every Alertmanager that is configured or discovered. Safe for all threads. */
public final class Alertmanagers implements Notifier, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Alertmanagers.class);

  private static final Receiver.Names NAMES = new Receiver.Names("Alertmanager", "alert");

  private final Vertx vertx;
  private final NotificationSettings settings;
  private final Labels externalLabels;
  private final List<Section> sections = new ArrayList<>();
  private final LongAdder invalid = new LongAdder();
  private final LongAdder undelivered = new LongAdder();
  private final LongAdder overflowedBefore = new LongAdder();
  private final LongAdder refusedBefore = new LongAdder();
  private final LongAdder outdatedBefore = new LongAdder();
  private volatile boolean isClosed;

  /** The Alertmanagers of one section of the configuration. */
  private final class Section {
    final AlertmanagerSettings settings;
    final ReceiverClient client;
    Optional<Discovery> discovery = Optional.empty();
    volatile List<Receiver> targets = List.of();

    Section(AlertmanagerSettings settings, ReceiverClient client) {
      this.settings = settings;
      this.client = client;
    }

    boolean takes(String tenant) {
      return settings.tenants().isEmpty() || settings.tenants().contains(tenant);
    }

    /** An Alertmanager that stays keeps what waits for it. */
    synchronized void use(List<URI> addresses) {
      if (isClosed) {
        return;
      }
      List<Receiver> before = targets;
      List<Receiver> after = new ArrayList<>();
      for (URI address : addresses) {
        after.add(
            before.stream()
                .filter(each -> each.address().equals(address))
                .findFirst()
                .orElseGet(() -> target(address)));
      }
      targets = List.copyOf(after);
      before.stream().filter(each -> !after.contains(each)).forEach(Alertmanagers.this::end);
    }

    private Receiver target(URI address) {
      return new Receiver(
          vertx,
          NAMES,
          items ->
              client.post(
                  address.resolve(address.getRawPath() + AlertForm.PATH),
                  "application/json",
                  Map.of(),
                  AlertForm.list(items.stream().map(Delivery.Item::json).toList())),
          address,
          Alertmanagers.this.settings.queue(),
          Alertmanagers.this.settings.batch());
    }
  }

  private Alertmanagers(Vertx vertx, NotificationSettings settings, Labels externalLabels) {
    this.vertx = vertx;
    this.settings = settings;
    this.externalLabels = externalLabels;
  }

  /**
   * @param externalLabels are added to each alert, unless it has a label of that name
   * @param clock ms since the epoch
   * @throws StartFailure if a file with a secret cannot be used
   */
  public static Alertmanagers start(
      Vertx vertx, NotificationSettings settings, Labels externalLabels, LongSupplier clock)
      throws StartFailure {
    Alertmanagers all = new Alertmanagers(vertx, settings, externalLabels);
    for (AlertmanagerSettings each : settings.alertmanagers()) {
      all.sections.add(all.new Section(each, client(vertx, each)));
    }
    all.sections.forEach(section -> all.begin(section, clock));
    return all;
  }

  private static ReceiverClient client(Vertx vertx, AlertmanagerSettings settings)
      throws StartFailure {
    return ReceiverClient.open(
        vertx, "rules.alertmanagers." + settings.name(), settings.timeout(), settings.access());
  }

  private void begin(Section section, LongSupplier clock) {
    section.use(section.settings.urls());
    section.discovery =
        section
            .settings
            .discovery()
            .map(
                how ->
                    Discovery.start(
                        vertx,
                        how,
                        List.of(),
                        clock,
                        found -> section.use(addresses(section.settings, how, found))));
  }

  /** Those that are listed, and those that are discovered; each once. */
  private static List<URI> addresses(
      AlertmanagerSettings settings, DiscoverySettings how, List<String> discovered) {
    Set<URI> all = new LinkedHashSet<>(settings.urls());
    String scheme = how.isTls() ? "https://" : "http://";
    for (String each : discovered) {
      all.add(URI.create(scheme + each + settings.pathPrefix()));
    }
    return List.copyOf(all);
  }

  @Override
  public void send(String tenant, List<Notice> alerts, BooleanSupplier current) {
    for (Section section : sections) {
      List<Receiver> targets = section.targets;
      if (!targets.isEmpty() && section.takes(tenant)) {
        List<Delivery.Item> out = new ArrayList<>();
        for (Notice alert : alerts) {
          form(section, alert, current).ifPresent(out::add);
        }
        if (!out.isEmpty()) {
          targets.forEach(each -> each.offer(out));
        }
      }
    }
  }

  /** Its counts go on in those of all. */
  private int end(Receiver gone) {
    int left = gone.close();
    undelivered.add(left);
    Delivery.Counts counts = gone.figures().counts();
    overflowedBefore.add(counts.overflowed());
    refusedBefore.add(counts.refused());
    outdatedBefore.add(counts.outdated());
    return left;
  }

  /** Empty if relabelling drops the alert. */
  private Optional<Delivery.Item> form(Section section, Notice alert, BooleanSupplier current) {
    Labels all = alert.labels();
    for (int i = 0; i < externalLabels.size(); i++) {
      if (all.value(externalLabels.name(i)).isEmpty()) {
        all = all.with(externalLabels.name(i), externalLabels.value(i));
      }
    }
    Optional<Labels> labels =
        settings.relabelling().apply(all).flatMap(section.settings.relabelling()::apply);
    if (labels.isPresent() && labels.get().isEmpty()) {
      // Alertmanager refuses an alert without labels.
      invalid.increment();
      return Optional.empty();
    }
    return labels.map(each -> new Delivery.Item(each, AlertForm.alert(alert, each), current));
  }

  /** The URLs to which alerts are sent now. */
  public List<URI> addresses() {
    return sections.stream()
        .flatMap(section -> section.targets.stream())
        .map(each -> URI.create(each.address() + AlertForm.PATH))
        .toList();
  }

  /** Declares the metrics of this package. */
  public void declare(Meters meters) {
    meters.gauge(
        "notifications_alertmanagers_discovered",
        "Configured and discovered Alertmanagers to which alerts are sent.",
        () -> addresses().size());
    meters.gauge(
        "notifications_queue_capacity",
        "Capacity of the alert queue of each Alertmanager.",
        settings::queue);
    meters.gauges(
        "notifications_queue_length",
        "Alerts in the queue of an Alertmanager.",
        "alertmanager",
        () -> figures(each -> (double) each.length(), Double::sum));
    meters.counters(
        "notifications_sent",
        "Alerts sent to an Alertmanager, failed requests included.",
        "alertmanager",
        () -> figures(each -> each.counts().sent(), Long::sum));
    meters.counters(
        "notifications_errors",
        "Alerts in requests that failed or that an Alertmanager rejected; most are sent again.",
        "alertmanager",
        () -> figures(each -> each.counts().errors(), Long::sum));
    meters.counters(
        "notifications_dropped",
        "Alerts dropped without being delivered, by reason: the queue is full, an Alertmanager"
            + " rejects them, they have no labels, another query API has their rule group, or an"
            + " Alertmanager or this process is gone.",
        "reason",
        this::dropped);
    meters.counters(
        "notifications_replaced",
        "States of alerts that were not sent because a newer state replaced them in the queue.",
        "alertmanager",
        () -> figures(each -> each.counts().replaced(), Long::sum));
    meters.counters(
        "notifications_requests",
        "Completed requests to an Alertmanager.",
        "alertmanager",
        () -> figures(Receiver.Figures::requests, Long::sum));
    meters.counter(
        "notifications_latency_seconds",
        "Total duration of requests to Alertmanagers.",
        () ->
            figures(Receiver.Figures::requestSeconds, Double::sum).values().stream()
                .mapToDouble(Double::doubleValue)
                .sum());
  }

  private <T> Map<String, T> figures(Function<Receiver.Figures, T> figure, BinaryOperator<T> sum) {
    Map<String, T> byAddress = new TreeMap<>();
    for (Section section : sections) {
      for (Receiver each : section.targets) {
        // Two sections may name the same Alertmanager.
        byAddress.merge(each.address() + AlertForm.PATH, figure.apply(each.figures()), sum);
      }
    }
    return byAddress;
  }

  private Map<String, Long> dropped() {
    long overflowed = overflowedBefore.sum();
    long refused = refusedBefore.sum();
    long outdated = outdatedBefore.sum();
    for (Section section : sections) {
      for (Receiver each : section.targets) {
        overflowed += each.figures().counts().overflowed();
        refused += each.figures().counts().refused();
        outdated += each.figures().counts().outdated();
      }
    }
    return new TreeMap<>(
        Map.of(
            "queue_full",
            overflowed,
            "refused",
            refused,
            "outdated",
            outdated,
            "no_labels",
            invalid.sum(),
            "gone",
            undelivered.sum()));
  }

  /** Goes on sending what waits for as long as {@code rules.notifications.drain} says. */
  @Override
  public void close() {
    sections.forEach(section -> section.discovery.ifPresent(Discovery::close));
    List<Receiver> all = sections.stream().flatMap(section -> section.targets.stream()).toList();
    CompletableFuture<Void> drained =
        CompletableFuture.allOf(
            all.stream().map(Receiver::drain).toArray(CompletableFuture[]::new));
    Duration limit = settings.drain();
    try {
      drained.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      // The rest is counted below.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    isClosed = true;
    for (Receiver each : all) {
      int left = end(each);
      if (left > 0) {
        LOG.warn(
            "{} alerts were not delivered to Alertmanager {} within {} ms, the"
                + " rules.notifications.drain",
            left,
            each.address(),
            limit.toMillis());
      }
    }
    sections.forEach(
        section -> {
          section.targets = List.of();
          section.client.close();
        });
  }
}
