/**
 * A member of a ring: a list that costs no object of its own beside its members, which leave it from anywhere. One member stands for the
 * ring itself. A member that is its own neighbor stands in no ring, and a ring whose own member is alone is empty.
 */
export interface RingMember {
  next: RingMember;
  previous: RingMember;
}

/** @returns the member that stands for a ring */
export function ring(): RingMember {
  const own = {} as RingMember;
  own.next = own;
  own.previous = own;
  return own;
}

/** Puts a member at the end of a ring. */
export function append(member: RingMember, own: RingMember): void {
  member.previous = own.previous;
  member.next = own;
  own.previous.next = member;
  own.previous = member;
}

export function unlink(member: RingMember): void {
  member.previous.next = member.next;
  member.next.previous = member.previous;
  member.next = member;
  member.previous = member;
}
