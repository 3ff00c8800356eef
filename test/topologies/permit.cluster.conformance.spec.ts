import { describePermit } from '../locks/conformance.kinds.js';
import { groundOn } from './shared.ground.js';

describePermit(groundOn('cluster'));
