package io.fleetgauge.query;

import io.fleetgauge.cluster.process.Command;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.Reader;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** {@code fleetgauge report}. */
@CommandLine.Command(
    name = "report",
    description = "Asks a query API for reports.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = ReportCommand.GpuMemory.class)
public final class ReportCommand implements Command {
  @CommandLine.Spec private CommandSpec spec;

  @CommandLine.Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  private boolean help;

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return 2;
  }

  /** {@code fleetgauge report gpu-memory}. */
  @CommandLine.Command(
      name = "gpu-memory",
      description = {
        "Prints memory, utilization and hours of GPUs by container, pod, job, tenant, rack or GPU.",
        "Exits with 1 if there is no report; a report that lacks hosts is printed, with a warning."
      })
  static final class GpuMemory implements Command {
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);
    private static final int MAX_ERROR_BYTES = 64 << 10;
    private static final String COMPLETENESS = "X-Fleetgauge-Completeness";

    @CommandLine.Spec private CommandSpec spec;

    @CommandLine.Option(
        names = "--from",
        paramLabel = "TIME",
        description =
            "Start: seconds since the epoch, or RFC 3339 such as 2026-11-01T00:00:00Z. Default: 24"
                + " hours before --to.")
    private String from = "";

    @CommandLine.Option(
        names = "--to",
        paramLabel = "TIME",
        description = "End, in the same forms. Default: now.")
    private String to = "";

    @CommandLine.Option(
        names = "--by",
        paramLabel = "NAMES",
        description =
            "What to group by, with commas between: container, pod, namespace, job, user, account,"
                + " tenant, rack, host, gpu, mig, profile, model, label:NAME. Default:"
                + " namespace,pod,container.")
    private String by = "";

    @CommandLine.Option(
        names = "--step",
        paramLabel = "DURATION",
        description =
            "Length of the intervals that have rows of their own, such as 1d. Default: the whole"
                + " period.")
    private String step = "";

    @CommandLine.Option(
        names = "--match",
        paramLabel = "SELECTOR",
        description = "Series to count, such as '{rack=\"r1\"}'. Default: all.")
    private String match = "";

    @CommandLine.Option(
        names = "--format",
        paramLabel = "FORMAT",
        defaultValue = "csv",
        description = "csv, json or html. Default: csv.")
    private String format;

    @CommandLine.Option(
        names = "--timeout",
        paramLabel = "DURATION",
        description = "Longest time for the report. Default, and most: query.timeout.")
    private String timeout = "";

    @CommandLine.Option(
        names = "--strict",
        description = "Takes a report that lacks hosts for an error.")
    private boolean strict;

    @CommandLine.Option(
        names = "--url",
        paramLabel = "URL",
        defaultValue = "http://localhost:9090",
        description = "The query API. Default: http://localhost:9090.")
    private String url;

    @CommandLine.Option(
        names = "--token-file",
        paramLabel = "FILE",
        description = "File with a token that has the right to read.")
    private Path tokenFile;

    @CommandLine.Option(
        names = "--ca-file",
        paramLabel = "FILE",
        description =
            "Certificates (PEM) that the query API's is checked against. Default: those of the"
                + " JVM.")
    private Path caFile;

    @CommandLine.Option(
        names = {"-h", "--help"},
        usageHelp = true,
        description = "Shows this help.")
    private boolean help;

    /** Why there is no report. */
    private static final class Failure extends Exception {
      private static final long serialVersionUID = 1L;

      Failure(String message) {
        super(message);
      }
    }

    @Override
    public Integer call() throws InterruptedException {
      try {
        report();
        return 0;
      } catch (Failure e) {
        spec.commandLine().getErr().println("fleetgauge: " + e.getMessage());
        spec.commandLine().getErr().flush();
        return 1;
      }
    }

    private void report() throws Failure, InterruptedException {
      HttpRequest request = request();
      try (HttpClient client = client()) {
        HttpResponse<InputStream> answer =
            client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream body = answer.body()) {
          if (answer.statusCode() != 200) {
            throw new Failure(
                url + " answers with status " + answer.statusCode() + ": " + error(body));
          }
          warn(answer.headers().firstValue(COMPLETENESS).orElse(""));
          print(body);
        }
      } catch (IOException e) {
        throw new Failure(url + " cannot be asked: " + e);
      }
    }

    private HttpClient client() throws Failure {
      HttpClient.Builder client =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .connectTimeout(CONNECT_LIMIT);
      return caFile == null ? client.build() : client.sslContext(trusting(caFile)).build();
    }

    private static SSLContext trusting(Path file) throws Failure {
      try (InputStream in = Files.newInputStream(file)) {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
          trusted.setCertificateEntry("ca-" + trusted.size(), each);
        }
        if (trusted.size() == 0) {
          throw new Failure("--ca-file " + file + " has no certificate in PEM form");
        }
        TrustManagerFactory trust =
            TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
      } catch (IOException | GeneralSecurityException e) {
        throw new Failure("--ca-file " + file + " cannot be read: " + e);
      }
    }

    private HttpRequest request() throws Failure {
      HttpRequest.Builder request;
      try {
        request =
            HttpRequest.newBuilder(
                URI.create(
                    url.replaceFirst("/+$", "") + "/api/v1/report/gpu-memory?" + parameters()));
      } catch (IllegalArgumentException e) {
        throw new Failure("--url " + url + " is no address such as http://localhost:9090");
      }
      if (tokenFile != null) {
        try {
          request.header("Authorization", "Bearer " + token());
        } catch (IllegalArgumentException e) {
          throw new Failure("--token-file " + tokenFile + " has more than a token in it");
        }
      }
      return request.build();
    }

    private String token() throws Failure {
      try {
        String token = Files.readString(tokenFile).strip();
        if (token.isEmpty()) {
          throw new Failure("--token-file " + tokenFile + " is empty");
        }
        return token;
      } catch (IOException e) {
        throw new Failure("--token-file " + tokenFile + " cannot be read: " + e);
      }
    }

    private String parameters() {
      StringJoiner parameters = new StringJoiner("&");
      List<String[]> all = new ArrayList<>();
      all.add(new String[] {"from", from});
      all.add(new String[] {"to", to});
      all.add(new String[] {"by", by});
      all.add(new String[] {"step", step});
      all.add(new String[] {"match[]", match});
      all.add(new String[] {"format", format});
      all.add(new String[] {"timeout", timeout});
      all.add(new String[] {"strict", strict ? "1" : ""});
      for (String[] each : all) {
        if (!each[1].isEmpty()) {
          parameters.add(
              URLEncoder.encode(each[0], StandardCharsets.UTF_8)
                  + "="
                  + URLEncoder.encode(each[1], StandardCharsets.UTF_8));
        }
      }
      return parameters.toString();
    }

    /** The text of an error in Prometheus's envelope, or else the beginning of the body. */
    private static String error(InputStream body) throws IOException {
      String text = new String(body.readNBytes(MAX_ERROR_BYTES), StandardCharsets.UTF_8).strip();
      try {
        String error = new JsonObject(text).getString("error");
        return error == null ? text : error;
      } catch (DecodeException | ClassCastException e) {
        return text;
      }
    }

    private void warn(String completeness) {
      if (completeness.contains("missing=;") || completeness.isEmpty()) {
        return;
      }
      spec.commandLine()
          .getErr()
          .println("fleetgauge: the report is not complete: " + completeness);
      spec.commandLine().getErr().flush();
    }

    private void print(InputStream body) throws IOException {
      PrintWriter out = spec.commandLine().getOut();
      try (Reader reader = new InputStreamReader(body, StandardCharsets.UTF_8)) {
        reader.transferTo(out);
      }
      if (format.equals("json")) {
        out.println();
      }
      out.flush();
      if (out.checkError()) {
        throw new IOException("the output cannot be written");
      }
    }
  }
}
