import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** batch-reading: bytes that were fetched, taken apart as a consumer does it. */
final class BatchReading extends Subject {
    private static final String REFUSED = "refused", END = "end";
    private static final String CORRUPT = "CORRUPT_MESSAGE", INVALID = "INVALID_RECORD",
        NO_CODEC = "UNSUPPORTED_COMPRESSION_TYPE", OLD_FORMAT = "UNSUPPORTED_FOR_MESSAGE_FORMAT";

    private final Fetch fetch;

    BatchReading(Client client, Draws draws, Map<?, ?> testCase) throws Throwable {
        super(client, draws, testCase);
        fetch = new Fetch(client);
    }

    /** What is done with one batch; false ends it. */
    private interface Visit {
        boolean batch(Object batch) throws Throwable;
    }

    private interface Attempt {
        void run() throws Throwable;
    }

    @Override
    Object answer(Map<?, ?> step) throws Throwable {
        byte[] data = bytes(step.get("data"));
        List<Object> seen = new ArrayList<>();
        switch ((String) step.get("op")) {
            case "read":
                String end = eachBatch(data, batch -> seen.add(read(batch)));
                seen.add(end.equals(END) ? END : REFUSED);
                return seen;
            case "columns":
                return eachBatch(data, batch -> rows(batch, seen, true)).equals(END) ? seen : REFUSED;
            case "records":
                if (!eachBatch(data, batch -> rows(batch, seen, false)).equals(END))
                    seen.add(REFUSED);
                return seen;
            case "refusals":
                String why = eachBatch(data, batch -> seen.add(refusal(batch)));
                seen.add(why);
                return seen;
            case "delete horizons":
                if (!eachBatch(data, batch -> horizon(batch, seen)).equals(END))
                    seen.add(REFUSED);
                return seen;
            default:
                throw new CouldNotTry("no operation " + step.get("op"));
        }
    }

    /**
     * END if each batch was visited, REFUSED if a visit ended it, or why what follows cannot begin one. To the suite
     * messages of formats 0 and 1 cannot: real consumers read them.
     */
    private String eachBatch(byte[] data, Visit visit) throws Throwable {
        String[] stopped = {null};
        boolean parsed = accepted(() -> {
            Iterator<?> batches = fetch.batches(data);
            while (stopped[0] == null && batches.hasNext()) {
                Object batch = batches.next();
                if (fetch.isOld(batch))
                    stopped[0] = OLD_FORMAT;
                else if (!visit.batch(batch))
                    stopped[0] = REFUSED;
            }
        });
        return stopped[0] != null ? stopped[0] : parsed ? END : CORRUPT;
    }

    /**
     * Whether the client goes through with it. Consumers fail by exceptions of many kinds, and by errors:
     * a length that lies may end in an OutOfMemoryError, which leaves this process well.
     */
    private static boolean accepted(Attempt attempt) throws Throwable {
        try {
            attempt.run();
            return true;
        } catch (CouldNotTry | ReflectiveOperationException | LinkageError ours) {
            throw ours;
        } catch (Throwable thrown) {
            return false;
        }
    }

    private Object read(Object batch) throws Throwable {
        List<List<Object>> header = new ArrayList<>();
        if (!accepted(() -> {
            fetch.ensureValid(batch);
            header.addAll(fetch.header(batch));
        }))
            return REFUSED;
        List<Object> records = new ArrayList<>();
        if (!accepted(() -> fetch.eachRecord(batch, record -> records.add(fetch.record(record))))) {
            // How many come before what is refused depends on the decompressor's buffers.
            if (fetch.isCompressed(batch))
                records.clear();
            records.add(REFUSED);
        }
        header.add(List.of("records", records));
        return Typed.map(header);
    }

    /** Adds a batch's records, or none; as columns, or as a consumer's user gets them. */
    private boolean rows(Object batch, List<Object> rows, boolean columns) throws Throwable {
        List<Object> records = new ArrayList<>();
        if (!accepted(() -> {
            fetch.ensureValid(batch);
            fetch.eachRecord(batch, record ->
                records.add(columns ? fetch.columns(batch, record) : fetch.consumed(record)));
        }))
            return false;
        if (columns || !fetch.isControl(batch))
            rows.addAll(records);
        return true;
    }

    private String refusal(Object batch) throws Throwable {
        if (!accepted(() -> fetch.ensureValid(batch)))
            return CORRUPT;
        if (!accepted(() -> fetch.isCompressed(batch))) // the first to look up the codec
            return NO_CODEC;
        return accepted(() -> fetch.eachRecord(batch, fetch::record)) ? null : INVALID;
    }

    private boolean horizon(Object batch, List<Object> horizons) throws Throwable {
        if (accepted(() -> fetch.ensureValid(batch))) {
            OptionalLong horizon = fetch.deleteHorizon(batch);
            horizons.add(horizon.isPresent() ? Typed.int64(horizon.getAsLong()) : null);
        }
        return true;
    }
}
