package bench;

import java.util.Map;
import org.yaml.snakeyaml.Yaml;

/** What comes as JSON, which is YAML as well. */
final class Words {
    private final Map<?, ?> words;

    Words(Object words) {
        this.words = (Map<?, ?>) (words instanceof String text ? new Yaml().load(text) : words);
    }

    Words words(String name) {
        return new Words(words.get(name));
    }

    String text(String name) {
        return String.valueOf(words.get(name));
    }

    /** 0 where it is left out. */
    int number(String name) {
        return words.get(name) instanceof Number number ? number.intValue() : 0;
    }
}
