package io.slackline.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.slackline.yarn.v1.Application;
import io.slackline.yarn.v1.Event;
import io.slackline.yarn.v1.Mode;
import io.slackline.yarn.v1.Queue;
import io.slackline.yarn.v1.Why;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.thirdparty.com.google.common.util.concurrent.SettableFuture;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateRequest;
import org.apache.hadoop.yarn.api.records.ExecutionType;
import org.apache.hadoop.yarn.api.records.ExecutionTypeRequest;
import org.apache.hadoop.yarn.api.records.NodeLabel;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceSizing;
import org.apache.hadoop.yarn.api.records.SchedulingRequest;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.MockAM;
import org.apache.hadoop.yarn.server.resourcemanager.MockRMAppSubmissionData;
import org.apache.hadoop.yarn.server.resourcemanager.MockRMAppSubmitter;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppState;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptState;
import org.junit.jupiter.api.Test;

/** The queues of a ResourceManager, applications that Slackline does not know, and a plug-in that cannot start. */
class QueuesTest extends OneJvm {
  private static final String Q = "yarn.scheduler.capacity.root.";

  /** A site with queues a (75 %, which may have all) and b (25 %, no more). */
  private YarnConfiguration site() throws Exception {
    YarnConfiguration c = conf("shared", "127.0.0.1:" + peer.port());
    c.set(Q + "queues", "a,b");
    c.set(Q + "a.capacity", "75");
    c.set(Q + "b.capacity", "25");
    c.set(Q + "b.maximum-capacity", "25");
    c.set(Q + "b.user-limit-factor", "4");
    c.set(Q + "b.max-parallel-apps", "1");
    c.set("yarn.cluster.max-application-priority", "10");
    return c;
  }

  private Map<String, Queue> startSite(YarnConfiguration c) throws Exception {
    peer.snapshots.clear();
    start(c);
    var s = peer.awaitMode(Mode.MODE_OURS);
    return byPath(s.getQueuesList());
  }

  private static Map<String, Queue> byPath(List<Queue> all) {
    return all.stream().collect(Collectors.toMap(Queue::getPath, Function.identity()));
  }

  private RMApp submitTo(String queue) throws Exception {
    return MockRMAppSubmitter.submit(rm, MockRMAppSubmissionData.Builder.createWithMemory(1024, rm)
        .withAppName("job").withQueue(queue).withWaitForAppAcceptedState(false).build());
  }

  @Test
  void tellsTheQueuesAndWhatBecomesOfThem() throws Exception {
    Map<String, Queue> told = startSite(site());
    assertEquals(Set.of("root", "root.a", "root.b"), told.keySet());
    Queue b = told.get("root.b");
    assertEquals(25, b.getCapacity(), 1e-6);
    assertEquals(25, b.getMaximum(), 1e-6);
    assertEquals(100, told.get("root.a").getMaximum(), 1e-6);
    assertEquals(1, b.getRunning());
    assertEquals(0, told.get("root.a").getRunning());
    assertEquals(100, b.getMasters(), 1e-6);
    assertEquals(4, b.getUserFactor(), 1e-6);
    YarnConfiguration next = site();
    next.set(Q + "b.maximum-capacity", "50");
    next.set(Q + "b.state", "STOPPED");
    rm.getResourceScheduler().reinitialize(next, rm.getRMContext());
    b = byPath(peer.await(Event::hasQueues).getQueues().getQueuesList()).get("root.b");
    assertEquals(50, b.getMaximum(), 1e-6);
    assertTrue(b.getClosed());
  }

  @Test
  void tellsWhoIsMovedAndWhoGetsAnotherPriority() throws Exception {
    startSite(site());
    RMApp app = submitTo("a");
    master(app);
    SlacklineScheduler s = (SlacklineScheduler) rm.getResourceScheduler();
    s.moveApplication(app.getApplicationId(), "b");
    assertEquals("root.b", peer.await(Event::hasApplication).getApplication().getQueue());
    s.updateApplicationPriority(Priority.newInstance(7), app.getApplicationId(), SettableFuture.create(), UserGroupInformation.getCurrentUser());
    assertEquals(7, peer.await(Event::hasApplication).getApplication().getPriority());
  }

  /** The stock scheduler would run one application of the queue at a time, so nothing is placed of another, whoever asks for it. */
  @Test
  void placesNothingThatTheStockSchedulerWouldNot() throws Exception {
    startSite(site());
    RMApp first = submitTo("b");
    MockAM am = master(first);
    RMApp second = submitTo("b");
    var asks = peer.await(e -> e.hasAsks() && e.getAsks().getApplication().equals(second.getApplicationId().toString())).getAsks();
    assertEquals(0, asks.getRowsCount(), "it asks for nothing before its queue lets it run");
    assertEquals(Why.WHY_NOT_ADMITTED, answer(place(second, 0, "n1", 1)).getWhy());
    am.allocate("*", 1024, 4, List.of());
    peer.await(e -> e.hasAsks() && count(e.getAsks(), 1) == 4);
    var got = answer(place(first, 1, "n1", 4)); // the queue may have 2 GB of 8, one of which its master has
    assertEquals(1, got.getGranted());
    assertEquals(Why.WHY_LIMIT, got.getWhy());
    am.unregisterAppAttempt();
    n2.nodeHeartbeat(first.getCurrentAppAttempt().getAppAttemptId(), 1, org.apache.hadoop.yarn.api.records.ContainerState.COMPLETE);
    rm.waitForState(first.getApplicationId(), RMAppState.FINISHED);
    asks = peer.await(e -> e.hasAsks() && e.getAsks().getApplication().equals(second.getApplicationId().toString())
        && count(e.getAsks(), 0) == 1).getAsks();
    assertEquals(1, answer(place(second, 0, "n1", 1)).getGranted(), asks.toString());
  }

