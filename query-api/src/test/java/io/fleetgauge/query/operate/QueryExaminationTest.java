package io.fleetgauge.query.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.runtime.doctor.Findings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a query API says of its own files. */
class QueryExaminationTest {
  @TempDir private Path folder;

  private static List<String> findings(String yaml) throws Exception {
    Findings findings = new Findings();
    new QueryExamination().read("f", yaml).own().getLast().accept(findings);
    return findings.all().stream()
        .map(each -> each.outcome().text + " " + each.subject() + ": " + each.text())
        .toList();
  }

  @Test
  void entriesOfPricesAndCarbonThatAreLeftOutAreNamed() throws Exception {
    Path prices = Files.writeString(folder.resolve("p.yaml"), "prices: [{price: 1}, {price: x}]");
    Path carbon = Files.writeString(folder.resolve("c.csv"), "default,1\n");
    String yaml = "report: {prices: " + prices + ", carbon: " + carbon + "}";
    assertThat(findings(yaml))
        .containsExactly(
            "warning configuration: report.prices: entry 2 of prices is left out: price is \"x\";"
                + " it has to be a number of at most 9 digits and 9 decimals");
    Files.writeString(prices, "prices: [{price: 1}]");
    assertThat(findings(yaml))
        .containsExactly("ok configuration: report.prices and report.carbon are valid");
    assertThat(findings("")).as("without files").isEmpty();
  }
}
