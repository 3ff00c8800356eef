import type { Readings } from '../doc.stage.js';
import { GUIDE_READINGS } from './guide.readings.js';
import { OPERATION_READINGS } from './operation.readings.js';
import { PAGE_READINGS } from './page.readings.js';
import { RECIPE_READINGS } from './recipe.readings.js';
import { START_READINGS } from './start.reading.js';

/** What is done with the blocks of the pages. A block without a reading is loaded: its decorators, modules and constants are made. */
export const READINGS: Readings = {
  ...START_READINGS,
  ...GUIDE_READINGS,
  ...OPERATION_READINGS,
  ...PAGE_READINGS,
  ...RECIPE_READINGS,
};
