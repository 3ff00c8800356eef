import { describeKind } from '../locks/conformance.kinds.js';
import { memoryGround } from './memory.services.js';

describeKind('fair', memoryGround);
