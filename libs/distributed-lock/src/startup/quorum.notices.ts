import { NoticeBoard, type Notice } from '../events/notice.board.js';

/** Holders that are remembered. */
const REMEMBERED = 1000;

/** What the engines of several servers have to tell, as news of locks that are held on all of them. */
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
      // The lock tells by itself when too few servers are left; one that is lost alone is no loss.
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

  /** Each server tells of what is one and the same to its user. */
  #isFirst(what: string): boolean {
    if (this.#posted.has(what)) return false;
    if (this.#posted.size >= REMEMBERED) this.#posted.clear();
    this.#posted.add(what);
    return true;
  }
}
