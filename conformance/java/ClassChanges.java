package conformance.oracle;

import java.io.FileOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.apache.xbean.asm9.ClassReader;
import org.apache.xbean.asm9.ClassWriter;
import org.apache.xbean.asm9.Opcodes;
import org.apache.xbean.asm9.Type;
import org.apache.xbean.asm9.tree.ClassNode;
import org.apache.xbean.asm9.tree.InsnList;
import org.apache.xbean.asm9.tree.LdcInsnNode;
import org.apache.xbean.asm9.tree.MethodInsnNode;
import org.apache.xbean.asm9.tree.MethodNode;

/**
 * The classes of Kafka that two jars have otherwise, and a jar of those of the second in which each method that
 * changed tells Probes when it is entered.
 *
 * What only a debugger reads (lines, names of local variables, the name of the source) and the version of the class
 * file are no change, nor is the order of methods or of the constant pool.
 */
public final class ClassChanges {
    private static final String PACKAGE = "org/apache/kafka/";
    private static final String SUFFIX = ".class";

    private final List<String[]> found = new ArrayList<>();
    private final ZipOutputStream marked;
    private int probes;

    /**
     * For each class, in the order of their names: what became of it, its name, and what has a probe. That is each
     * method that changed or is new; or, as an empty name, all methods together where the change is beside them.
     * Probes are numbered in this order. A class that cannot be read has none.
     */
    public static String[][] between(String old, String now, String marked) throws IOException {
        try (ZipFile before = new ZipFile(old); ZipFile after = new ZipFile(now);
                ZipOutputStream out = new ZipOutputStream(new FileOutputStream(marked))) {
            out.setLevel(0);
            ClassChanges changes = new ClassChanges(out);
            TreeSet<String> names = namesIn(before);
            names.addAll(namesIn(after));
            for (String name : names)
                changes.compare(name, content(before, name), content(after, name));
            return changes.found.toArray(new String[0][]);
        }
    }

    private ClassChanges(ZipOutputStream marked) {
        this.marked = marked;
    }

    private static TreeSet<String> namesIn(ZipFile jar) {
        TreeSet<String> names = new TreeSet<>();
        for (Enumeration<? extends ZipEntry> all = jar.entries(); all.hasMoreElements();) {
            String name = all.nextElement().getName();
            if (name.startsWith(PACKAGE) && name.endsWith(SUFFIX) && !name.endsWith("package-info.class"))
                names.add(name);
        }
        return names;
    }

    private static byte[] content(ZipFile jar, String name) throws IOException {
        ZipEntry entry = jar.getEntry(name);
        return entry == null ? null : jar.getInputStream(entry).readAllBytes();
    }

    private void compare(String entry, byte[] before, byte[] after) throws IOException {
        if (Arrays.equals(before, after))
            return;
        String name = entry.substring(0, entry.length() - SUFFIX.length()).replace('/', '.');
        if (after == null) {
            found.add(new String[] {"gone", name});
            return;
        }
        try {
            List<String> changed = before == null ? null : changed(node(before), node(after));
            if (changed != null && changed.isEmpty())
                return;
            List<String> row = new ArrayList<>(List.of(before == null ? "new" : "changed", name));
            mark(entry, after, changed, row);
            found.add(row.toArray(new String[0]));
        } catch (RuntimeException unreadable) { // a Java of tomorrow, or no class file
            found.add(new String[] {"unreadable", name});
        }
    }

    /** The methods, by name and types, that are new or changed; an empty name for a change beside them. */
    private static List<String> changed(ClassNode before, ClassNode after) {
        Map<String, byte[]> old = methods(before);
        Map<String, byte[]> now = methods(after);
        List<String> changed = new ArrayList<>();
        now.forEach((method, code) -> {
            if (!Arrays.equals(code, old.get(method)))
                changed.add(method);
        });
        if (!Arrays.equals(frame(before), frame(after)) || !now.keySet().containsAll(old.keySet()))
            changed.add("");
        return changed;
    }

    private static ClassNode node(byte[] content) {
        ClassNode node = new ClassNode();
        new ClassReader(content).accept(node, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        node.version = Opcodes.V17;
        return node;
    }

    /** Each method as a class of its own, so that no constant of another one is in it. */
    private static Map<String, byte[]> methods(ClassNode node) {
        Map<String, byte[]> methods = new LinkedHashMap<>();
        for (MethodNode method : node.methods) {
            ClassWriter writer = new ClassWriter(0);
            writer.visit(Opcodes.V17, 0, node.name, null, "java/lang/Object", null);
            method.accept(writer);
            methods.put(method.name + method.desc, writer.toByteArray());
        }
        return methods;
    }

    /** The class without its methods: what it derives from, its fields, what stands above them. */
    private static byte[] frame(ClassNode node) {
        List<MethodNode> methods = node.methods;
        node.methods = new ArrayList<>();
        ClassWriter writer = new ClassWriter(0);
        node.accept(writer);
        node.methods = methods;
        return writer.toByteArray();
    }

    /** Put probes where something changed (null: everything), and say where they are. */
    private void mark(String entry, byte[] content, List<String> changed, List<String> row) throws IOException {
        ClassNode node = new ClassNode();
        new ClassReader(content).accept(node, 0);
        List<MethodNode> those = new ArrayList<>();
        List<MethodNode> withCode = new ArrayList<>();
        for (MethodNode method : node.methods) {
            if (method.instructions.size() == 0) // abstract or native
                continue;
            withCode.add(method);
            if (changed == null || changed.contains(method.name + method.desc))
                those.add(method);
        }
        if (withCode.isEmpty())
            return;
        for (MethodNode method : those) {
            method.instructions.insert(probe(probes++));
            row.add(told(method));
        }
        if (those.isEmpty()) {
            for (MethodNode method : withCode)
                method.instructions.insert(probe(probes));
            probes++;
            row.add("");
        }
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        node.accept(writer);
        marked.putNextEntry(new ZipEntry(entry));
        marked.write(writer.toByteArray());
        marked.closeEntry();
    }

    private static InsnList probe(int number) {
        InsnList code = new InsnList();
        code.add(new LdcInsnNode(Integer.valueOf(number)));
        code.add(new MethodInsnNode(Opcodes.INVOKESTATIC, "conformance/oracle/Probes", "ran", "(I)V", false));
        return code;
    }

    /** Such as append(String, int). */
    private static String told(MethodNode method) {
        List<String> types = new ArrayList<>();
        for (Type type : Type.getArgumentTypes(method.desc)) {
            String name = type.getClassName();
            types.add(name.substring(Math.max(name.lastIndexOf('.'), name.lastIndexOf('$')) + 1));
        }
        return method.name + "(" + String.join(", ", types) + ")";
    }
}
