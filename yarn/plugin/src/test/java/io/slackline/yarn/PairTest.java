package io.slackline.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.slackline.yarn.v1.Answer;
import io.slackline.yarn.v1.Event;
import io.slackline.yarn.v1.Item;
import io.slackline.yarn.v1.Judgement;
import io.slackline.yarn.v1.Mode;
import io.slackline.yarn.v1.Snapshot;
import io.slackline.yarn.v1.Why;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.ha.HAServiceProtocol.RequestSource;
import org.apache.hadoop.ha.HAServiceProtocol.StateChangeRequestInfo;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.HATestUtil;
import org.apache.hadoop.yarn.server.resourcemanager.MockAM;
import org.apache.hadoop.yarn.server.resourcemanager.MockRM;
import org.apache.hadoop.yarn.server.resourcemanager.MockRMAppSubmissionData;
import org.apache.hadoop.yarn.server.resourcemanager.MockRMAppSubmitter;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.server.resourcemanager.recovery.FileSystemRMStateStore;
import org.apache.hadoop.yarn.server.resourcemanager.recovery.RMStateStore;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two ResourceManagers, of which one serves: applications outlive a failover, and Slackline hears of the one that serves. */
class PairTest extends OneJvm {
  private static final StateChangeRequestInfo USER = new StateChangeRequestInfo(RequestSource.REQUEST_BY_USER);
  private MockRM first;
  private MockRM second;
  private int others = 100;

  @AfterEach
  void endBoth() {
    first.stop();
    second.stop();
  }

  /** One of the pair, as each machine of a site is configured. */
  private YarnConfiguration member(String id, String secret) throws Exception {
    YarnConfiguration c = conf(secret, "127.0.0.1:" + peer.port());
    c.setBoolean(YarnConfiguration.RM_HA_ENABLED, true);
    c.setBoolean(YarnConfiguration.AUTO_FAILOVER_ENABLED, false);
    c.set(YarnConfiguration.RM_HA_IDS, "rm1,rm2");
    c.set(YarnConfiguration.RM_HA_ID, id);
    c.set(YarnConfiguration.RM_CLUSTER_ID, "pair");
    HATestUtil.setRpcAddressForRM("rm1", 10000, c);
    HATestUtil.setRpcAddressForRM("rm2", 20000, c);
    c.setBoolean(YarnConfiguration.RECOVERY_ENABLED, true);
    c.setBoolean(YarnConfiguration.RM_WORK_PRESERVING_RECOVERY_ENABLED, true);
    c.setLong(YarnConfiguration.RM_WORK_PRESERVING_RECOVERY_SCHEDULING_WAIT_MS, 1000);
    c.setClass(YarnConfiguration.RM_STORE, FileSystemRMStateStore.class, RMStateStore.class);
    c.set(YarnConfiguration.FS_RM_STATE_STORE_URI, dir.resolve("store").toUri().toString());
    return c;
  }

  /** Starts both; the first one serves. */
  private void begin(YarnConfiguration c1, YarnConfiguration c2) throws Exception {
    rm.stop();
    peer.snapshots.clear();
    peer.lives.clear();
    peer.clusters.clear();
    first = new MockRM(c1);
    second = new MockRM(c2);
    first.start();
    second.start();
    first.getRMContext().getRMAdminService().transitionToActive(USER);
    rm = first;
    n1 = rm.registerNode("n1:1234", 16384, 16); // who becomes active reads the share of masters from files: a tenth
    n2 = rm.registerNode("n2:1234", 16384, 16);
  }

  private void failover(MockRM from, MockRM to) throws Exception {
    peer.snapshots.clear();
    from.getRMContext().getRMAdminService().transitionToStandby(USER);
    to.getRMContext().getRMAdminService().transitionToActive(USER);
    rm = to;
  }

  /** Places containers, as soon as the ResourceManager is ready for that after it was started. */
  private void placed(Item.Builder item, int granted) throws Exception {
    Answer a = answer(item);
    for (; a.getGranted() == 0; a = answer(item.setId(++items))) {
      assertEquals(Why.WHY_NOT_SERVING, a.getWhy());
    }
    assertEquals(granted, a.getGranted());
  }

