package io.fleetgauge.query.derived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.query.admission.Admission;
import io.fleetgauge.query.admission.ClusterShare;
import io.fleetgauge.query.admission.TenantShare;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.fleet.MemoryFleet;
import io.fleetgauge.query.fleet.MemoryShards;
import io.fleetgauge.runtime.trace.Tracer;
import io.fleetgauge.sample.vocabulary.AliasTable;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Slots of a fleet whose samples are there up to 100; it is 1000. */
@ExtendWith(VertxExtension.class)
class SlotDataTest {
  private final AtomicLong now = new AtomicLong(1_000);
  private final MemoryFleet fleet = new MemoryFleet();
  private MemoryShards shards;
  private Context context;
  private SlotData data;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    fleet.host("n1", "g1").watermark(100);
    shards = new MemoryShards(vertx, fleet);
    Querier querier =
        new Querier(
            QueryConfig.read("test", ""),
            shards.stores(),
            new Admission(
                new Admission.Places(20, 20, 4),
                tenant -> new TenantShare(1, 20, 200),
                ClusterShare.WHOLE,
                System::nanoTime),
            new Querier.Workers(
                vertx.createSharedWorkerExecutor("light", 2),
                vertx.createSharedWorkerExecutor("heavy", 1)),
            AliasTable.builtIn(),
            Tracer.OFF,
            now::get);
    context = vertx.getOrCreateContext();
    data = new SlotData(context, querier::watermark, now::get);
  }

  private Future<Boolean> begin(long time, long deadline) {
    Promise<Boolean> arrived = Promise.promise();
    context.runOnContext(none -> data.arrived(time, deadline).onComplete(arrived));
    return arrived.future();
  }

  private static boolean arrived(Future<Boolean> slot) throws Exception {
    return slot.await(120, TimeUnit.SECONDS);
  }

  private long asked() {
    return shards.count("changes");
  }

  @Test
  void samplesThatAreKnownToBeThereAreNotAskedForAgain() throws Exception {
    assertThat(arrived(begin(100, 1_001))).isTrue();
    assertThat(asked()).isEqualTo(1);
    assertThat(arrived(begin(100, 2_000))).isTrue();
    assertThat(arrived(begin(101, 1_000))).as("it is over").isFalse();
    assertThat(asked()).isEqualTo(1);
  }

  @Test
  void slotsThatWaitAreAskedForTogetherUntilTheirSamplesOrDeadlinesCome() throws Exception {
    shards.hold("changes");
    Future<Boolean> there = begin(90, 2_000);
    await().until(() -> shards.waiting() == 1);
    Future<Boolean> alsoThere = begin(100, 2_000);
    Future<Boolean> later = begin(101, 2_000);
    Future<Boolean> never = begin(500, 1_500);
    shards.hold();
    shards.release();
    assertThat(arrived(there)).isTrue();
    assertThat(arrived(alsoThere)).isTrue();
    assertThat(later.isComplete() || never.isComplete()).isFalse();
    assertThat(asked()).isEqualTo(1);
    fleet.watermark(101);
    assertThat(arrived(later)).isTrue();
    assertThat(never.isComplete()).isFalse();
    now.set(1_500);
    assertThat(arrived(never)).isFalse();
  }

  @Test
  void whatWasKnownIsForgottenWhenItFalls() throws Exception {
    assertThat(arrived(begin(100, 2_000))).isTrue();
    fleet.watermark(50);
    Future<Boolean> waits = begin(101, 2_000);
    await().until(() -> asked() >= 3);
    Future<Boolean> fallen = begin(100, 2_000);
    Future<Boolean> lower = begin(50, 2_000);
    assertThat(arrived(lower)).isTrue();
    assertThat(fallen.isComplete()).isFalse();
    now.set(2_000);
    assertThat(arrived(waits)).isFalse();
    assertThat(arrived(fallen)).isFalse();
  }
}
