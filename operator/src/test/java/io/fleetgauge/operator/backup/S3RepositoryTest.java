package io.fleetgauge.operator.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.runtime.terminal.CommandFailure;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store with the requests of S3 that backups need; it lists one file at a time. */
class S3RepositoryTest {
  private static final String KEY = "aws.accessKeyId";
  private static final String SECRET = "aws.secretAccessKey";
  private static final String WRITTEN = "2026-09-21T14:13:20.000Z";
  private static final long WRITTEN_MILLIS = 1_790_000_000_000L;

  private static final Pattern LEAF = Pattern.compile("<(\\w+)>([^<]+)</\\1>");
  private static final String OTHERS = "%09-+.:eTZ/ \u00e9\n&<";
  private static final int DAMAGED = Integer.getInteger("fleetgauge.inputs.damaged", 300);

  private final Vertx vertx = Vertx.vertx();
  private final ConcurrentSkipListMap<String, byte[]> files = new ConcurrentSkipListMap<>();
  private volatile boolean isDenied;

  /** What a list is answered with; empty for what is stored. */
  private volatile byte[] listing = new byte[0];

  private Repository repository;
  private URI endpoint;

  @BeforeEach
  void start() throws Exception {
    System.setProperty(KEY, "key");
    System.setProperty(SECRET, "secret");
    int port =
        vertx
            .createHttpServer()
            .requestHandler(request -> request.body().onSuccess(body -> answer(request, body)))
            .listen(0, "127.0.0.1")
            .await(120, TimeUnit.SECONDS)
            .actualPort();
    endpoint = URI.create("http://127.0.0.1:" + port);
    repository = open("s3://shelf/prod/");
  }

  @AfterEach
  void close() throws Exception {
    repository.close();
    System.clearProperty(KEY);
    System.clearProperty(SECRET);
    vertx.close().await(120, TimeUnit.SECONDS);
  }

  private Repository open(String address) throws CommandFailure {
    return Repositories.open(
        address, new Repositories.S3Options(Optional.of(endpoint), Optional.of("eu-west-1"), true));
  }

  private void answer(HttpServerRequest request, Buffer body) {
    if (isDenied) {
      error(request, 403, "AccessDenied");
      return;
    }
    String name = request.path().replaceFirst("^/", "");
    switch (request.method().name()) {
      case "PUT" -> {
        files.put(name, payload(request, body));
        request.response().end();
      }
      case "DELETE" -> {
        files.remove(name);
        request.response().setStatusCode(204).end();
      }
      default -> {
        if (request.getParam("list-type") != null && listing.length > 0) {
          request
              .response()
              .putHeader("Content-Type", "application/xml")
              .end(Buffer.buffer(listing));
        } else if (request.getParam("list-type") != null) {
          list(request);
        } else if (files.containsKey(name)) {
          request.response().end(Buffer.buffer(files.get(name)));
        } else {
          error(request, 404, "NoSuchKey");
        }
      }
    }
  }

  private static void error(HttpServerRequest request, int status, String code) {
    request
        .response()
        .setStatusCode(status)
        .putHeader("Content-Type", "application/xml")
        .end("<Error><Code>" + code + "</Code><Message>" + code + "</Message></Error>");
  }

  /** Over plain HTTP, the client sends signed pieces: {@code LENGTH;SIGNATURE CRLF BYTES CRLF}. */
  private static byte[] payload(HttpServerRequest request, Buffer body) {
    if (!String.valueOf(request.getHeader("x-amz-content-sha256")).startsWith("STREAMING")) {
      return body.getBytes();
    }
    String text = body.toString(StandardCharsets.ISO_8859_1);
    StringBuilder payload = new StringBuilder();
    int at = 0;
    while (true) {
      int line = text.indexOf("\r\n", at);
      int length = Integer.parseInt(text.substring(at, line).replaceFirst(";.*", ""), 16);
      if (length == 0) {
        return payload.toString().getBytes(StandardCharsets.ISO_8859_1);
      }
      payload.append(text, line + 2, line + 2 + length);
      at = line + 2 + length + 2;
    }
  }

