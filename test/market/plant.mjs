/** Loaded before a simulation that is to find a fault: plants the one that `--fault N` names. */
import { register } from 'node:module';
import { MARKET_FAULTS } from './market-faults.ts';

const at = process.argv.indexOf('--fault');
const fault = MARKET_FAULTS[Number(process.argv[at + 1])];
const url = new URL(`../../${fault.file}`, import.meta.url).href;
register('./plant-hook.mjs', { parentURL: import.meta.url, data: { ...fault, url } });
