/**
 * Machines and volumes in the recycle bin have files and no rows of their own. A server that does not know the bin would take
 * the files for left-overs and remove them, so this names no older migration: such servers refuse to start.
 */
export const up = (): Promise<void> => Promise.resolve()
