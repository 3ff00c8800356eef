import { describeKind } from '../locks/conformance.kinds.js';
import { groundOn } from './shared.ground.js';

describeKind('write', groundOn('sentinel'));
