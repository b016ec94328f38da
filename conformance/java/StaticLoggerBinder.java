package org.slf4j.impl;

import org.slf4j.ILoggerFactory;
import org.slf4j.helpers.FormattingTuple;
import org.slf4j.helpers.MarkerIgnoringBase;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LoggerFactoryBinder;

/**
 * What slf4j 1.7 looks for: a logger that hears of each produce request, and prints warnings and errors.
 *
 * Sender says "Sent produce request to {}: {}" in every version since 2.3, with the node's id and the request itself.
 * That is the one place where a client tells, without a change to it, what left when. Nothing is formatted there.
 */
public final class StaticLoggerBinder implements LoggerFactoryBinder {
    /** slf4j compares it with its own version. Not final, or the compiler would copy it. */
    public static String REQUESTED_API_VERSION = "1.7";

    /** Hears of requests. */
    public interface Listener {
        void sent(String node, Object request);
    }

    /** Null while nobody listens. */
    public static volatile Listener listener;

    private static final StaticLoggerBinder SINGLETON = new StaticLoggerBinder();
    private static final String SENDER = "org.apache.kafka.clients.producer.internals.Sender";
    /** LogContext puts the client's id before it. */
    private static final String SENT = "Sent produce request to {}: {}";

    private final ILoggerFactory factory = name -> new Told(name);

    private StaticLoggerBinder() {
    }

    public static StaticLoggerBinder getSingleton() {
        return SINGLETON;
    }

    @Override
    public ILoggerFactory getLoggerFactory() {
        return factory;
    }

    @Override
    public String getLoggerFactoryClassStr() {
        return Told.class.getName();
    }

    private static final class Told extends MarkerIgnoringBase {
        private static final long serialVersionUID = 1L;

        private final boolean isSender;

        Told(String name) {
            this.name = name;
            isSender = name.equals(SENDER);
        }

        @Override
        public boolean isTraceEnabled() {
            return isSender && listener != null;
        }

        @Override
        public void trace(String format, Object one, Object other) {
            Listener hears = listener;
            if (isSender && hears != null && format.endsWith(SENT))
                hears.sent((String) one, other);
        }

        @Override
        public void trace(String message) {
        }

        @Override
        public void trace(String format, Object one) {
        }

        @Override
        public void trace(String format, Object... all) {
            if (all.length == 2)
                trace(format, all[0], all[1]);
        }

        @Override
        public void trace(String message, Throwable thrown) {
        }

        @Override
        public boolean isDebugEnabled() {
            return false;
        }

        @Override
        public void debug(String message) {
        }

        @Override
        public void debug(String format, Object one) {
        }

        @Override
        public void debug(String format, Object one, Object other) {
        }

        @Override
        public void debug(String format, Object... all) {
        }

        @Override
        public void debug(String message, Throwable thrown) {
        }

        @Override
        public boolean isInfoEnabled() {
            return false;
        }

        @Override
        public void info(String message) {
        }

        @Override
        public void info(String format, Object one) {
        }

        @Override
        public void info(String format, Object one, Object other) {
        }

        @Override
        public void info(String format, Object... all) {
        }

        @Override
        public void info(String message, Throwable thrown) {
        }

        @Override
        public boolean isWarnEnabled() {
            return true;
        }

        @Override
        public void warn(String message) {
            print(MessageFormatter.format(message, null));
        }

        @Override
        public void warn(String format, Object one) {
            print(MessageFormatter.format(format, one));
        }

        @Override
        public void warn(String format, Object one, Object other) {
            print(MessageFormatter.format(format, one, other));
        }

        @Override
        public void warn(String format, Object... all) {
            print(MessageFormatter.arrayFormat(format, all));
        }

        @Override
        public void warn(String message, Throwable thrown) {
            print(new FormattingTuple(message, null, thrown));
        }

        @Override
        public boolean isErrorEnabled() {
            return true;
        }

        @Override
        public void error(String message) {
            warn(message);
        }

        @Override
        public void error(String format, Object one) {
            warn(format, one);
        }

        @Override
        public void error(String format, Object one, Object other) {
            warn(format, one, other);
        }

        @Override
        public void error(String format, Object... all) {
            warn(format, all);
        }

        @Override
        public void error(String message, Throwable thrown) {
            warn(message, thrown);
        }

        private static void print(FormattingTuple told) {
            Throwable thrown = told.getThrowable();
            System.err.println(thrown == null ? told.getMessage() : told.getMessage() + ": " + thrown);
        }
    }
}
