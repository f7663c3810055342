package io.fleetgauge.query.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.query.QueryFailure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class SlowReadersTest {
  private final SlowReaders readers = new SlowReaders();
  private final CountDownLatch end = new CountDownLatch(1);

  private Future<Void> slow(Vertx vertx, String tenant, int most) {
    return readers.send(
        vertx,
        tenant,
        most,
        () -> {
          end.await();
          return null;
        });
  }

  @Test
  void anyNumberOfClientsThatDoNotReadLeaveOthersTheirAnswers(Vertx vertx) throws Exception {
    List<Future<Void>> stalled = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      stalled.add(slow(vertx, "a", 500));
    }
    readers.send(vertx, "b", 1, () -> null).await(120, TimeUnit.SECONDS);
    assertThat(readers.count()).isEqualTo(500);
    end.countDown();
    Future.all(stalled).await(120, TimeUnit.SECONDS);
    assertThat(readers.count()).isZero();
  }

  @Test
  void aTenantIsSentAsManyAsItMayRun(Vertx vertx) {
    assertThat(slow(vertx, "a", 2).failed()).isFalse();
    assertThat(slow(vertx, "a", 2).failed()).isFalse();
    assertThat(slow(vertx, "a", 2).cause())
        .hasMessage(
            "2 long responses are being sent to tenant a; the limit running is 2; read them to the"
                + " end, or request less")
        .isInstanceOfSatisfying(
            QueryFailure.class, failure -> assertThat(failure.kind().httpStatus).isEqualTo(429));
    assertThat(slow(vertx, "b", 2).failed()).isFalse();
    end.countDown();
    Awaitility.await().until(() -> readers.count() == 0);
    assertThat(slow(vertx, "a", 2).failed()).isFalse();
  }

  @Test
  void aBodyThatBreaksOffGivesItsPlaceBack(Vertx vertx) {
    for (Throwable broken : List.of(new IOException("a"), new OutOfMemoryError("b"))) {
      Future<Void> sent =
          readers.send(
              vertx,
              "a",
              1,
              () -> {
                if (broken instanceof Error error) {
                  throw error;
                }
                throw (Exception) broken;
              });
      Awaitility.await().until(sent::isComplete);
      assertThat(sent.cause()).isSameAs(broken);
      assertThat(readers.count()).isZero();
    }
  }
}
