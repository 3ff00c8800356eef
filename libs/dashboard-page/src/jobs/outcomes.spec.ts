import { describe, expect, it } from 'vitest';
import { OUTCOMES, stripLabel, styleOf, withPause } from './outcomes.js';

const ticksOf = (...outcomes: readonly string[]) => outcomes.map((outcome, tick) => ({ tick, outcome }));

describe('outcomes', () => {
  it('differ in the shape of their marks, and not in colour alone', () => {
    const shapes = OUTCOMES.map((outcome) => JSON.stringify(styleOf(outcome).bars));
    expect(new Set(shapes).size).toBe(OUTCOMES.length);
  });

  it.each(['not-known-yet', 'constructor'])('of a newer version are shown by their name: %s', (outcome) => {
    expect(styleOf(outcome)).toMatchObject({ label: outcome.replaceAll('-', ' '), tone: 'idle' });
  });

  it('end with the pause of a job that is paused', () => {
    const strip = ticksOf('completed');
    expect(withPause(strip, undefined)).toBe(strip);
    expect(withPause(strip, 7)).toEqual([...strip, { tick: 7, outcome: 'paused' }]);
  });

  it('are counted in the label of a strip, the most frequent one first', () => {
    expect(stripLabel(ticksOf('failed', 'completed', 'missed', 'completed'))).toBe(
      'last 4 ticks: 2 completed, 1 failed, 1 missed',
    );
    expect([stripLabel([]), stripLabel(ticksOf('handed-over'))]).toEqual([
      'no ticks yet',
      'last tick: 1 handed over',
    ]);
  });
});