  /** An application with its master and two more containers, all of them placed by us. */
  private List<ContainerId> runs(RMApp app) throws Exception {
    peer.await(e -> e.hasAsks() && count(e.getAsks(), 0) == 1);
    placed(place(app, 0, "n2", 1), 1);
    MockAM am = registered(app);
    return running(app, am, 2);
  }

  /** One whose number no other has: two ResourceManagers in one JVM count from the same instant. */
  private RMApp another() throws Exception {
    return MockRMAppSubmitter.submit(rm, MockRMAppSubmissionData.Builder.createWithMemory(1024, rm).withAppName("another")
        .withApplicationTags(Set.of("in:600")).withWaitForAppAcceptedState(false)
        .withApplicationId(ApplicationId.newInstance(ResourceManager.getClusterTimeStamp(), ++others)).build());
  }

  private RMApp recovered(RMApp app) throws Exception {
    RMApp again = rm.getRMContext().getRMApps().get(app.getApplicationId());
    rm.waitForState(again.getCurrentAppAttempt().getAppAttemptId(), RMAppAttemptState.LAUNCHED);
    until("what runs is known again", () -> live(again) == 3);
    return again;
  }

  @Test
  void applicationsOutliveAFailoverAndTheWayBack() throws Exception {
    begin(member("rm1", "shared"), member("rm2", "shared"));
    peer.awaitMode(Mode.MODE_OURS);
    assertEquals(1, peer.lives.size(), "only the one that serves attaches");
    RMApp app = submit("in:600");
    peer.await(Event::hasApplication);
    peer.ask(verdict(app, Judgement.JUDGEMENT_ADMIT, ""));
    List<ContainerId> maps = runs(app);

    for (MockRM[] way : new MockRM[][] {{first, second}, {second, first}}) {
      int lives = peer.lives.size();
      failover(way[0], way[1]);
      comeWith(app, maps);
      RMApp again = recovered(app);
      Snapshot told = peer.awaitSnapshot(s -> s.getMode() == Mode.MODE_OURS && s.getContainersCount() == 3);
      assertEquals(lives + 1, peer.lives.size());
      assertEquals(Set.of("pair"), peer.clusters, "both are the same cluster");
      assertEquals(app.getApplicationId().toString(), told.getApplications(0).getId());
      assertEquals(app.getSubmitTime(), told.getApplications(0).getSubmitTimeMs());
      RMApp another = another();
      peer.await(e -> e.hasApplication() && e.getApplication().getId().equals(another.getApplicationId().toString()));
      peer.ask(verdict(another, Judgement.JUDGEMENT_ADMIT, ""));
      peer.await(e -> e.hasAsks() && e.getAsks().getApplication().equals(another.getApplicationId().toString()));
      placed(place(another, 0, "n1", 1), 1);
      app = again;
      rm.killApp(another.getApplicationId());
    }
  }

  @Test
  void aStandbyWithoutTheSecretServesAsStock() throws Exception {
    YarnConfiguration without = member("rm2", "shared");
    without.set(Settings.SECRET_FILE, dir.resolve("nowhere").toString());
    begin(member("rm1", "shared"), without);
    peer.awaitMode(Mode.MODE_OURS);
    RMApp app = submit();
    List<ContainerId> maps = runs(app);

    failover(first, second);
    comeWith(app, maps);
    recovered(app);
    RMApp another = another();
    until("the stock scheduler places its master", () -> live(another) == 1);
    assertEquals(1, peer.lives.size());

    failover(second, first);
    comeWith(app, maps);
    recovered(app);
    peer.awaitMode(Mode.MODE_OURS);
    assertEquals(2, peer.lives.size());
    assertFalse(rm.getRMContext().getRMApps().get(another.getApplicationId()).isAppInCompletedStates());
    assertNotEquals(0, rm.getRMContext().getRMApps().size());
  }
}
