/**
 * How long a test waits for a page that is opened: the first one of a worker evaluates the modules of the whole console, which takes
 * more than 20 s where processors are busy.
 */
export const pageTimeout = { timeout: 60_000 }
