import type { Log } from '@mainstay/engines/ports/records'
import { verifyLines, type Verified } from '../audit/chain'
import type { Config } from '../config'
import { sqlOf } from '../session/sql'
import { openStore } from '../store/store'

/** Verifies the entire audit log. Safe to run while servers are writing to it. */
export async function verifyAudit(config: Pick<Config, 'databaseUrl' | 'dataFolder'>, log: Log): Promise<Verified> {
  const store = await openStore({ databaseUrl: config.databaseUrl, dataFolder: config.dataFolder, log })
  try {
    return await verifyLines(sqlOf(store.db))
  } finally {
    await store.close()
  }
}

/** Formats the result as sentences. */
export function verdictOf({ fault, sealed, waiting, removed, head }: Verified): string[] {
  const entries = (count: number) => `${count} ${count === 1 ? 'entry' : 'entries'}`
  const place = fault === null || fault.line_id === null ? '' : ` at entry ${fault.line_id}`
  return [
    fault === null
      ? `The audit log is intact: ${entries(sealed)} verified.`
      : `The audit log was tampered with${place}: ${fault.what}. ` +
        `${entries(sealed)} before it ${sealed === 1 ? 'is' : 'are'} intact.`,
    `${entries(waiting)} may still change and ${waiting === 1 ? 'is' : 'are'} not sealed yet; retention has removed ${entries(removed)}.`,
    `Last seal: ${head.seq} ${head.hash}`,
  ]
}
