package io.slackline.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.slackline.yarn.v1.Answer;
import io.slackline.yarn.v1.Ask;
import io.slackline.yarn.v1.Asks;
import io.slackline.yarn.v1.Event;
import io.slackline.yarn.v1.Item;
import io.slackline.yarn.v1.Judgement;
import io.slackline.yarn.v1.Place;
import io.slackline.yarn.v1.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.security.SecurityUtil;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.api.protocolrecords.NMContainerStatus;
import org.apache.hadoop.yarn.server.resourcemanager.MockAM;
import org.apache.hadoop.yarn.server.resourcemanager.MockNM;
import org.apache.hadoop.yarn.server.resourcemanager.MockRM;
import org.apache.hadoop.yarn.server.resourcemanager.MockRMAppSubmissionData;
import org.apache.hadoop.yarn.server.resourcemanager.MockRMAppSubmitter;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptState;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ResourceScheduler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A real ResourceManager with the plug-in, two nodes, and a peer that stands for Slackline, in one JVM. */
abstract class OneJvm {
  /** Longer than any of what a test waits for takes, on whatever machine: the plug-in is patient unless a test says else. */
  static final long PATIENT_MS = 120_000;

  @TempDir Path dir;
  Peer peer;
  MockRM rm;
  MockNM n1;
  MockNM n2;
  long items;

  @BeforeEach
  void begin() throws Exception {
    SecurityUtil.setTokenServiceUseIp(false); // the nodes have no addresses
    peer = new Peer(0, "shared");
    start(conf("shared", "127.0.0.1:" + peer.port()));
  }

  @AfterEach
  void end() {
    rm.stop();
    peer.close();
  }

  /** Starts a ResourceManager, in place of the one before. */
  void start(YarnConfiguration conf) throws Exception {
    if (rm != null) {
      rm.stop();
    }
    rm = new MockRM(conf);
    rm.start();
    n1 = rm.registerNode("n1:1234", 4096, 4);
    n2 = rm.registerNode("n2:1234", 4096, 4);
  }

  /** Another one, whose plug-in waits for so long for a word, or for a verdict. */
  void startImpatient(long silenceMs, long holdMs) throws Exception {
    YarnConfiguration c = conf("shared", "127.0.0.1:" + peer.port());
    c.setLong(Settings.SILENCE, silenceMs);
    c.setLong(Settings.HOLD, holdMs);
    peer.snapshots.clear();
    start(c);
  }

  YarnConfiguration conf(String secret, String address) throws IOException {
    YarnConfiguration c = new YarnConfiguration();
    c.setClass(YarnConfiguration.RM_SCHEDULER, SlacklineScheduler.class, ResourceScheduler.class);
    c.set("yarn.scheduler.capacity.maximum-am-resource-percent", "1");
    // Its folder else is the same one in /tmp for every ResourceManager that a user starts, and tests start two at a time.
    c.set("yarn.node-attribute.fs-store.root-dir", dir.resolve("attributes").toUri().toString());
    c.set(Settings.ADDRESS, address);
    c.set(Settings.SECRET_FILE, Files.writeString(dir.resolve("secret"), secret + "\n").toString());
    c.setLong(Settings.SILENCE, PATIENT_MS);
    c.setLong(Settings.HOLD, PATIENT_MS);
    return c;
  }

  RMApp submit(String... tags) throws Exception {
    return MockRMAppSubmitter.submit(rm, MockRMAppSubmissionData.Builder.createWithMemory(1024, rm)
        .withAppName("job").withApplicationTags(Set.of(tags)).withWaitForAppAcceptedState(false).build());
  }

  Item.Builder place(RMApp app, int priority, String node, int count) {
    return Item.newBuilder().setId(++items).setPlace(Place.newBuilder().setApplication(app.getApplicationId().toString())
        .addPriorities(priority).setNode(node).setCount(count));
  }

  Item.Builder verdict(RMApp app, Judgement j, String sentence) {
    return Item.newBuilder().setId(++items).setVerdict(Verdict.newBuilder().setApplication(app.getApplicationId().toString())
        .setJudgement(j).setSentence(sentence));
  }