  /** Where YARN takes back what a queue has beyond its capacity, nobody gets that while another queue lacks of its own. */
  @Test
  void placesNothingThatYarnWouldTakeBack() throws Exception {
    YarnConfiguration c = site(); // a has 6 GB of 8, b 2
    c.setBoolean(YarnConfiguration.RM_SCHEDULER_ENABLE_MONITORS, true);
    c.set("yarn.resourcemanager.monitor.capacity.preemption.monitoring_interval", "3600000");
    Map<String, Queue> told = startSite(c);
    assertEquals(Set.of("root", "root.a", "root.b"), told.keySet());
    assertTrue(told.get("root.a").getPreempted());
    RMApp rich = submitTo("a");
    MockAM am = master(rich);
    am.allocate("*", 1024, 8, List.of());
    peer.await(e -> e.hasAsks() && count(e.getAsks(), 1) == 8);
    assertEquals(3, answer(place(rich, 1, "n1", 3)).getGranted());
    assertEquals(3, answer(place(rich, 1, "n2", 3)).getGranted(), "nobody else wants it: 7 GB");
    RMApp poor = submitTo("b");
    peer.await(e -> e.hasAsks() && e.getAsks().getApplication().equals(poor.getApplicationId().toString()) && count(e.getAsks(), 0) == 1);
    var refused = answer(place(rich, 1, "n1", 1));
    assertEquals(0, refused.getGranted());
    assertEquals(Why.WHY_OWED, refused.getWhy());
    assertEquals(1, answer(place(poor, 0, "n1", 1)).getGranted(), "b lacks of its own");
  }

  /** A queue from which nothing is taken back may have what others lack, and all may where YARN takes nothing back. */
  @Test
  void withoutPreemptionACapacityIsNoLimit() throws Exception {
    for (String off : List.of("yarn.resourcemanager.monitor.capacity.preemption.observe_only", Q + "a.disable_preemption", "")) {
      YarnConfiguration c = site();
      c.setBoolean(YarnConfiguration.RM_SCHEDULER_ENABLE_MONITORS, !off.isEmpty());
      c.set("yarn.resourcemanager.monitor.capacity.preemption.monitoring_interval", "3600000");
      if (!off.isEmpty()) {
        c.setBoolean(off, true);
      }
      assertFalse(startSite(c).get("root.a").getPreempted(), off);
      RMApp rich = submitTo("a");
      MockAM am = master(rich);
      submitTo("b");
      am.allocate("*", 1024, 8, List.of());
      peer.await(e -> e.hasAsks() && count(e.getAsks(), 1) == 8);
      assertEquals(4, answer(place(rich, 1, "n1", 4)).getGranted());
      assertEquals(2, answer(place(rich, 1, "n2", 2)).getGranted(), off + ": 7 GB of 6");
    }
  }

  /** Masters wait for each other as long as the stock scheduler would have them wait. */
  @Test
  void mastersTakeWhatTheirQueueLetsThem() throws Exception {
    YarnConfiguration c = conf("shared", "127.0.0.1:" + peer.port());
    c.set("yarn.scheduler.capacity.maximum-am-resource-percent", "0.25"); // 2 GB of 8
    startSite(c);
    RMApp one = submit();
    master(one);
    RMApp two = submit();
    master(two);
    RMApp three = submit();
    peer.await(e -> e.hasAsks() && e.getAsks().getApplication().equals(three.getApplicationId().toString()) && e.getAsks().getRowsCount() == 0);
    assertEquals(Why.WHY_NOT_ADMITTED, answer(place(three, 0, "n1", 1)).getWhy());
    rm.killApp(one.getApplicationId());
    peer.await(e -> e.hasAsks() && e.getAsks().getApplication().equals(three.getApplicationId().toString()) && count(e.getAsks(), 0) == 1);
    assertEquals(1, answer(place(three, 0, "n1", 1)).getGranted());
  }

