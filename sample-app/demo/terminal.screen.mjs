const CLEAR_LINE = '\r\u001B[2K';
const STYLES = { bold: '1', dim: '2', red: '31', green: '32', yellow: '33' };
/** Without a terminal the status is a line of its own, so it comes seldom. */
const PLAIN_STATUS_EVERY = 5_000;

/** Lines above, and one status line at the bottom that is painted over; on anything but a terminal, lines only. */
export class Screen {
  #status = '';
  #lastPlainStatus = 0;
  #live;

  /** @param {NodeJS.WriteStream} [output] */
  constructor(output = process.stdout) {
    this.output = output;
    this.#live = output.isTTY && process.env['TERM'] !== 'dumb';
    this.coloured = this.#live && !process.env['NO_COLOR'];
  }

  /** @param {string} [text] */
  line(text = '') {
    this.output.write(this.#live ? `${CLEAR_LINE}${text}\n${this.#status}` : `${text}\n`);
  }

  /** A step that takes a while: painted at once, also without a terminal.
   * @param {string} text */
  step(text) {
    if (this.#live) this.status(text);
    else this.line(text);
  }

  /** @param {string} text */
  status(text) {
    if (this.#live) {
      const columns = this.output.columns || 80;
      this.#status = this.paint('dim', text.length < columns ? text : `${text.slice(0, columns - 2)}…`);
      this.output.write(`${CLEAR_LINE}${this.#status}`);
    } else if (performance.now() - this.#lastPlainStatus >= PLAIN_STATUS_EVERY) {
      this.#lastPlainStatus = performance.now();
      this.line(`  … ${text}`);
    }
  }

  clearStatus() {
    this.#status = '';
    this.#lastPlainStatus = performance.now();
    if (this.#live) this.output.write(CLEAR_LINE);
  }

  /**
   * @param {keyof typeof STYLES} style
   * @param {string} text
   */
  paint(style, text) {
    return this.coloured ? `\u001B[${STYLES[style]}m${text}\u001B[0m` : text;
  }
}
