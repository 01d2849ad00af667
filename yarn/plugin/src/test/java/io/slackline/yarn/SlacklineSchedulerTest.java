package io.slackline.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.slackline.yarn.v1.Application;
import io.slackline.yarn.v1.Ask;
import io.slackline.yarn.v1.Asks;
import io.slackline.yarn.v1.Cause;
import io.slackline.yarn.v1.End;
import io.slackline.yarn.v1.Event;
import io.slackline.yarn.v1.Item;
import io.slackline.yarn.v1.Judgement;
import io.slackline.yarn.v1.Kill;
import io.slackline.yarn.v1.Mode;
import io.slackline.yarn.v1.Place;
import io.slackline.yarn.v1.Snapshot;
import io.slackline.yarn.v1.Verdict;
import io.slackline.yarn.v1.Why;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.security.SecurityUtil;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.MockAM;
import org.apache.hadoop.yarn.server.resourcemanager.MockNM;
import org.apache.hadoop.yarn.server.resourcemanager.MockRM;
import org.apache.hadoop.yarn.server.resourcemanager.MockRMAppSubmissionData;
import org.apache.hadoop.yarn.server.resourcemanager.MockRMAppSubmitter;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppState;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ResourceScheduler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real ResourceManager with the plug-in, and a peer that stands for Slackline, in one JVM. */
class SlacklineSchedulerTest {
  @TempDir Path dir;
  private Peer peer;
  private MockRM rm;
  private MockNM n1;
  private MockNM n2;
  private long items;

  @BeforeEach
  void begin() throws Exception {
    SecurityUtil.setTokenServiceUseIp(false); // the nodes have no addresses
    peer = new Peer(0, "shared");
    rm = new MockRM(conf("shared", "127.0.0.1:" + peer.port()));
    rm.start();
    n1 = rm.registerNode("n1:1234", 4096, 4);
    n2 = rm.registerNode("n2:1234", 4096, 4);
  }

  @AfterEach
  void end() {
    rm.stop();
    peer.close();
  }

  private YarnConfiguration conf(String secret, String address) throws IOException {
    YarnConfiguration c = new YarnConfiguration();
    c.setClass(YarnConfiguration.RM_SCHEDULER, SlacklineScheduler.class, ResourceScheduler.class);
    c.set("yarn.scheduler.capacity.maximum-am-resource-percent", "1");
    c.set(Settings.ADDRESS, address);
    c.set(Settings.SECRET_FILE, Files.writeString(dir.resolve("secret"), secret + "\n").toString());
    return c;
  }

  private RMApp submit(String... tags) throws Exception {
    return MockRMAppSubmitter.submit(rm, MockRMAppSubmissionData.Builder.createWithMemory(1024, rm)
        .withAppName("job").withApplicationTags(Set.of(tags)).withWaitForAppAcceptedState(false).build());
  }

  private Item.Builder place(RMApp app, int priority, String node, int count) {
    return Item.newBuilder().setId(++items).setPlace(Place.newBuilder().setApplication(app.getApplicationId().toString())
        .addPriorities(priority).setNode(node).setCount(count));
  }

  private int live(RMApp app) {
    var report = app.getCurrentAppAttempt() == null ? null
        : rm.getResourceScheduler().getSchedulerAppInfo(app.getCurrentAppAttempt().getAppAttemptId());
    return report == null ? 0 : report.getLiveContainers().size();
  }

  private void beat() throws Exception {
    n1.nodeHeartbeat(true);
    n2.nodeHeartbeat(true);
  }

