/**
 * Timeout for opening a page. The first page of a worker loads the modules of the whole console, which takes more than
 * 20 s on a busy machine.
 */
export const pageTimeout = { timeout: 60_000 }
