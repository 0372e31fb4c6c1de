import type { EngineView } from '@mainstay/engines/ports/feed'
import type { Records } from '@mainstay/engines/ports/records'
import type { Sql } from '@mainstay/engines/ports/engines'

const advice = 'Give this one another database: MAINSTAY_DATA for one of its own, or DATABASE_URL'

/**
 * Marks the index as an engine's own record, or as what follows a cloud, and refuses an engine of the other sort: a full
 * read of a cloud removes what the cloud does not have, and the machines of this host are known by their rows alone.
 */
export async function claimIndex(sql: Sql, records: Records, view: EngineView['kind']): Promise<void> {
  const known = await records.transaction(async (tx) => {
    await tx.exclusive('index-owner')
    const marked = await tx.getPrivate<{ view: EngineView['kind'] }>('index', 'owner')
    if (marked) return marked.view
    // databases from before there were clouds have no mark
    const rows = await sql.query("select 1 from resource where kind <> 'task' limit 1")
    const owner = rows.length > 0 ? 'record' : view
    await tx.putPrivate('index', 'owner', { view: owner })
    return owner
  })
  if (known === view) return
  const whose = known === 'record' ? 'the engine of one machine' : 'a cloud'
  throw new Error(`the database belongs to ${whose}, whose things would be lost. ${advice}`)
}
