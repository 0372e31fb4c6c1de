import { areaOfKind } from '@mainstay/engines/ports/area-ports'
import type { KindSource, PlannedEngine } from '@mainstay/engines/ports/engine'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { Records } from '@mainstay/engines/ports/records'

const advice =
  'Assign their area to that engine (MAINSTAY_AREAS), or give this server another database with MAINSTAY_DATA or ' +
  'DATABASE_URL'

type Claim = Pick<KindSource, 'kind' | 'view'> & { source: string }
/** Identity rows are derived from tables, so changing their source loses no data. */
const isMadeOfTables = (kind: string): boolean => areaOfKind.get(kind) === 'identity'

/**
 * Records the source of each kind. Refuses to change the source if the rows are, or would become, an engine's own
 * records: a full cloud sync removes rows that the cloud does not have, and the instances on this host exist only as
 * rows. A cloud may take over from another cloud, and the source of identity rows may change. Claims of engines that
 * are not currently configured are kept. `serverKinds`: kinds that the server itself owns. Throws an error with a
 * message for the operator.
 */
export async function claimKinds(
  sql: Sql,
  engines: readonly Pick<PlannedEngine, 'offer' | 'kinds'>[],
  serverKinds: readonly string[],
): Promise<void> {
  const serversOwn = serverKinds.map((kind): Claim => ({ kind, source: 'server', view: 'record' }))
  const claims = engines.flatMap(({ offer: { source }, kinds }) =>
    kinds.map(({ kind, view }): Claim => ({ kind, source, view })),
  )
  await sql.transaction(async (tx) => {
    // serializes claims by servers that start at the same time
    await tx.query('lock table kind_source in share row exclusive mode')
    const known = await tx.query<Claim>('select kind, source, view from kind_source order by kind')
    refuseForeign([...serversOwn, ...claims], known)
    for (const { kind, source, view } of [...serversOwn, ...claims]) {
      const now = claims.filter((it) => it.kind === kind).map((it) => it.source)
      const before = known.filter((it) => it.kind === kind)
      const isClaimed = before.some((it) => it.source === source && it.view === view)
      if (isClaimed && before.every((it) => it.source === source || now.includes(it.source))) continue
      await tx.query('delete from kind_source where kind = $1 and source <> all ($2)', [kind, [source, ...now]])
      await tx.query(
        `insert into kind_source (kind, source, view) values ($1, $2, $3)
          on conflict (kind, source) do update set view = excluded.view`,
        [kind, source, view],
      )
    }
  })
}

function refuseForeign(claims: readonly Claim[], known: readonly Claim[]): void {
  const owners = claims.flatMap((claim) =>
    known.filter(
      ({ kind, source, view }) =>
        kind === claim.kind &&
        source !== claim.source &&
        (view === 'record' || claim.view === 'record') &&
        !isMadeOfTables(kind),
    ),
  )
  const [owner] = owners
  if (!owner) return
  const kinds = owners.filter(({ source }) => source === owner.source).map(({ kind }) => kind)
  const whose = owner.view === 'record' ? 'the engine of one machine' : 'a cloud'
  throw new Error(
    `${kinds.join(', ')} of this database belong to ${whose} (${owner.source}), and its data would be lost. ${advice}`,
  )
}

/** Rows removed per transaction. */
const AT_ONCE = 500

/** Removes identity rows left by engines that no longer serve identity, because another engine may use the same IDs. */
export async function removeFormerPeople(
  sql: Sql,
  { transaction }: Pick<Records, 'transaction'>,
  engines: readonly Pick<PlannedEngine, 'offer' | 'kinds'>[],
): Promise<void> {
  const kinds = new Set(engines.flatMap((engine) => engine.kinds.map(({ kind }) => kind)).filter(isMadeOfTables))
  for (const kind of kinds) {
    const sources = engines.filter((one) => one.kinds.some((it) => it.kind === kind)).map(({ offer }) => offer.source)
    const former = await sql.query<{ id: string }>(
      'select id from resource where kind = $1 and source is not null and source <> all ($2)',
      [kind, sources],
    )
    for (let at = 0; at < former.length; at += AT_ONCE)
      await transaction(async (tx) => {
        for (const { id } of former.slice(at, at + AT_ONCE)) await tx.remove(kind, id)
      })
  }
}