  /** What asks by constraints is served by the stock scheduler at beats, and Slackline is told why. */
  @Test
  void leavesConstraintsToTheStockScheduler() throws Exception {
    YarnConfiguration c = conf("shared", "127.0.0.1:" + peer.port());
    c.set(YarnConfiguration.RM_PLACEMENT_CONSTRAINTS_HANDLER, YarnConfiguration.SCHEDULER_RM_PLACEMENT_CONSTRAINTS_HANDLER);
    startSite(c);
    RMApp other = submit();
    MockAM waits = master(other);
    waits.allocate("*", 1024, 2, List.of());
    RMApp app = submit();
    MockAM am = master(app);
    AllocateRequest ask = AllocateRequest.newInstance(0, 0, List.of(), List.of(), null);
    ask.setSchedulingRequests(List.of(SchedulingRequest.newInstance(1, Priority.newInstance(1),
        ExecutionTypeRequest.newInstance(ExecutionType.GUARANTEED), Set.of("t"), ResourceSizing.newInstance(3, Resource.newInstance(1024, 1)), null)));
    am.allocate(ask);
    Application told = peer.await(e -> e.hasApplication() && !e.getApplication().getStock().isEmpty()).getApplication();
    assertEquals(app.getApplicationId().toString(), told.getId());
    assertEquals("placement constraints", told.getStock());
    until("all that it asks for is there", () -> live(app) == 4);
    assertEquals(Why.WHY_STALE, answer(place(app, 1, "n1", 1)).getWhy());
    assertEquals(1, live(other), "the stock scheduler serves nobody else");
    assertEquals(1, answer(place(other, 1, "n1", 1)).getGranted());
  }

  /** The stock scheduler places all work on nodes of a partition, also of those who ask for none where it shares what is idle. */
  @Test
  void leavesPartitionsToTheStockScheduler() throws Exception {
    for (boolean exclusive : List.of(true, false)) {
      YarnConfiguration c = conf("shared", "127.0.0.1:" + peer.port());
      c.setBoolean(YarnConfiguration.NODE_LABELS_ENABLED, true);
      c.set(YarnConfiguration.FS_NODE_LABELS_STORE_ROOT_DIR, dir.resolve("labels-" + exclusive).toUri().toString());
      c.set("yarn.scheduler.capacity.root.accessible-node-labels", "x");
      c.set("yarn.scheduler.capacity.root.accessible-node-labels.x.capacity", "100");
      c.set(Q + "default.accessible-node-labels", "x");
      c.set(Q + "default.accessible-node-labels.x.capacity", "100");
      startSite(c);
      var labels = rm.getRMContext().getNodeLabelManager();
      labels.addToCluserNodeLabels(List.of(NodeLabel.newInstance("x", exclusive)));
      labels.replaceLabelsOnNode(Map.of(n1.getNodeId(), Set.of("x")));
      rm.getResourceScheduler().reinitialize(c, rm.getRMContext());
      peer.await(e -> e.hasNodeChanged() && e.getNodeChanged().getPartition().equals("x") || e.hasNodeUp() && e.getNodeUp().getPartition().equals("x"));
      RMApp app = submit();
      MockAM am = master(app);
      am.allocate("*", 1024, 3, List.of());
      peer.await(e -> e.hasAsks() && count(e.getAsks(), 1) == 3);
      for (int i = 0; i < 30; i++) {
        beat();
        Thread.sleep(5);
      }
      assertEquals(exclusive ? 1 : 4, live(app), "it asks for no partition, and that is shared: " + !exclusive);
    }
  }

  /** Where the stock scheduler places work at beats it goes on to, and rests while Slackline places work. */
  @Test
  void aSiteThatPlacesAtBeats() throws Exception {
    YarnConfiguration c = conf("shared", "127.0.0.1:" + peer.port());
    c.setBoolean("yarn.scheduler.capacity.schedule-asynchronously.enable", false);
    startSite(c);
    RMApp app = submit();
    peer.await(Event::hasAsks);
    for (int i = 0; i < 20; i++) {
      beat();
      Thread.sleep(5);
    }
    assertEquals(0, live(app));
    peer.wants(Mode.MODE_STOCK);
    until("the stock scheduler serves it", () -> live(app) == 1);
  }

  /** Nothing that is wrong with the plug-in keeps a ResourceManager from its work. */
  @Test
  void runsAsStockWhateverIsWrong() throws Exception {
    String good = "127.0.0.1:" + peer.port();
    for (String wrong : List.of("missing", "empty", "unreadable", "unnamed", "far", "number", "tls")) {
      YarnConfiguration c = conf("shared", good);
      switch (wrong) {
        case "missing" -> c.set(Settings.SECRET_FILE, dir.resolve("nowhere").toString());
        case "empty" -> c.set(Settings.SECRET_FILE, Files.writeString(dir.resolve("nothing"), "\n").toString());
        case "unreadable" -> c.set(Settings.SECRET_FILE, Files.createDirectories(dir.resolve("folder"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("---------"))).toString());
        case "unnamed" -> c.unset(Settings.SECRET_FILE);
        case "far" -> c.set(Settings.ADDRESS, "slackline.example.org:7447");
        case "number" -> c.set(Settings.SILENCE, "soon");
        default -> c.set(Settings.TLS, dir.toString());
      }
      start(c);
      RMApp app = submit("in:600");
      until("the stock scheduler places its master: " + wrong, () -> live(app) == 1);
      rm.waitForState(app.getCurrentAppAttempt().getAppAttemptId(), RMAppAttemptState.ALLOCATED);
    }
  }
}
