import type { Log } from '@mainstay/engines/ports/records'
import { verifyLines, type Verified } from '../audit/chain'
import type { Config } from '../config'
import { sqlOf } from '../session/sql'
import { openStore } from '../store/store'

/** Looks at the whole audit log, also while servers write it. */
export async function verifyAudit(config: Pick<Config, 'databaseUrl' | 'dataFolder'>, log: Log): Promise<Verified> {
  const store = await openStore({ databaseUrl: config.databaseUrl, dataFolder: config.dataFolder, log })
  try {
    return await verifyLines(sqlOf(store.db))
  } finally {
    await store.close()
  }
}

/** The same in sentences. */
export function verdictOf({ fault, sealed, waiting, removed, head }: Verified): string[] {
  const lines = (count: number) => `${count} ${count === 1 ? 'line' : 'lines'}`
  return [
    fault === null
      ? `The audit log is as it was sealed: ${lines(sealed)}.`
      : `The audit log was tampered with. ${fault.line_id === null ? '' : `Line ${fault.line_id}: `}${fault.what}. ` +
        `${lines(sealed)} before it ${sealed === 1 ? 'is' : 'are'} as sealed.`,
    `${lines(waiting)} may still change and ${waiting === 1 ? 'is' : 'are'} not sealed yet; retention has removed ${lines(removed)}.`,
    `Last seal: ${head.seq} ${head.hash}`,
  ]
}
