import type { Delays } from '../simulated/options'

/** Machines whose operations take no time, for specs that do not test timing. */
export const noDelays: Delays = { start: 0, shutdown: 10, suspend: 0, quick: 0, copy: 0 }
