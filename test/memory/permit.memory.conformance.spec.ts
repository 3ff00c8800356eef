import { describePermit } from '../locks/conformance.kinds.js';
import { memoryGround } from './memory.services.js';

describePermit(memoryGround);
