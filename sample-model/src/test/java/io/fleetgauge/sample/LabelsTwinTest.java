package io.fleetgauge.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A label set does what a sorted map of its labels does. */
class LabelsTwinTest {
  private static final int ROUNDS = 5_000;

  private static final Comparator<String> BY_BYTES =
      (a, b) ->
          Arrays.compareUnsigned(
              a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));

  private static final List<String> NAMES =
      List.of(Labels.NAME, Labels.TYPE, Labels.UNIT, "a", "b", "job", "a.b", "é", "\uffff", "😀");

  private static final List<String> VALUES =
      List.of("", "1", "2", "x y", "\"", "\\", "\n", "\\n", "é", "😀");

  private static String one(SplittableRandom random, List<String> of) {
    return of.get(random.nextInt(of.size()));
  }

  private static TreeMap<String, String> map(SplittableRandom random) {
    TreeMap<String, String> map = new TreeMap<>(BY_BYTES);
    for (int i = random.nextInt(7); i > 0; i--) {
      map.put(one(random, NAMES), one(random, VALUES));
    }
    return map;
  }

  private static TreeMap<String, String> withoutEmpty(Map<String, String> map) {
    TreeMap<String, String> kept = new TreeMap<>(BY_BYTES);
    kept.putAll(map);
    kept.values().removeIf(String::isEmpty);
    return kept;
  }

  private static Set<String> names(SplittableRandom random) {
    Set<String> names = new HashSet<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      names.add(one(random, NAMES));
    }
    return names;
  }

  private static List<String> flat(Map<String, String> map) {
    List<String> flat = new ArrayList<>();
    map.forEach(
        (name, value) -> {
          flat.add(name);
          flat.add(value);
        });
    return flat;
  }

  /** Every way to look at a label set shows what the map has. */
  private static void assertSame(Labels labels, TreeMap<String, String> map) {
    assertThat(labels.size()).isEqualTo(map.size());
    assertThat(labels.isEmpty()).isEqualTo(map.isEmpty());
    int i = 0;
    for (var entry : map.entrySet()) {
      assertThat(labels.name(i)).isEqualTo(entry.getKey());
      assertThat(labels.value(i++)).isEqualTo(entry.getValue());
    }
    for (String name : NAMES) {
      assertThat(labels.value(name)).isEqualTo(map.getOrDefault(name, ""));
    }
    assertThat(labels.metric()).isEqualTo(map.getOrDefault(Labels.NAME, ""));
    assertThat(labels.hasTypeOrUnit())
        .isEqualTo(map.containsKey(Labels.TYPE) || map.containsKey(Labels.UNIT));
    assertThat(labels).isEqualTo(Labels.of(map)).hasSameHashCodeAs(Labels.of(map));
    if (map.isEmpty()) {
      assertThat(labels).isSameAs(Labels.EMPTY);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void aLabelSetHasTheLabelsThatItWasMadeOfInAnyOrder(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < ROUNDS; round++) {
      TreeMap<String, String> map = map(random);
      assertSame(Labels.of(map), withoutEmpty(map));
      List<Map.Entry<String, String>> entries = new ArrayList<>(map.entrySet());
      Collections.rotate(entries, random.nextInt(7));
      List<String> rotated = new ArrayList<>();
      entries.forEach(
          entry -> {
            rotated.add(entry.getKey());
            rotated.add(entry.getValue());
          });
      assertSame(Labels.of(rotated.toArray(String[]::new)), withoutEmpty(map));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {3, 4})
  void settingALabelPutsItOrRemovesIt(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < ROUNDS; round++) {
      TreeMap<String, String> map = map(random);
      Labels labels = Labels.of(map);
      String name = one(random, NAMES);
      String value = one(random, VALUES);
      map.put(name, value);
      assertSame(labels.with(name, value), withoutEmpty(map));
      assertSame(labels.with(name, value).without(name), withoutEmpty(without(map, Set.of(name))));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {5, 6})
  void ofTwoLabelSetsTheSecondWins(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < ROUNDS; round++) {
      TreeMap<String, String> map = map(random);
      TreeMap<String, String> more = withoutEmpty(map(random));
      Labels labels = Labels.of(map);
      TreeMap<String, String> both = withoutEmpty(map);
      both.putAll(more);
      assertSame(labels.with(Labels.of(more)), both);
      assertThat(labels.with(Labels.EMPTY)).isSameAs(labels);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {7, 8})
  void removingAndKeepingLabelsFollowsTheirNames(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < ROUNDS; round++) {
      TreeMap<String, String> map = withoutEmpty(map(random));
      Labels labels = Labels.of(map);
      Set<String> names = names(random);
      Set<String> withMetric = new HashSet<>(names);
      withMetric.add(Labels.NAME);
      assertSame(labels.without(names), without(map, withMetric));
      Set<String> others = new HashSet<>(NAMES);
      others.removeAll(names);
      assertSame(labels.only(names), without(map, others));
      assertSame(
          labels.withoutMetric(), without(map, Set.of(Labels.NAME, Labels.TYPE, Labels.UNIT)));
      String name = one(random, NAMES);
      assertSame(labels.without(name), without(map, Set.of(name)));
    }
  }

  private static TreeMap<String, String> without(Map<String, String> map, Set<String> names) {
    TreeMap<String, String> left = new TreeMap<>(BY_BYTES);
    left.putAll(map);
    left.keySet().removeAll(names);
    return left;
  }

  @Test
  void whatChangesNothingReturnsTheSameObject() {
    Labels labels = Labels.of("a", "1", "b", "2");
    assertThat(labels.without("c")).isSameAs(labels);
    assertThat(labels.without(Set.of("c"))).isSameAs(labels);
    assertThat(labels.withoutMetric()).isSameAs(labels);
    assertThat(labels.only(Set.of("a", "b"))).isSameAs(labels);
    assertThat(labels.only(Set.of())).isSameAs(Labels.EMPTY);
    assertThat(labels.only(Set.of("c"))).isSameAs(Labels.EMPTY);
  }

  @ParameterizedTest
  @ValueSource(longs = {9, 10})
  void labelSetsAreOrderedByTheirNamesAndValuesInTurn(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < ROUNDS; round++) {
      TreeMap<String, String> one = withoutEmpty(map(random));
      TreeMap<String, String> other = withoutEmpty(map(random));
      int order = Labels.of(one).compareTo(Labels.of(other));
      assertThat(Integer.signum(order)).isEqualTo(Integer.signum(compare(flat(one), flat(other))));
      assertThat(Labels.of(one).equals(Labels.of(other))).isEqualTo(one.equals(other));
      assertThat(order == 0).isEqualTo(one.equals(other));
    }
  }

  private static int compare(List<String> one, List<String> other) {
    Iterator<String> others = other.iterator();
    for (String text : one) {
      if (!others.hasNext()) {
        return 1;
      }
      int order = BY_BYTES.compare(text, others.next());
      if (order != 0) {
        return order;
      }
    }
    return others.hasNext() ? -1 : 0;
  }

  @Test
  void aLabelSetPrintsWithItsNameInFrontOrAmongTheLabels() {
    Labels labels = Labels.of(Labels.NAME, "m", "a", "x\"y", "b", "\\ \n");
    assertThat(labels).hasToString("m{a=\"x\\\"y\", b=\"\\\\ \\n\"}");
    assertThat(labels.braced()).isEqualTo("{__name__=\"m\", a=\"x\\\"y\", b=\"\\\\ \\n\"}");
    assertThat(Labels.EMPTY).hasToString("{}");
    assertThat(Labels.EMPTY.braced()).isEqualTo("{}");
    assertThat(Labels.of(Labels.NAME, "m")).hasToString("m{}");
    assertThat(Labels.of("a", "1")).hasToString("{a=\"1\"}");
  }

  @Test
  void stringsThatAreNoLabelsAreRefusedWithWhatIsWrong() {
    assertThatThrownBy(() -> Labels.of("a", "1", "b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a label set needs names and values in pairs, got 3 strings");
    assertThatThrownBy(() -> Labels.of("", "1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a label has an empty name");
    assertThatThrownBy(() -> Labels.of("a", "1", "a", "1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the label \"a\" occurs twice");
    assertThat(Labels.of("a", "1", "a", "")).isEqualTo(Labels.of("a", "1"));
    assertThat(Labels.of("", "")).isSameAs(Labels.EMPTY);
  }

  @Test
  void aLabelSetIsNotEqualToSomethingElse() {
    assertThat(Labels.of("a", "1").equals("{a=\"1\"}")).isFalse();
    assertThat(Labels.of("a", "1").equals(null)).isFalse();
  }
}
