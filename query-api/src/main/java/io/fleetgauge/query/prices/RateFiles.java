package io.fleetgauge.query.prices;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The files of prices and carbon. For any thread. */
public final class RateFiles {
  private final RateFile<Prices> prices;
  private final RateFile<Carbon> carbon;
  private final BigDecimal pue;

  /**
   * @param prices empty for none; so for {@code carbon}
   */
  public RateFiles(Optional<Path> prices, Optional<Path> carbon, BigDecimal pue) {
    this.prices = new RateFile<>("report.prices", prices, Prices.NONE, PricesReader::read);
    boolean isCsv = carbon.filter(file -> file.toString().endsWith(".csv")).isPresent();
    this.carbon =
        new RateFile<>(
            "report.carbon",
            carbon,
            Carbon.NONE,
            (text, before) ->
                isCsv ? CarbonReader.readCsv(text) : CarbonReader.readYaml(text, before));
    this.pue = pue;
  }

  /** Reads files that have changed. May wait for the disk. */
  public void look() {
    prices.look();
    carbon.look();
  }

  public Rates rates() {
    return new Rates(prices.content().value(), carbon.content().value(), pue, leftOut());
  }

  /** The first entries that are left out, by name, each with the key of its file. */
  public List<String> problems() {
    return Stream.of(prices, carbon).flatMap(file -> file.problems().stream()).toList();
  }

  /** Entries that are left out. */
  public int leftOut() {
    return prices.content().leftOut() + carbon.content().leftOut();
  }
}
