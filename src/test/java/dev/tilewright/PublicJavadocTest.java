package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/**
 * Every exported package, every public type in it and every public method and constructor of these has a comment that
 * says something. Not asked for: what overrides (its comment is inherited), a record's constructors (its components are
 * described with the record), constants of enumerations (where the name says it).
 */
class PublicJavadocTest {
    private static final Path SOURCES = Path.of(System.getProperty("tilewright.root", "."), "src", "main", "java");

    /** A block tag that does not begin a line, which Javadoc takes for text. */
    private static final Pattern TAG_IN_TEXT = Pattern.compile("(?s).*[^{]@(param|return|throws)\\b.*");

    private final List<String> missing = new ArrayList<>();
    private final List<String> tagsInText = new ArrayList<>();
    private int seen;

    @Test
    void everyExportedPackageSaysWhatItIsFor() throws IOException {
        Set<String> without = new TreeSet<>();
        for (String room : exported()) {
            Path file = SOURCES.resolve(room.replace('.', '/')).resolve("package-info.java");
            if (!Files.exists(file) || !Files.readString(file).startsWith("/**")) {
                without.add(room);
            }
        }
        assertEquals(Set.of(), without);
    }

    @Test
    void everythingPublicHasAComment() throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            List<Path> sources = new ArrayList<>();
            for (String room : exported()) {
                try (Stream<Path> inside = Files.list(SOURCES.resolve(room.replace('.', '/')))) {
                    inside.filter(f -> f.toString().endsWith(".java") && !f.endsWith("package-info.java"))
                            .forEach(sources::add);
                }
            }
            JavacTask task = (JavacTask) compiler.getTask(null, files, null, List.of("-proc:none"), null,
                    files.getJavaFileObjectsFromPaths(sources));
            DocTrees trees = DocTrees.instance(task);
            for (CompilationUnitTree unit : task.parse()) {
                new Comments(trees).scan(unit, null);
            }
        }
        assertTrue(seen > 1500, () -> "types, methods and constructors: " + seen);
        assertEquals("", String.join("\n", missing), () -> missing.size() + " of " + seen + " have no comment");
        assertEquals("", String.join("\n", tagsInText), "tags that do not begin a line");
    }

    /** A hover shows a comment without what stands around it: one that begins so says nothing there. */
    @Test
    void commentsStandAlone() throws IOException {
        Pattern comment = Pattern.compile("/\\*\\*\\s*(?:\\* )?((?:As|Of|It|Its|Those|That|They|Their|Such|Another"
                + "|Nothing|Likewise|Also|Or|And|Then|Like|Ditto|The same)\\b(?s:.*?))\\*/\\s*(\\w+)");
        List<String> found = new ArrayList<>();
        int comments = 0;
        for (String room : exported()) {
            try (Stream<Path> inside = Files.list(SOURCES.resolve(room.replace('.', '/')))) {
                for (Path file : inside.filter(f -> f.toString().endsWith(".java")).toList()) {
                    String text = Files.readString(file);
                    comments += text.split("/\\*\\*", -1).length - 1;
                    comment.matcher(text).results().filter(r -> !r.group(2).equals("private")
                            && text.contains("\npublic ")).forEach(r -> found.add(file.getFileName() + ": "
                            + r.group(1).lines().findFirst().orElseThrow()));
                }
            }
        }
        assertTrue(comments > 3000, "comments: " + comments);
        assertEquals("", String.join("\n", found));
    }

    private static List<String> exported() throws IOException {
        return Pattern.compile("^ *exports ([a-z.0-9]+);", Pattern.MULTILINE)
                .matcher(Files.readString(SOURCES.resolve("module-info.java"))).results()
                .map((MatchResult r) -> r.group(1)).toList();
    }

    /** Goes through what is public, and no further. */
    private final class Comments extends TreePathScanner<Void, Void> {
        private final DocTrees trees;

        Comments(DocTrees trees) {
            this.trees = trees;
        }

        @Override
        public Void visitClass(ClassTree type, Void nothing) {
            if (!isPublic(type.getModifiers())) {
                return null;
            }
            require(type.getSimpleName().toString());
            for (Tree member : type.getMembers()) {
                if (member instanceof ClassTree || member instanceof MethodTree) {
                    scan(member, null);
                }
            }
            return null;
        }

        @Override
        public Void visitMethod(MethodTree method, Void nothing) {
            boolean overrides = method.getModifiers().getAnnotations().stream()
                    .anyMatch(a -> a.getAnnotationType().toString().equals("Override"));
            boolean constructor = method.getName().contentEquals("<init>");
            ClassTree owner = owner();
            if (overrides || !isPublic(method.getModifiers()) || constructor && owner.getKind() == Tree.Kind.RECORD) {
                return null;
            }
            require(owner.getSimpleName() + "." + (constructor ? "new" : method.getName()));
            return null;
        }

        private ClassTree owner() {
            return (ClassTree) getCurrentPath().getParentPath().getLeaf();
        }

        /** What stands in an interface is public without saying so. */
        private boolean isPublic(ModifiersTree modifiers) {
            Tree parent = getCurrentPath().getParentPath().getLeaf();
            Set<Modifier> flags = modifiers.getFlags();
            return flags.contains(Modifier.PUBLIC) || flags.contains(Modifier.PROTECTED)
                    || (parent.getKind() == Tree.Kind.INTERFACE || parent.getKind() == Tree.Kind.ANNOTATION_TYPE)
                            && !flags.contains(Modifier.PRIVATE);
        }

        private void require(String name) {
            seen++;
            TreePath path = getCurrentPath();
            DocCommentTree comment = trees.getDocCommentTree(path);
            if (comment == null || comment.getFullBody().isEmpty() && comment.getBlockTags().isEmpty()) {
                missing.add(place(path, name));
            } else if (Stream.concat(Stream.of(comment.getFullBody()), comment.getBlockTags().stream())
                    .anyMatch(part -> TAG_IN_TEXT.matcher(part.toString()).matches())) {
                tagsInText.add(place(path, name));
            }
        }

        private String place(TreePath path, String name) {
            CompilationUnitTree unit = path.getCompilationUnit();
            return unit.getPackageName() + " " + name + " (" + Path.of(unit.getSourceFile().getName()).getFileName()
                    + ":" + unit.getLineMap().getLineNumber(trees.getSourcePositions()
                            .getStartPosition(unit, path.getLeaf())) + ")";
        }
    }
}
