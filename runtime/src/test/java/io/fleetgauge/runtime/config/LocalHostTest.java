package io.fleetgauge.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.NetworkInterface;
import org.junit.jupiter.api.Test;

class LocalHostTest {
  @Test
  void theAddressIsOneOfTheMachineAndALoopbackOneOnlyIfThereIsNoOther() throws Exception {
    InetAddress address = InetAddress.getByName(LocalHost.address());
    assertThat(NetworkInterface.getByInetAddress(address)).isNotNull();
    boolean hasOthers =
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .anyMatch(each -> !each.isLoopbackAddress() && !each.isLinkLocalAddress());
    assertThat(address.isLoopbackAddress()).isEqualTo(!hasOthers);
    assertThat(address.isLinkLocalAddress()).isFalse();
  }
}
