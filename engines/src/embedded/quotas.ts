import { quotaNames, type QuotaName } from '@mainstay/contract/compute/quotas'
import { notFound } from '@mainstay/contract/core/problems'
import { quotasOfArea, requireQuota, usedOf, type AreaQuotas, type WantedAmount } from '../ports/quotas'
import type { RecordsTransaction } from '../ports/records'
import type { Scope } from '../ports/scope'
import { actsOn } from './access'
import type { Engine } from './engine'

/** What a project has left of a quota; infinite where there is no limit. */
export async function leftOf(
  { limits }: Engine,
  tx: RecordsTransaction,
  projectId: string,
  name: QuotaName,
): Promise<number> {
  const limit = limits.quotas[name]
  return limit < 0 ? Infinity : Math.max(0, limit - (await usedOf(tx, projectId, name)))
}

/** Amounts that a command wants. */
export type Wanted = Partial<Record<QuotaName, WantedAmount>>

/** Refuses what would take a project over a quota. Others of the project wait until the transaction ends. */
export async function checkQuotas({ limits }: Engine, tx: RecordsTransaction, projectId: string, wanted: Wanted) {
  await tx.exclusive(`quota:${projectId}`)
  for (const name of quotaNames) {
    const want = wanted[name]
    const limit = limits.quotas[name]
    if (!want || want.amount <= 0 || limit < 0) continue
    requireQuota(name, { limit, used: await usedOf(tx, projectId, name) }, want)
  }
}

/** Limits and use of the quotas of an area in a project. Throws `not_found` for a project that the scope does not act in. */
export async function quotasOf<Area extends string>(
  { records, limits }: Engine,
  area: Area,
  scope: Scope,
  projectId: string,
): Promise<AreaQuotas<Area>> {
  if (!actsOn(scope, projectId)) throw notFound()
  return records.transaction(async (tx) => {
    const amounts = await Promise.all(
      quotasOfArea(area).map(
        async (name) => [name, { limit: limits.quotas[name], used: await usedOf(tx, projectId, name) }] as const,
      ),
    )
    return Object.fromEntries(amounts) as AreaQuotas<Area>
  })
}
