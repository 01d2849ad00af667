package io.slackline.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.slackline.yarn.v1.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What waits to be told, without a ResourceManager. */
class NewsTest {
  /** Many nodes are told a part at a time, who has beaten first is told first, and nobody twice. */
  @Test
  void manyHeartbeats() {
    News n = new News();
    for (int i = 0; i < 1000; i++) {
      n.beat("n" + i % 500);
    }
    List<String> told = new ArrayList<>();
    while (true) {
      List<Event> some = new ArrayList<>();
      n.take(some, false);
      assertEquals(0, some.size());
      n.take(some, true);
      if (some.isEmpty()) {
        break;
      }
      assertTrue(some.get(0).getHeartbeats().getNamesCount() <= 10);
      told.addAll(some.get(0).getHeartbeats().getNamesList());
    }
    assertEquals(IntStream.range(0, 500).mapToObj(i -> "n" + i).toList(), told);
  }
}
