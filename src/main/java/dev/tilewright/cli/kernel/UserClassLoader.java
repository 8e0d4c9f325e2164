package dev.tilewright.cli.kernel;

import java.net.URL;
import java.net.URLClassLoader;

/**
 * Loads the user's classes beside those of the command: Tilewright's own are shared, so that a program is the same type
 * on both sides; of everything else the user's class path comes first, and what it lacks the command may have.
 */
final class UserClassLoader extends URLClassLoader {
    /** Its name. */
    static final String NAME = "class-path";
    private static final String SHARED = "dev.tilewright.";

    private final ClassLoader own = UserClassLoader.class.getClassLoader();

    UserClassLoader(URL[] classPath) {
        super(NAME, classPath, ClassLoader.getPlatformClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (name.startsWith(SHARED)) {
            try {
                return own.loadClass(name);
            } catch (ClassNotFoundException e) {
                // A class of the user's own in a package of such a name.
            }
        }
        try {
            return super.loadClass(name, resolve);
        } catch (ClassNotFoundException e) {
            return own.loadClass(name);
        }
    }
}
