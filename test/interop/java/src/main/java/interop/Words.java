package interop;

import java.util.concurrent.TimeUnit;

/** The words of a command behind its verb. Times are in ms. */
final class Words {
    static final TimeUnit MS = TimeUnit.MILLISECONDS;

    private final String[] words;

    Words(String[] words) {
        this.words = words;
    }

    int count() {
        return words.length;
    }

    String text(int index) {
        if (index >= words.length) {
            throw new IllegalArgumentException("word " + index + " is missing");
        }
        return words[index];
    }

    long number(int index) {
        return Long.parseLong(text(index));
    }

    int integer(int index) {
        return Integer.parseInt(text(index));
    }
}
