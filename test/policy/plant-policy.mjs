/**
 * Loaded before the test of the cells that is to find a fault: plants the one that POLICY_FAULT names. What the test
 * expects is read from tables of its own, which nothing is planted in.
 */
import { register } from 'node:module';
import { POLICY_FAULTS } from './policy-faults.ts';

const fault = POLICY_FAULTS[Number(process.env.POLICY_FAULT)];
const url = new URL(`../../${fault.file}`, import.meta.url).href;
register('../market/plant-hook.mjs', { parentURL: import.meta.url, data: { ...fault, url } });
register('./right-tables.mjs', { parentURL: import.meta.url });
