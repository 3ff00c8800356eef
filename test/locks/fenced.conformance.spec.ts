import { describeKind } from './conformance.kinds.js';

describeKind('fenced');
