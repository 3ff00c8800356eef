import { describeKindOn } from '../locks/conformance.kinds.js';
import { groundOn } from './shared.ground.js';

describeKindOn('nonReentrant', groundOn('cluster'));
