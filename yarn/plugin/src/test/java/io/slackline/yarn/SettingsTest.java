package io.slackline.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator may say in yarn-site.xml, without a ResourceManager. */
class SettingsTest {
  @TempDir Path dir;

  private Configuration conf(String secret, String address) throws IOException {
    Configuration c = new Configuration(false);
    c.set(Settings.ADDRESS, address);
    c.set(Settings.SECRET_FILE, Files.writeString(dir.resolve("secret" + secret), secret + "\n").toString());
    return c;
  }

  @Test
  void seesWhoMayReadTheSecret() throws Exception {
    Path file = Files.writeString(dir.resolve("mode"), "shared");
    for (String mode : List.of("rw-------", "rw-r-----", "rw-r--r--", "rw-----w-")) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
      assertEquals(!mode.endsWith("---"), Settings.open(file), mode);
    }
  }

  @Test
  void tellsClustersWithoutANameApart() throws Exception {
    Configuration c = conf("shared", "127.0.0.1:7447");
    assertFalse(new Settings(c).cluster.startsWith("0.0.0.0"), new Settings(c).cluster);
    c.set("yarn.resourcemanager.address", "rm2.example.org:8032");
    assertEquals("rm2.example.org:8032", new Settings(c).cluster);
    c.set("yarn.resourcemanager.cluster-id", "both");
    assertEquals("both", new Settings(c).cluster);
    c.set(Settings.CLUSTER, "etl");
    assertEquals("etl", new Settings(c).cluster);
  }

  @Test
  void saysWhatIsWrongWithItsSettings() throws Exception {
    Configuration c = conf("", "127.0.0.1:7447");
    assertTrue(assertThrows(IOException.class, () -> new Settings(c)).getMessage().endsWith("is empty"));
    for (String address : List.of("127.0.0.1.example.org:7447", "slackline.example.org:7447")) {
      Configuration elsewhere = conf("shared", address);
      assertTrue(assertThrows(IOException.class, () -> new Settings(elsewhere)).getMessage().contains("has to stay on this machine"));
    }
    Configuration far = conf("shared", "slackline.example.org:7447");
    far.set(Settings.TLS, dir.toString());
    assertTrue(assertThrows(IOException.class, () -> new Settings(far)).getMessage().endsWith("ca.pem cannot be read"));
  }
}
