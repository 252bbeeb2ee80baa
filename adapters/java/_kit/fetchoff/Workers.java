package fetchoff;

/** The flows of exchanges of a workload, as many as its concurrency. */
interface Workers extends AutoCloseable {
    /** Does a batch with the first `count` workers. */
    Tally run(Batch batch, int count) throws Exception;

    @Override
    void close() throws Exception;
}
