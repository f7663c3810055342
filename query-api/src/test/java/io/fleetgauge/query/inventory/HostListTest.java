package io.fleetgauge.query.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostListTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "n1 | n1",
        "n1,n2 | n1 n2",
        "gpu[08-11] | gpu08 gpu09 gpu10 gpu11",
        "gpu[1-2,7] | gpu1 gpu2 gpu7",
        "a, gpu[7].example.org ,b | a gpu7.example.org b",
        "r[1-2]n[3-4]x | r1n3x r1n4x r2n3x r2n4x",
        "n1,n1 | n1",
        "gpu-a.example.org | gpu-a.example.org"
      })
  void aListNamesHosts(String text, String hosts) {
    assertThat(HostList.read(text).orElseThrow()).containsExactly(hosts.split(" "));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ",",
        "n1,,n2",
        "n[",
        "n]",
        "n[1-2",
        "n[1]]",
        "n[[1]]",
        "n[a-b]",
        "n[]",
        "n[2-1]",
        "n[1-]",
        "n[1-9999999999]",
        "n[1-100000]",
        "n[1-999]m[1-999]"
      })
  void whatIsNoListNamesNone(String text) {
    assertThat(HostList.read(text)).isEqualTo(Optional.empty());
  }

  @Test
  void aListHasAtMostSoManyHosts() {
    assertThat(HostList.read("n[1-65536]").orElseThrow()).hasSize(HostList.MOST_HOSTS);
    assertThat(HostList.read("n[1-65536],m")).isEmpty();
  }
}
