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
  /** A full state of any size is sent in parts, which together are all of it, in order. */
  @Test
  void aFullStateInParts() {
    io.slackline.yarn.v1.Snapshot.Builder b = io.slackline.yarn.v1.Snapshot.newBuilder().setNext(7).setTimeMs(5)
        .addQueues(io.slackline.yarn.v1.Queue.newBuilder().setPath("root"));
    for (int i = 0; i < 5; i++) {
      b.addNodes(io.slackline.yarn.v1.Node.newBuilder().setName("n" + i));
      b.addApplications(io.slackline.yarn.v1.Application.newBuilder().setId("a" + i));
      b.addAsks(io.slackline.yarn.v1.Asks.newBuilder().setApplication("a" + i));
      b.addContainers(io.slackline.yarn.v1.Container.newBuilder().setId("c" + i));
    }
    for (int each : new int[] {1, 3, 20, 100}) {
      io.slackline.yarn.v1.Snapshot.Builder sum = io.slackline.yarn.v1.Snapshot.newBuilder();
      java.util.List<io.slackline.yarn.v1.Snapshot> parts = Link.parts(b.build(), each);
      for (int i = 0; i < parts.size(); i++) {
        assertEquals(i < parts.size() - 1, parts.get(i).getMore());
        assertEquals(7, parts.get(i).getNext());
        sum.mergeFrom(parts.get(i).toBuilder().clearMore().build());
      }
      assertEquals((20 + each - 1) / each, parts.size());
      assertEquals(b.build(), sum.build());
    }
    assertEquals(1, Link.parts(io.slackline.yarn.v1.Snapshot.getDefaultInstance(), 9).size());
  }

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
