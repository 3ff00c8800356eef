import { describePermit } from './conformance.kinds.js';

describePermit();
