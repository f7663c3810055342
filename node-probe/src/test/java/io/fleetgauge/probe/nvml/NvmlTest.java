package io.fleetgauge.probe.nvml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NvmlTest {
  /** A library that is on every Linux, and has no function of NVML. */
  private static final String WITHOUT_FUNCTIONS = "libm.so.6";

  /** Calls with methods of their own. */
  private static final Set<NvmlCall> OWN =
      EnumSet.of(
          NvmlCall.INIT,
          NvmlCall.SHUTDOWN,
          NvmlCall.HANDLE,
          NvmlCall.FIELDS,
          NvmlCall.PROCESS_UTILIZATION,
          NvmlCall.GPM_FREE,
          NvmlCall.GPM_SAMPLE,
          NvmlCall.GPM_MIG_SAMPLE,
          NvmlCall.EVENT_SET_FREE,
          NvmlCall.EVENT_REGISTER,
          NvmlCall.EVENT_WAIT);

  private final CallLog log = new CallLog(System::nanoTime);

  @Test
  void aFunctionThatTheDriverLacksAnswersThatAndNoCallThrows() {
    Nvml nvml = Nvml.load(WITHOUT_FUNCTIONS, List.of(), log);
    NativeMemory out = nvml.allocate(256);
    NvmlDevice device = nvml.device(out, 0);
    Set<List<String>> expected = new HashSet<>();
    for (NvmlCall call : NvmlCall.values()) {
      if (!OWN.contains(call)) {
        assertThat(nvml.has(call, device, out)).as(call.label()).isFalse();
        assertThat(nvml.ask(call, device, out))
            .as(call.label())
            .isEqualTo(NvmlReturn.FUNCTION_NOT_FOUND);
      }
      if (call != NvmlCall.EVENT_WAIT) { // waiting is not logged
        expected.add(List.of(call.label(), "13"));
      }
    }
    assertThat(ownCalls(nvml, device, out)).containsOnly(NvmlReturn.FUNCTION_NOT_FOUND);
    assertThat(nvml.text(NvmlCall.UUID, device)).isEmpty();
    assertThat(log.errors()).containsOnlyKeys(expected);
    assertThat(log.inProgress()).isNull();
  }

  @Test
  void everyCallIsAnnouncedBeforeItIsMade() {
    List<NvmlCall> announced = new ArrayList<>();
    NvmlLibrary library =
        (NvmlLibrary)
            Proxy.newProxyInstance(
                NvmlLibrary.class.getClassLoader(),
                new Class<?>[] {NvmlLibrary.class},
                (proxy, function, arguments) -> {
                  CallLog.InProgress call = log.inProgress();
                  if (call != null) {
                    announced.add(call.call());
                  }
                  return NvmlReturn.SUCCESS;
                });
    Nvml nvml = Nvml.of(library, log);
    NativeMemory out = nvml.allocate(256);
    NvmlDevice device = nvml.device(out, 0);
    for (NvmlCall call : EnumSet.complementOf(EnumSet.copyOf(OWN))) {
      nvml.ask(call, device, out);
      assertThat(announced.getLast()).isEqualTo(call);
    }
    ownCalls(nvml, device, out);
    Set<NvmlCall> all = EnumSet.allOf(NvmlCall.class);
    all.remove(NvmlCall.EVENT_WAIT);
    assertThat(EnumSet.copyOf(announced)).isEqualTo(all);
  }

  @Test
  void aLibraryThatIsNowhereIsNotLoaded() {
    assertThatThrownBy(() -> Nvml.load("/nonexistent/libnvidia-ml.so.1", List.of(), log))
        .isInstanceOf(UnsatisfiedLinkError.class);
  }

  private static List<Integer> ownCalls(Nvml nvml, NvmlDevice device, NativeMemory out) {
    GpmSample sample = nvml.gpmSample(out);
    EventSet set = nvml.eventSet(out);
    return List.of(
        nvml.init(),
        nvml.handle(0, out),
        nvml.fields(device, 1, nvml.fields(1)),
        nvml.processUtilization(device, out, 0),
        nvml.gpmTake(device, -1, sample),
        nvml.gpmTake(device, 1, sample),
        nvml.gpmFree(sample),
        nvml.register(device, 8, set),
        nvml.await(set, out, 1),
        nvml.eventSetFree(set),
        nvml.shutdown());
  }
}
