package io.fleetgauge.query.prices;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files on the disk. */
class RateFilesTest {
  @TempDir private Path folder;

  private RateFiles files(String prices, String carbon) {
    return new RateFiles(
        Optional.of(folder.resolve(prices)), Optional.of(folder.resolve(carbon)), BigDecimal.ONE);
  }

  @Test
  void aFileIsReadAgainWhenItChangesAndOneThatIsGoneChangesNothing() throws Exception {
    RateFiles files = files("prices.yaml", "carbon.yaml");
    files.look();
    assertThat(files.leftOut()).as("neither is there").isEqualTo(2);
    Path prices = Files.writeString(folder.resolve("prices.yaml"), "prices: [{price: 1}]");
    Path carbon = Files.writeString(folder.resolve("carbon.yaml"), "default: 100");
    files.look();
    assertThat(files.rates().prices().rules()).hasSize(1);
    assertThat(files.rates().carbon().at(0)).hasValue(new BigDecimal(100));
    assertThat(files.leftOut()).isZero();
    Files.writeString(prices, "prices: [{price: 1}, {price: 2}, {price: x}]");
    Files.delete(carbon);
    files.look();
    assertThat(files.rates().prices().rules()).hasSize(2);
    assertThat(files.rates().carbon().at(0)).hasValue(new BigDecimal(100));
    assertThat(files.rates().leftOut()).isEqualTo(2);
    RateFiles none = new RateFiles(Optional.empty(), Optional.empty(), BigDecimal.TEN);
    none.look();
    assertThat(none.rates().changes(0, Long.MAX_VALUE)).isEmpty();
    assertThat(none.rates().leftOut()).isZero();
  }

  @Test
  void bytesThatAreNoUtf8CostTheEntryThatTheyAreIn() throws Exception {
    ByteArrayOutputStream yaml = new ByteArrayOutputStream();
    yaml.writeBytes("\uFEFFprices:\n - {model: \"".getBytes(StandardCharsets.UTF_8));
    yaml.writeBytes(new byte[] {(byte) 0xC3, (byte) 0x28, (byte) 0xFF});
    yaml.writeBytes("\", price: 1}\n - {name: größe, price: 2}\n".getBytes(StandardCharsets.UTF_8));
    Files.write(folder.resolve("prices.yaml"), yaml.toByteArray());
    ByteArrayOutputStream csv = new ByteArrayOutputStream();
    csv.writeBytes(
        "\uFEFFtime,grams\n2026-11-01T00:00:00Z,1\n2026".getBytes(StandardCharsets.UTF_8));
    csv.writeBytes(new byte[] {(byte) 0x96, 0, 27});
    csv.writeBytes("-11-01,5\ndefault,7".getBytes(StandardCharsets.UTF_8));
    Files.write(folder.resolve("carbon.csv"), csv.toByteArray());
    RateFiles files = files("prices.yaml", "carbon.csv");
    files.look();
    assertThat(files.rates().prices().rules()).extracting(PriceRule::name).containsExactly("größe");
    assertThat(files.rates().carbon().at(0)).hasValue(new BigDecimal(7));
    assertThat(files.leftOut()).isEqualTo(2);
  }
}
