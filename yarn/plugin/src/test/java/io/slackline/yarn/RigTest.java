package io.slackline.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A small load, under each scheduler: nothing is lost, nothing doubled, and no node has more than it can hold. */
class RigTest {
  /** Two full states and two cuts of the stream are among them; the plug-in is patient. */
  private static final Rig.Load SMALL = new Rig.Load(20, 4, 10, 500, 100, 50, 200, 120_000, 120_000);

  @TempDir Path dir;

  private static void isWell(Map<String, Object> r) {
    assertTrue(Rig.isWell(r), r.toString());
    assertEquals(500L, r.get("tasks done"), r.toString());
    assertEquals(500L + (Long) r.get("surplus, given back") + (Long) r.get("preempted"), r.get("containers"), r.toString());
  }

  @Test
  void underSlackline() throws Exception {
    String program = System.getenv("SLACKLINE_YARN_PROGRAM");
    Assumptions.assumeTrue(program != null, "no SLACKLINE_YARN_PROGRAM");
    Map<String, Object> r = new Rig(SMALL, dir).ours(program, "edf-p");
    isWell(r);
    assertTrue((Long) r.get("resyncs") > 0, r.toString());
    assertTrue((Long) r.get("placed by slackline") > 0, r.toString());
  }

  /** All work once through the slots, and no less than the longest job by itself. */
  @Test
  void inTheSimulator() throws Exception {
    String program = System.getenv("SLACKLINE_YARN_PROGRAM");
    Assumptions.assumeTrue(program != null, "no SLACKLINE_YARN_PROGRAM");
    Map<String, Simulated.Finishes> all = Simulated.play(program, SMALL, List.of("edf-p", "capacity", "fair"), dir);
    assertEquals(3, all.size());
    all.forEach((policy, f) -> {
      assertTrue(f.half() <= f.most() && f.most() <= f.all(), policy + f);
      assertTrue(f.all() >= 500 * 0.125 / (20 * 4 - 10) && f.all() < 10, policy + f);
    });
    assertTrue(all.get("edf-p").half() < all.get("fair").half(), "one after the other, half are done sooner: " + all);
  }

  @Test
  void underCapacity() throws Exception {
    isWell(new Rig(SMALL, dir).stock(CapacityScheduler.class));
  }

  @Test
  void underFair() throws Exception {
    isWell(new Rig(SMALL, dir).stock(FairScheduler.class));
  }

  private static ContainerId container(int n) {
    return ContainerId.newContainerId(ApplicationAttemptId.newInstance(ApplicationId.newInstance(1, 1), 1), n);
  }

  private static ContainerStatus end(int n) {
    return ContainerStatus.newInstance(container(n), ContainerState.COMPLETE, "", 0);
  }

  /** What the rig counts by sees what is wrong. */
  @Test
  void theTallySeesWhatIsWrong() {
    Tally t = new Tally(100);
    for (int n : List.of(1, 2, 3)) {
      assertTrue(t.gives(container(n)));
    }
    assertEquals(3, t.lost(3), "nobody was told their ends");
    t.ends(end(1));
    t.ends(end(2));
    t.ends(end(3));
    assertEquals(0, t.lost(3));
    assertEquals(1, t.lost(4), "one was allocated, and nobody has it");
    assertEquals(1, t.lost(2), "one was given that was never allocated");
    t.ends(end(4)); // before anybody had it
    assertEquals(0, t.lost(4));
    assertEquals(0, t.doubled());
    t.gives(container(2));
    t.ends(end(2));
    assertEquals(2, t.doubled());
    for (int ms : List.of(5, 1, 9, 7)) {
      t.gap(ms);
    }
    assertEquals(5, t.gap(0.5));
    assertEquals(9, t.gap(0.99));
  }
}
