import type { Log } from '@mainstay/engines/ports/records'

const nothing = (): void => undefined

/** A log that discards everything. */
export const silentLogger: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
