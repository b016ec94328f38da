/** The adapter, not the client, has no way to ask this. */
@SuppressWarnings("serial")
final class CouldNotTry extends RuntimeException {
    CouldNotTry(String why) {
        super(why);
    }
}
