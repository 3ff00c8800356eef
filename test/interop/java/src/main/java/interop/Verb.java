package interop;

/** What a command does. */
interface Verb {
    /**
     * @param words the command's words behind the verb
     * @return what is answered: null, or anything whose text has no tab and no line break
     */
    Object run(Words words) throws Exception;
}
