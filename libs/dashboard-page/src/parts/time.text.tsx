import { useLayoutEffect, useRef } from 'preact/hooks';
import { useBoard } from '../board.js';
import { fullText, instantText, isoText } from '../format/instant.text.js';
import { agoText, leftText, sinceText, untilText } from '../format/span.text.js';

interface TimeTextProps {
  /** Epoch ms. */
  readonly at: number;
}

/**
 * A text that follows from the time. It is written past the rendering, so that a second costs a comparison of two strings for each of
 * them, whatever the number of rows.
 */
function LiveTime({ at, text }: TimeTextProps & { readonly text: (at: number, now: number) => string }) {
  const { clock } = useBoard();
  const place = useRef<HTMLTimeElement>(null);
  useLayoutEffect(() => {
    const write = () => {
      const value = text(at, clock.now());
      if (place.current !== null && place.current.textContent !== value) place.current.textContent = value;
    };
    write();
    return clock.follow(write);
  }, [at, clock, text]);
  return <time ref={place} dateTime={isoText(at)} title={fullText(at)} />;
}

/** `3 min ago`. */
export const Ago = ({ at }: TimeTextProps) => <LiveTime at={at} text={agoText} />;

/** `in 4 min 12 s`. */
export const Until = ({ at }: TimeTextProps) => <LiveTime at={at} text={untilText} />;

/** `4 min 12 s`, of what began at an instant. */
export const Since = ({ at }: TimeTextProps) => <LiveTime at={at} text={sinceText} />;

/** `12 s`, of a lease that ends at an instant. */
export const LeaseLeft = ({ at }: TimeTextProps) => <LiveTime at={at} text={leftText} />;

/** `14:02:11`, with its day where that is not today. */
export function Instant({ at }: TimeTextProps) {
  const { clock } = useBoard();
  return (
    <time dateTime={isoText(at)} title={fullText(at)}>
      {instantText(at, clock.now())}
    </time>
  );
}