  private void list(HttpServerRequest request) {
    String bucket = request.path().replaceAll("/", "") + "/";
    String prefix = bucket + request.getParam("prefix");
    String after = request.getParam("continuation-token");
    List<String> found =
        new ArrayList<>(
            files.tailMap(after == null ? "" : after, false).keySet().stream()
                .filter(each -> each.startsWith(prefix))
                .toList());
    StringBuilder xml = new StringBuilder("<ListBucketResult>");
    xml.append("<IsTruncated>").append(found.size() > 1).append("</IsTruncated>");
    if (!found.isEmpty()) {
      String first = found.getFirst();
      xml.append("<NextContinuationToken>")
          .append(first)
          .append("</NextContinuationToken>")
          .append("<Contents><Key>")
          .append(first.substring(bucket.length()))
          .append("</Key><Size>")
          .append(files.get(first).length)
          .append("</Size><LastModified>")
          .append(WRITTEN)
          .append("</LastModified></Contents>");
    }
    request
        .response()
        .putHeader("Content-Type", "application/xml")
        .end(xml.append("</ListBucketResult>").toString());
  }

  @Test
  void filesAreBelowThePrefixAndAllOfThemAreListed() throws Exception {
    byte[] bytes = {1, 2, 3, '\r', '\n', -1};
    repository.put("files/aa/one", bytes);
    repository.put("files/bb/two", new byte[] {9});
    repository.put("backups/x.json", new byte[0]);
    files.put("shelf/other/files/three", new byte[1]);

    assertThat(files)
        .containsOnlyKeys(
            "shelf/prod/files/aa/one",
            "shelf/prod/files/bb/two",
            "shelf/prod/backups/x.json",
            "shelf/other/files/three");
    assertThat(repository.get("files/aa/one")).isEqualTo(bytes);
    assertThat(repository.list("files/"))
        .containsExactly(
            Map.entry("files/aa/one", new Repository.StoredFile(6, WRITTEN_MILLIS)),
            Map.entry("files/bb/two", new Repository.StoredFile(1, WRITTEN_MILLIS)));
    assertThat(repository.place("files/aa/one")).isEqualTo("s3://shelf/prod/files/aa/one");
    repository.delete("files/aa/one");
    assertThat(repository.list("files/")).containsOnlyKeys("files/bb/two");
  }

  @Test
  void aFileThatIsNotThereIsNoFailureOfTheStore() {
    assertThatThrownBy(() -> repository.get("files/aa/none"))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessage("s3://shelf/prod/files/aa/none");
  }

  @Test
  void aStoreThatRefusesIsNamedWithItsReason() {
    isDenied = true;
    for (ThrowingCallable each :
        List.<ThrowingCallable>of(
            () -> repository.get("a"),
            () -> repository.put("a", new byte[1]),
            () -> repository.delete("a"),
            () -> repository.list("a"))) {
      assertThatThrownBy(each)
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("s3://shelf/prod/a: ")
          .hasMessageContaining("AccessDenied");
    }
  }

  private static String contents(String key, String size, String modified) {
    return "<Contents><Key>%s</Key><LastModified>%s</LastModified><Size>%s</Size></Contents>"
        .formatted(key, modified, size);
  }

  private void answer(String contents) {
    listing =
        ("<ListBucketResult><IsTruncated>false</IsTruncated>" + contents + "</ListBucketResult>")
            .getBytes(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<Contents><LastModified>2026-09-21T14:13:20.000Z</LastModified><Size>3</Size></Contents>",
        "<Contents><Key>prod/files/b</Key><Size>3</Size></Contents>",
        "<Contents><Key>prod/files/b</Key>"
            + "<LastModified>2026-09-21T14:13:20.000Z</LastModified></Contents>",
        "<Contents><Key>prod/files/b</Key><Size>3</Size><LastModified>yesterday</LastModified>"
            + "</Contents>",
        "<Contents><Key>prod/files/b</Key><Size>much</Size>"
            + "<LastModified>2026-09-21T14:13:20.000Z</LastModified></Contents>",
        "<Contents><Key>other/files/b</Key><Size>3</Size>"
            + "<LastModified>2026-09-21T14:13:20.000Z</LastModified></Contents>",
        "<Contents><Key>x</Key><Size>3</Size>"
            + "<LastModified>2026-09-21T14:13:20.000Z</LastModified></Contents>"
      })
  void aListWithAnEntryThatCannotBeReadIsAFailureThatNamesTheStore(String entry) {
    answer(contents("prod/files/a", "1", WRITTEN) + entry);
    assertThatThrownBy(() -> repository.list("files/"))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("s3://shelf/prod/files/: ");
  }

