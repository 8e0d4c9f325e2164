package dev.tilewright.gpu.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class HmacTest {

    @Property(tries = 200)
    void itGivesTheBytesOfJavasOwn(@ForAll @Size(min = 1, max = 64) byte[] key, @ForAll byte[] first,
            @ForAll @Size(min = 3) byte[] rest) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        mac.update(first);
        mac.update(rest, 1, rest.length - 2);
        assertArrayEquals(mac.doFinal(), Hmac.of(key, first, rest, 1, rest.length - 2));
    }

    @Test
    void aKeyThatWouldHaveToBeHashedFirstIsRefused() {
        assertThrows(IllegalArgumentException.class,
                () -> Hmac.of(Arrays.copyOf(new byte[] {1}, 65), new byte[0], new byte[0], 0, 0));
    }
}
