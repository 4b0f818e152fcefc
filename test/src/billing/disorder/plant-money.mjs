/** Loaded before the tests of money that are to find a fault: plants the one that MONEY_FAULT names. */
import { register } from 'node:module';
import { MONEY_FAULTS } from './money-faults.ts';

const fault = MONEY_FAULTS[Number(process.env.MONEY_FAULT)];
const url = new URL(`../../../../${fault.file}`, import.meta.url).href;
register('../../../market/plant-hook.mjs', { parentURL: import.meta.url, data: { ...fault, url } });
