import { NoticeBoard, type Notice } from '../events/notice.board.js';

/** Holders that are remembered. */
const REMEMBERED = 1000;

/** The notices of the engines of several servers, as notices of locks that are held on all of them. */
export class QuorumNotices {
  readonly #posted = new Set<string>();

  constructor(private readonly board: NoticeBoard) {}

  /** The board of the server at that address. */
  of(address: string): NoticeBoard {
    const own = new NoticeBoard(this.board.events);
    own.listen((notice) => this.#relay(notice, address));
    return own;
  }

  #relay(notice: Notice, address: string): void {
    switch (notice.kind) {
      // The red lock itself reports when too few servers are left; the loss of one is no loss.
      case 'lost':
        return;
      case 'long-hold':
      case 'overheld':
        if (this.#isFirst(`${notice.kind} ${notice.holder}`)) this.board.post(notice);
        return;
      case 'unknown':
      case 'release-delayed':
      case 'release-refused':
      case 'unpublished':
        this.board.post({ ...notice, lock: `${notice.lock} (on ${address})` });
        return;
      default:
        this.board.post(notice);
    }
  }

  /** Each server reports the same occurrence, which is one to the user. */
  #isFirst(what: string): boolean {
    if (this.#posted.has(what)) return false;
    if (this.#posted.size >= REMEMBERED) this.#posted.clear();
    this.#posted.add(what);
    return true;
  }
}