  /** Without a limit, it would be read for ever. */
  @Test
  void aListThatBeginsAgainIsAFailure() {
    listing =
        ("<ListBucketResult><IsTruncated>true</IsTruncated>"
                + "<NextContinuationToken>more</NextContinuationToken>"
                + contents("prod/files/a", "1", WRITTEN)
                + "</ListBucketResult>")
            .getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> repository.list("files/"))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "s3://shelf/prod/files/: the list has prod/files/a twice, so it may have no end");
  }

  /** It is read, or refused with a message, and nothing else. */
  @Test
  void aDamagedListIsReadOrRefused() throws Exception {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < 5; i++) {
      all.append(contents("prod%2Ffiles%2F" + i, "" + i, WRITTEN));
    }
    answer("<EncodingType>url</EncodingType>" + all);
    byte[] whole = listing;
    assertThat(repository.list("files/")).hasSize(5).containsKey("files/4");
    SplittableRandom random = new SplittableRandom(20_261_127);
    int refused = 0;
    for (int i = 0; i < DAMAGED; i++) {
      byte[] bytes = damaged(whole, random);
      listing = bytes;
      String as = new String(bytes, StandardCharsets.ISO_8859_1);
      try {
        repository.list("files/");
      } catch (IOException e) {
        assertThat(e).as(as).hasMessageStartingWith("s3://shelf/prod/files/: ");
        refused++;
      } catch (RuntimeException e) {
        throw new AssertionError(as, e);
      }
    }
    assertThat(refused).isBetween(DAMAGED / 20, DAMAGED - 1);
  }

  /** One element is absent, comes twice, or has another name or text; or any byte is another. */
  private static byte[] damaged(byte[] whole, SplittableRandom random) {
    String text = new String(whole, StandardCharsets.UTF_8);
    List<MatchResult> leaves = LEAF.matcher(text).results().toList();
    MatchResult leaf = leaves.get(random.nextInt(leaves.size()));
    StringBuilder value = new StringBuilder(leaf.group(2));
    char other = OTHERS.charAt(random.nextInt(OTHERS.length()));
    int at = random.nextInt(value.length());
    String instead =
        switch (random.nextInt(6)) {
          case 0 -> "";
          case 1 -> leaf.group() + leaf.group();
          case 2 -> leaf.group().replace(leaf.group(1), "Later");
          case 3 -> leaf.group().replace(value, value.substring(0, at));
          case 4 -> leaf.group().replace(value, value.replace(at, at + 1, "" + other));
          default -> leaf.group().replace(value, value.insert(at, other));
        };
    byte[] bytes =
        (text.substring(0, leaf.start()) + instead + text.substring(leaf.end()))
            .getBytes(StandardCharsets.UTF_8);
    if (random.nextInt(10) == 0) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    }
    return bytes;
  }

  @Test
  void anAddressNamesABucketAndMayHaveAPrefix() throws Exception {
    for (String address : List.of("s3://shelf", "s3://shelf/")) {
      try (Repository whole = open(address)) {
        assertThat(whole.place("a")).isEqualTo("s3://shelf/a");
      }
    }
    try (Repository deep = open("s3://shelf/a/b//")) {
      assertThat(deep.place("c")).isEqualTo("s3://shelf/a/b/c");
    }
    assertThatThrownBy(() -> open("s3:///a"))
        .isInstanceOf(CommandFailure.class)
        .hasMessage("s3:///a names no bucket; write s3://BUCKET/PREFIX");
  }
}