  private void until(String what, BooleanSupplier is) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!is.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, what);
      beat();
      Thread.sleep(10);
    }
  }

  /** An application whose ApplicationMaster was placed by us and has registered. */
  private MockAM master(RMApp app) throws Exception {
    peer.await(e -> e.hasAsks() && count(e.getAsks(), 0) == 1);
    peer.ask(place(app, 0, "n2", 1));
    Event c = peer.await(Event::hasContainer);
    assertEquals("n2", c.getContainer().getNode());
    rm.waitForState(app.getCurrentAppAttempt().getAppAttemptId(),
        org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptState.ALLOCATED);
    MockAM am = rm.sendAMLaunched(app.getCurrentAppAttempt().getAppAttemptId());
    am.registerAppAttempt();
    return am;
  }

  private static int count(Asks asks, int priority) {
    return asks.getRowsList().stream().filter(r -> r.getPriority() == priority && r.getPlace().equals("*")).mapToInt(Ask::getCount).sum();
  }

  @Test
  void placesWhatItIsAskedForAndNothingElse() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    assertTrue(peer.proven);
    RMApp app = submit();
    Application told = peer.await(Event::hasApplication).getApplication();
    assertEquals(app.getApplicationId().toString(), told.getId());
    assertEquals(1024L, told.getMasterMap().get("memory-mb"));
    for (int i = 0; i < 20; i++) { // time for the stock scheduler, if it were at work
      beat();
      Thread.sleep(10);
    }
    assertEquals(0, live(app));
    MockAM am = master(app);

    am.allocate("*", 1024, 3, java.util.List.of());
    Asks asks = peer.await(e -> e.hasAsks() && count(e.getAsks(), 1) == 3).getAsks();
    assertTrue(asks.getApplied() >= 1, "the asks account for the item that placed the master");
    peer.ask(place(app, 1, "n1", 2));
    Event answer = peer.await(e -> e.hasAnswer() && e.getAnswer().getItem() == items);
    assertEquals(2, answer.getAnswer().getGranted());
    peer.ask(place(app, 1, "n1", 9)); // one is left to ask for
    answer = peer.await(e -> e.hasAnswer() && e.getAnswer().getItem() == items);
    assertEquals(1, answer.getAnswer().getGranted());
    assertEquals(8, answer.getAnswer().getRefused());
    assertEquals(Why.WHY_STALE, answer.getAnswer().getWhy());
    assertEquals(4, live(app));
    peer.ask(place(app, 1, "nowhere", 1));
    assertEquals(Why.WHY_NODE_AWAY, peer.await(e -> e.hasAnswer() && e.getAnswer().getItem() == items).getAnswer().getWhy());
  }

  @Test
  void killsWithoutCountingAFailure() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    RMApp app = submit();
    MockAM am = master(app);
    am.allocate("*", 1024, 1, java.util.List.of());
    peer.await(e -> e.hasAsks() && count(e.getAsks(), 1) == 1);
    peer.ask(place(app, 1, "n1", 1));
    String id = peer.await(Event::hasContainer).getContainer().getId();
    peer.ask(Item.newBuilder().setId(++items).setKill(Kill.newBuilder().addContainers(id).addContainers("container_1_0001_01_000099")));
    Event end = peer.await(Event::hasCompletion);
    assertEquals(id, end.getCompletion().getContainer());
    assertEquals(Cause.CAUSE_PREEMPTED, end.getCompletion().getCause());
    Event none = peer.await(Event::hasAnswer);
    while (!none.getAnswer().getContainer().equals("container_1_0001_01_000099")) {
      none = peer.await(Event::hasAnswer);
    }
    assertEquals(Why.WHY_STALE, none.getAnswer().getWhy());
  }

  @Test
  void refusesAtSubmissionWithTheSentence() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    RMApp app = submit("in:12");
    Application told = peer.await(Event::hasApplication).getApplication();
    assertTrue(told.getHeld());
    assertEquals(RMAppState.SUBMITTED, app.getState());
    peer.ask(Item.newBuilder().setId(++items).setVerdict(Verdict.newBuilder().setApplication(told.getId())
        .setJudgement(Judgement.JUDGEMENT_REJECT).setSentence("it needs 74 s and has 12 s")));
    rm.waitForState(app.getApplicationId(), RMAppState.FAILED);
    assertTrue(app.getDiagnostics().toString().contains("slackline: it needs 74 s and has 12 s"), app.getDiagnostics().toString());
    assertEquals(End.END_FAILED, peer.await(Event::hasApplicationEnd).getApplicationEnd().getEnd());
  }

  @Test
  void letsInWhoIsAdmittedAndWhoNobodyAnswers() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    RMApp app = submit("in:600");
    String id = peer.await(Event::hasApplication).getApplication().getId();
    peer.ask(Item.newBuilder().setId(++items).setVerdict(Verdict.newBuilder().setApplication(id).setJudgement(Judgement.JUDGEMENT_ADMIT)));
    rm.waitForState(app.getApplicationId(), RMAppState.ACCEPTED);
    RMApp other = submit("in:600");
    rm.waitForState(other.getApplicationId(), RMAppState.ACCEPTED); // after the time that it waits at most
  }

  @Test
  void stockSchedulingServesWhenThePeerIsSilentOrGoneAndGivesBack() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    peer.silent = true;
    RMApp first = submit("in:600");
    until("the stock scheduler places the master", () -> live(first) == 1);
    peer.silent = false;
    Snapshot s = peer.awaitMode(Mode.MODE_OURS); // the plug-in has attached again
    assertEquals(2, s.getNodesCount());
    assertEquals(1, s.getContainersCount());
    int port = peer.port();
    peer.close();
    RMApp second = submit();
    until("the stock scheduler places the second master", () -> live(second) == 1);
    peer = new Peer(port, "shared");
    peer.awaitMode(Mode.MODE_OURS);
    RMApp third = submit();
    peer.await(e -> e.hasAsks() && e.getAsks().getApplication().equals(third.getApplicationId().toString()));
    assertEquals(0, live(third));
  }

  @Test
  void watchesWithoutDoingAnything() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    peer.wants(Mode.MODE_WATCH);
    peer.awaitMode(Mode.MODE_WATCH);
    RMApp app = submit();
    until("the stock scheduler places the master", () -> live(app) == 1);
    assertEquals(0, peer.await(Event::hasContainer).getContainer().getItem());
    peer.ask(place(app, 0, "n2", 1));
    assertEquals(Why.WHY_WATCHED, peer.await(Event::hasAnswer).getAnswer().getWhy());
  }

  @Test
  void staysAwayFromAPeerThatDoesNotKnowTheSecret() throws Exception {
    int port = peer.port();
    peer.close();
    peer = new Peer(port, "guessed");
    RMApp app = submit("in:600");
    until("the stock scheduler places the master", () -> live(app) == 1);
    assertFalse(peer.proven);
    assertEquals(0, peer.snapshots.size());
  }

  /** With a real Slackline at the other end, which places all there is: see TestPlugin in internal/worlds/yarn. */
  @Test
  void isServedByARealSlackline() throws Exception {
    String address = System.getenv("SLACKLINE_YARN_ADDRESS");
    Assumptions.assumeTrue(address != null, "no SLACKLINE_YARN_ADDRESS");
    rm.stop();
    rm = new MockRM(conf("shared", address));
    rm.start();
    n1 = rm.registerNode("n1:1234", 4096, 4);
    n2 = rm.registerNode("n2:1234", 4096, 4);
    RMApp app = submit("in:600");
    until("the master is placed", () -> live(app) == 1);
    var attempt = app.getCurrentAppAttempt().getAppAttemptId();
    rm.waitForState(attempt, org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptState.ALLOCATED);
    MockAM am = rm.sendAMLaunched(attempt);
    am.registerAppAttempt();
    am.allocate("*", 1024, 5, java.util.List.of());
    until("all containers are placed", () -> live(app) == 6);
    am.unregisterAppAttempt();
    MockNM host = app.getCurrentAppAttempt().getMasterContainer().getNodeId().getHost().equals("n1") ? n1 : n2;
    host.nodeHeartbeat(attempt, 1, ContainerState.COMPLETE);
    rm.waitForState(app.getApplicationId(), RMAppState.FINISHED);
    RMApp next = submit(); // which is placed by somebody who was told of the end of the first
    until("the next master is placed", () -> live(next) == 1);
  }

  @Test
  void saysWhatIsWrongWithItsSettings() throws Exception {
    YarnConfiguration c = conf("", "127.0.0.1:7447");
    assertTrue(assertThrows(IOException.class, () -> new Settings(c)).getMessage().endsWith("is empty"));
    YarnConfiguration far = conf("shared", "slackline.example.org:7447");
    assertTrue(assertThrows(IOException.class, () -> new Settings(far)).getMessage().contains("has to stay on this machine"));
  }
}
