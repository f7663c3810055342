package io.fleetgauge.query.report.scheduled;

import io.fleetgauge.query.config.ScheduledReportSettings;
import io.fleetgauge.query.delivery.Delivery;
import io.fleetgauge.query.delivery.Receiver;
import io.fleetgauge.query.delivery.ReceiverClient;
import io.fleetgauge.query.delivery.Signature;
import io.fleetgauge.query.report.ReportMaker;
import io.fleetgauge.runtime.files.FilePoller;
import io.fleetgauge.runtime.http.SecretFile;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.sample.Labels;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One report of the configuration: what has been made of it, and where it goes. */
final class ReportSchedule implements Receiver.Posting, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ReportSchedule.class);
  private static final Receiver.Names NAMES = new Receiver.Names("receiver", "report");
  private static final Duration LOOK_EVERY = Duration.ofSeconds(5);
  private static final int QUEUE = 10;
  private static final String FILE = "file";
  private static final String IDENTITY = "report";

  /** Empty for a report that lacks hosts. */
  private static final String PERIOD = "period";

  final ScheduledReportSettings settings;
  final LongAdder made = new LongAdder();
  final LongAdder incomplete = new LongAdder();
  final LongAdder failed = new LongAdder();

  /** Name of the period whose report has been made. On the loop of the owner. */
  String done = "";

  /** Name of the period whose report has been written or taken. */
  volatile String delivered = "";

  /** It is not tried before, ms since the epoch. On the loop of the owner. */
  long retryAt;

  private final WorkerExecutor worker;
  private final LongSupplier clock;
  private final Optional<ReportFolder> folder;
  private final SecretFile secret;
  private final Optional<ReceiverClient> client;
  private final Optional<Receiver> receiver;
  private final Optional<FilePoller> looks;

  /** Identity of the newest report that lacks hosts. On the worker. */
  private String lastIncomplete = "";

  /**
   * @param clock ms since the epoch
   * @throws StartFailure if a file with a secret cannot be used
   */
  ReportSchedule(
      Vertx vertx, WorkerExecutor worker, ScheduledReportSettings settings, LongSupplier clock)
      throws StartFailure {
    String section = "report.scheduled." + settings.name();
    this.settings = settings;
    this.worker = worker;
    this.clock = clock;
    this.folder = settings.folder().map(ReportFolder::new);
    this.secret = SecretFile.ofOthers(section + ".secretFile", settings.secret());
    this.client =
        settings.url().isEmpty()
            ? Optional.empty()
            : Optional.of(
                ReceiverClient.open(vertx, section, settings.timeout(), settings.access()));
    this.receiver = settings.url().map(url -> new Receiver(vertx, NAMES, this, url, QUEUE, 1));
    this.looks =
        settings
            .secret()
            .map(file -> FilePoller.start(vertx, "secret of " + section, LOOK_EVERY, secret::look));
  }

  private String file(ReportPeriod period, boolean isWhole) {
    return settings.name()
        + "-"
        + period.name()
        + (isWhole ? "." : ".incomplete.")
        + settings.format().name().toLowerCase(Locale.ROOT);
  }

  /** Returns true if the report is in the folder. Waits for the disk. */
  boolean isThere(ReportPeriod period) {
    return folder.isPresent() && folder.get().has(file(period, true));
  }

  /**
   * Writes a report, or offers it to the receiver; of those that lack the same number of hosts only
   * one. Waits for the disk.
   *
   * @param current true while it is this process that makes reports
   */
  void deliver(ReportPeriod period, ReportMaker.Made report, BooleanSupplier current)
      throws IOException {
    String identity = settings.name() + "-" + period.name();
    if (!report.isWhole()) {
      identity += ".incomplete-" + report.hostsMissing();
      if (identity.equals(lastIncomplete)) {
        return;
      }
      lastIncomplete = identity;
    }
    String file = file(period, report.isWhole());
    (report.isWhole() ? made : incomplete).increment();
    LOG.info(
        "report {} has {} bytes{}",
        file,
        report.bytes().length,
        report.isWhole() ? "" : " and lacks hosts: " + report.hostsMissing());
    if (receiver.isPresent()) {
      String whole = report.isWhole() ? period.name() : "";
      Labels key = Labels.of(IDENTITY, identity, FILE, file, PERIOD, whole);
      receiver.get().offer(List.of(new Delivery.Item(key, report.bytes(), current)));
    } else {
      write(file, report.bytes());
      delivered = report.isWhole() ? period.name() : delivered;
    }
  }

  private void write(String file, byte[] bytes) throws IOException {
    folder.orElseThrow().write(file, bytes);
    String before = file.replace(".", ".incomplete.");
    if (!file.contains(".incomplete.")) {
      folder.get().remove(before);
    }
  }

  @Override
  public Future<ReceiverClient.Answer> post(List<Delivery.Item> items) {
    Delivery.Item item = items.getFirst();
    Map<String, String> headers =
        new HashMap<>(Signature.of(secret, item.json(), clock.getAsLong()));
    headers.put("Idempotency-Key", item.key().value(IDENTITY));
    headers.put("Content-Disposition", "attachment; filename=\"" + item.key().value(FILE) + "\"");
    return client
        .orElseThrow()
        .post(
            settings.url().orElseThrow(),
            ReportMaker.contentType(settings.format()),
            headers,
            item.json());
  }

  /** A file of what was taken says that it need not be sent again. */
  @Override
  public void taken(List<Delivery.Item> items) {
    Delivery.Item item = items.getFirst();
    String whole = item.key().value(PERIOD);
    delivered = whole.isEmpty() ? delivered : whole;
    if (folder.isPresent()) {
      worker
          .executeBlocking(
              () -> {
                write(item.key().value(FILE), item.json());
                return null;
              })
          .onFailure(
              why -> {
                failed.increment();
                LOG.warn("report {} cannot be written: {}", item.key().value(FILE), "" + why);
              });
    }
  }

  /** Reports that the receiver rejected, or that were too many. */
  long dropped() {
    return receiver
        .map(each -> each.figures().counts())
        .map(counts -> counts.refused() + counts.overflowed())
        .orElse(0L);
  }

  /** Requests that failed or were rejected. */
  long refused() {
    return receiver.map(each -> each.figures().counts().errors()).orElse(0L);
  }

  @Override
  public void close() {
    looks.ifPresent(FilePoller::close);
    receiver.ifPresent(Receiver::close);
    client.ifPresent(ReceiverClient::close);
  }
}
