import type { Delays } from '../simulated/options'

/** Machines that take no time: for specs that are not about time. */
export const noDelays: Delays = { start: 0, shutdown: 10, suspend: 0, quick: 0, copy: 0 }
