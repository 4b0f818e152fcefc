import { closingSuite } from './closing-suite.ts';

describe('closing by the clock', () => closingSuite({ cluster: false }));
