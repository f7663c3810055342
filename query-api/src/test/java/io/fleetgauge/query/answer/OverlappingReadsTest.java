package io.fleetgauge.query.answer;

import static io.fleetgauge.query.answer.TestQuerier.END;
import static io.fleetgauge.query.answer.TestQuerier.ROOT;
import static io.fleetgauge.query.answer.TestQuerier.STEP;
import static io.fleetgauge.query.answer.TestQuerier.await;
import static io.fleetgauge.query.answer.TestQuerier.range;
import static io.fleetgauge.query.fleet.GpuSeries.labels;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Law 4 for the cache when several queries look at the same time at what has changed. */
@ExtendWith(VertxExtension.class)
class OverlappingReadsTest {
  private static final String[] HELD = {"parts", "samples", "changes"};

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 20_261_124})
  void howeverReadsOverlapAnAnswerHasAllThatCameBeforeItsQuery(long seed, Vertx vertx)
      throws Exception {
    TestQuerier test = new TestQuerier(vertx);
    SplittableRandom random = new SplittableRandom(seed);
    List<String> texts = List.of("sum by (rack) (power)", "max(power) - min(load_total)", "power");
    for (int i = 0; i < 150; i++) {
      if (random.nextBoolean()) {
        test.shards.hold(random.nextInt(3) == 0 ? new String[] {"changes"} : HELD);
      }
      List<Future<Reply<Evaluated>>> begun = new ArrayList<>();
      List<Ask<Evaluated>> asks = new ArrayList<>();
      List<Ask<Evaluated>> all = new ArrayList<>();
      // Later steps are not kept, so that they are read while the others are taken from the cache.
      test.fleet.watermark(END - random.nextInt(20) * STEP);
      // Three texts: an equal query that is under way would be joined.
      int first = random.nextInt(3);
      for (int query = 0; query < 3; query++) {
        if (random.nextInt(3) > 0) {
          long time = END - random.nextLong(20 * STEP);
          test.fleet.add(labels("power", random.nextInt(6), 0), time, random.nextInt(200));
          asks.clear();
        }
        if (random.nextInt(40) == 0) {
          test.fleet.host("n0", "g" + random.nextInt(3), "g" + random.nextInt(3));
        }
        // Windows that end close to each other: what one of them keeps, the next one joins. They
        // begin anywhere, so that no whole answer of them is kept.
        long to = END - random.nextInt(4) * STEP + 5_000;
        asks.add(
            range(
                ROOT, texts.get((first + query) % 3), to - (60 + random.nextInt(100)) * STEP, to));
        all.add(asks.getLast());
        begun.add(test.begin(asks.getLast()));
      }
      test.shards.releaseInOrder(
          reads -> Collections.shuffle(reads, new Random(seed + random.nextInt())));
      List<Future<Reply<Evaluated>>> last = begun.subList(3 - asks.size(), 3);
      for (Future<Reply<Evaluated>> each : begun) {
        await(each);
      }
      for (int query = 0; query < asks.size(); query++) {
        assertThat(await(last.get(query)).value().result())
            .as("%s", asks.get(query).request())
            .isEqualTo(test.expected(asks.get(query)).result());
      }
      // Nothing is kept that lacks what came meanwhile.
      for (Ask<Evaluated> each : all) {
        assertThat(test.answer(each).value().result()).isEqualTo(test.expected(each).result());
      }
    }
  }
}
