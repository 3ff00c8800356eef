import { describeKindOn } from '../locks/conformance.kinds.js';
import { memoryGround } from './memory.services.js';

describeKindOn('fenced', memoryGround);
