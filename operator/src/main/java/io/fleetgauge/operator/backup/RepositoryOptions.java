package io.fleetgauge.operator.backup;

import io.fleetgauge.runtime.terminal.CommandFailure;
import java.net.URI;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/** Options of the commands that use backups: where they are, and how fast they are moved. */
final class RepositoryOptions {
  private static final Pattern BYTES = Pattern.compile("([0-9]{1,12})(B|kB|MB|GB|KiB|MiB|GiB)?");

  @CommandLine.Option(
      names = {"--repository", "--to", "--from"},
      paramLabel = "PLACE",
      required = true,
      description = "Location of the backups: a folder, or s3://BUCKET/PREFIX.")
  private String place;

  @CommandLine.Option(
      names = "--s3-endpoint",
      paramLabel = "URL",
      description = "Endpoint of an S3-compatible store other than AWS.")
  private URI endpoint;

  @CommandLine.Option(
      names = "--s3-region",
      paramLabel = "REGION",
      description =
          "Region. Default: AWS_REGION or that of the profile; us-east-1 with --s3-endpoint.")
  private String region;

  @CommandLine.Option(
      names = "--s3-path-style",
      description =
          "Uses path-style URLs: the name of the bucket is in the path, not in the host name.")
  private boolean pathStyle;

  @CommandLine.Option(
      names = "--max-rate",
      paramLabel = "BYTES",
      description =
          "Maximum number of bytes that are read or written in a second, such as 50MiB. Default: no"
              + " limit.")
  private String maxRate = "";

  Repository open() throws CommandFailure {
    Optional<String> inRegion =
        Optional.ofNullable(region).or(() -> Optional.ofNullable(endpoint).map(any -> "us-east-1"));
    return Repositories.open(
        place, new Repositories.S3Options(Optional.ofNullable(endpoint), inRegion, pathStyle));
  }

  Rate rate() throws CommandFailure {
    if (maxRate.isEmpty()) {
      return new Rate(0);
    }
    Matcher found = BYTES.matcher(maxRate);
    if (!found.matches() || Long.parseLong(found.group(1)) == 0) {
      throw new CommandFailure("--max-rate " + maxRate + " is no number of bytes such as 50MiB");
    }
    long unit =
        switch (found.group(2) == null ? "B" : found.group(2)) {
          case "kB" -> 1_000;
          case "MB" -> 1_000_000;
          case "GB" -> 1_000_000_000;
          case "KiB" -> 1 << 10;
          case "MiB" -> 1 << 20;
          case "GiB" -> 1 << 30;
          default -> 1;
        };
    return new Rate(Long.parseLong(found.group(1)) * unit);
  }
}
