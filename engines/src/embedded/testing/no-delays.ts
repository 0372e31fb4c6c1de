import type { Delays } from '../simulated/options'

/** Makes machine operations nearly instantaneous, for specs that do not test timing. */
export const noDelays: Delays = { start: 0, shutdown: 10, suspend: 0, quick: 0, copy: 0, node: 0 }
