/** A place in a ring: a list that costs no object of its own beside its members, which leave it from anywhere. */
export class Link {
  next: Link = this;
  previous: Link = this;

  /** Whether it stands in no ring; of a ring's own link, whether the ring is empty. */
  get isAlone(): boolean {
    return this.next === this;
  }

  /** Stands in the ring of `other`, in front of it: in front of a ring's own link is at its end. */
  insertBefore(other: Link): void {
    this.previous = other.previous;
    this.next = other;
    other.previous.next = this;
    other.previous = this;
  }

  unlink(): void {
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.next = this;
    this.previous = this;
  }
}
