/** @param {readonly number[]} samples @param {number} share */
export function quantile(samples, share) {
  const sorted = samples.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** @param {import('../bench.types.js').Figures | undefined} figures @param {string} key @returns {number} */
export function numberOf(figures, key) {
  const figure = figures?.[key];
  return typeof figure === 'number' ? figure : NaN;
}

/** All samples of that name of several processes. @param {readonly import('../bench.types.js').Figures[]} figures @param {string} key @returns {number[]} */
export function samplesOf(figures, key) {
  return figures.flatMap((one) => {
    const found = one[key];
    return typeof found === 'object' ? [...found] : [];
  });
}

/** How evenly something is spread: 1 is even, 1/n is all for one of n. @param {readonly number[]} shares */
export function jainIndex(shares) {
  const sum = shares.reduce((total, share) => total + share, 0);
  return sum ** 2 / (shares.length * shares.reduce((total, share) => total + share ** 2, 0));
}