  /** Asks for an item, and returns the answer to it. */
  Answer answer(Item.Builder item) throws InterruptedException {
    peer.ask(item);
    return peer.await(e -> e.hasAnswer() && e.getAnswer().getItem() == item.getId()).getAnswer();
  }

  int live(RMApp app) {
    var report = app.getCurrentAppAttempt() == null ? null
        : rm.getResourceScheduler().getSchedulerAppInfo(app.getCurrentAppAttempt().getAppAttemptId());
    return report == null ? 0 : report.getLiveContainers().size();
  }

  void beat() throws Exception {
    n1.nodeHeartbeat(true);
    n2.nodeHeartbeat(true);
  }

  void until(String what, BooleanSupplier is) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!is.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, what);
      beat();
      Thread.sleep(10);
    }
  }

  /** An application whose ApplicationMaster was placed by us, on n2, and has registered. */
  MockAM master(RMApp app) throws Exception {
    peer.await(e -> e.hasAsks() && e.getAsks().getApplication().equals(app.getApplicationId().toString()) && count(e.getAsks(), 0) == 1);
    peer.ask(place(app, 0, "n2", 1));
    Event c = peer.await(Event::hasContainer);
    assertEquals("n2", c.getContainer().getNode());
    return registered(app);
  }

  /** The ApplicationMaster of an application, once it was placed. */
  MockAM registered(RMApp app) throws Exception {
    var attempt = app.getCurrentAppAttempt().getAppAttemptId();
    rm.waitForState(attempt, RMAppAttemptState.ALLOCATED);
    MockAM am = rm.sendAMLaunched(attempt);
    am.registerAppAttempt();
    return am;
  }

  /** An application whose ApplicationMaster runs on n2, and so many containers of 1 GB on n1, which were picked up. */
  List<ContainerId> running(RMApp app, MockAM am, int n) throws Exception {
    am.allocate("*", 1024, n, List.of());
    peer.await(e -> e.hasAsks() && count(e.getAsks(), 1) == n);
    peer.ask(place(app, 1, "n1", n));
    List<ContainerId> list = new ArrayList<>();
    while (list.size() < n) {
      list.add(ContainerId.fromString(peer.await(Event::hasContainer).getContainer().getId()));
    }
    am.allocate(List.of(), List.of());
    for (ContainerId c : list) {
      n1.nodeHeartbeat(app.getCurrentAppAttempt().getAppAttemptId(), c.getContainerId(), ContainerState.RUNNING);
    }
    return list;
  }

  void says(MockNM node, RMApp app, ContainerId c, ContainerState s, int exit) throws Exception {
    node.nodeHeartbeat(Map.of(app.getApplicationId(), List.of(ContainerStatus.newInstance(c, s, "", exit))), true);
  }

  /** The nodes come to the ResourceManager that serves now, with what runs there: these containers on n1, the master on n2. */
  void comeWith(RMApp app, List<ContainerId> maps) throws Exception {
    n1.setResourceTrackerService(rm.getResourceTrackerService());
    n2.setResourceTrackerService(rm.getResourceTrackerService());
    long since = app.getSubmitTime();
    List<NMContainerStatus> runs = new ArrayList<>();
    for (ContainerId m : maps) {
      runs.add(NMContainerStatus.newInstance(m, 0, ContainerState.RUNNING, Resource.newInstance(1024, 1), "", 0, Priority.newInstance(1), since));
    }
    ContainerId master = app.getCurrentAppAttempt().getMasterContainer().getId();
    n1.registerNode(runs, List.of(app.getApplicationId()));
    n2.registerNode(List.of(NMContainerStatus.newInstance(master, 0, ContainerState.RUNNING, Resource.newInstance(1024, 1), "", 0,
        Priority.newInstance(0), since)), List.of(app.getApplicationId()));
  }

  static int count(Asks asks, int priority) {
    return asks.getRowsList().stream().filter(r -> r.getPriority() == priority && r.getPlace().equals("*")).mapToInt(Ask::getCount).sum();
  }
}
