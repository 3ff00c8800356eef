package bench;

import java.util.Map;
import java.util.TreeMap;

/** What goes back: numbers and lists of numbers, which look in JSON as they do in Java. */
final class Figures {
    private final Map<String, String> figures = new TreeMap<>();

    Figures put(String name, Object figure) {
        figures.put("\"" + name + "\"", String.valueOf(figure).replace("NaN", "null"));
        return this;
    }

    @Override
    public String toString() {
        return figures.toString().replace("\"=", "\":");
    }
}
