import type { Readings } from '../doc.stage.js';

export const RECIPE_READINGS: Readings = {};
