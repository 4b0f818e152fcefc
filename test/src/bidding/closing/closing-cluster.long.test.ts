import { closingSuite } from './closing-suite.ts';

describe('closing by the clock, on a Redis Cluster', () => closingSuite({ cluster: true }));
