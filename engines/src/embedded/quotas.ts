import {
  allQuotas,
  domainQuotaNames,
  quotaNames,
  type QuotaLimits,
  type QuotaName,
} from '@mainstay/contract/all-quotas'
import { quotaKind, type QuotaRecord } from '@mainstay/contract/compute/quotas'
import { notFound } from '@mainstay/contract/core/problems'
import {
  quotasOfArea,
  recycledOf,
  requireQuota,
  usedOf,
  type AreaQuotas,
  type ProjectRef,
  type QuotaLimitsPort,
  type WantedAmount,
} from '../ports/quotas'
import type { RecordsTransaction } from '../ports/records'
import type { Scope } from '../ports/scope'
import { actsOn } from './access'
import type { Engine } from './engine'

/** Returns the limits set for a project, or the ceilings set for a domain. */
async function limitsSet(tx: RecordsTransaction, id: string): Promise<QuotaLimits> {
  return (await tx.get<QuotaRecord>(quotaKind.name, id))?.limits ?? {}
}

/** Returns the limits of a project: those set for it, and the installation's defaults for the rest. */
export const limitsOf = async (
  { limits }: Engine,
  tx: RecordsTransaction,
  projectId: string,
): Promise<Record<QuotaName, number>> => ({ ...limits.quotas, ...(await limitsSet(tx, projectId)) })

/** Returns a project's limit and how much of it is left, which is infinite if there is no limit. */
export async function leftOf(
  engine: Engine,
  tx: RecordsTransaction,
  project_id: string,
  name: QuotaName,
): Promise<{ limit: number; left: number }> {
  const limit = (await limitsOf(engine, tx, project_id))[name]
  const left = limit < 0 ? Infinity : Math.max(0, limit - (await usedOf(tx, { project_id }, name)))
  return { limit, left }
}

/** Amounts requested by a command. */
export type Wanted = Partial<Record<QuotaName, WantedAmount>>

/** Serializes commands that create objects in a project or set its limits. */
const lockProject = (tx: RecordsTransaction, projectId: string) => tx.exclusive(`quota:${projectId}`)
const lockDomain = (tx: RecordsTransaction, domainId: string) => tx.exclusive(`quota:domain:${domainId}`)

/**
 * Throws if the amounts would exceed a quota of the project or a ceiling of its domain. Until the transaction ends,
 * other commands in the project wait. If the domain has ceilings, commands in its other projects also wait.
 */
export async function checkQuotas(
  engine: Engine,
  tx: RecordsTransaction,
  { project_id, domain_id }: ProjectRef,
  wanted: Wanted,
): Promise<void> {
  await lockProject(tx, project_id)
  await requireAll(tx, 'project', { project_id }, await limitsOf(engine, tx, project_id), wanted)
  if (Object.keys(await limitsSet(tx, domain_id)).length === 0) return
  await lockDomain(tx, domain_id)
  await requireAll(tx, 'domain', { domain_id }, await limitsSet(tx, domain_id), wanted)
}

async function requireAll(
  tx: RecordsTransaction,
  of: 'project' | 'domain',
  whose: { project_id: string } | { domain_id: string },
  limits: QuotaLimits,
  wanted: Wanted,
): Promise<void> {
  for (const name of quotaNames) {
    const want = wanted[name]
    const limit = limits[name] ?? -1
    if (!want || want.amount <= 0 || limit < 0) continue
    const used = await usedOf(tx, whose, name)
    if (used + want.amount <= limit) continue
    requireQuota(name, { limit, used, recycled: await recycledOf(tx, whose, name) }, want, of)
  }
}

/**
 * Returns the limits and usage of an area's quotas in a project. Throws `not_found` if the project is outside the
 * scope.
 */
export async function quotasOf<Area extends string>(
  engine: Engine,
  area: Area,
  scope: Scope,
  project_id: string,
): Promise<AreaQuotas<Area>> {
  // a domain administrator acts in no project; the server has already checked that this one is in the domain
  if (scope.kind !== 'domain' && !actsOn(scope, project_id)) throw notFound()
  return engine.records.transaction(async (tx) => {
    const limits = await limitsOf(engine, tx, project_id)
    const amounts = await Promise.all(
      quotasOfArea(area).map(
        async (name) => [name, { limit: limits[name], used: await usedOf(tx, { project_id }, name) }] as const,
      ),
    )
    return Object.fromEntries(amounts) as AreaQuotas<Area>
  })
}

/** Limits are index rows, so open pages are notified of changes and each creation sees all committed limits. */
export function quotaLimits({ areas, records }: Engine): QuotaLimitsPort {
  const isOurs = (name: QuotaName) => [...areas].some((area) => area === allQuotas[name].area)
  const keep = async (tx: RecordsTransaction, whose: Omit<QuotaRecord, 'limits'>, limits: QuotaLimits) => {
    const row: QuotaRecord = { ...whose, limits: { ...(await limitsSet(tx, whose.id)), ...limits } }
    await tx.put(quotaKind.name, row)
  }
  const ofDomains = domainQuotaNames.filter(isOurs)
  return {
    ofProjects: quotaNames.filter(isOurs),
    ofDomains,
    setOfProject: (_, { project_id, domain_id }, limits) =>
      records.transaction(async (tx) => {
        await lockProject(tx, project_id)
        await keep(tx, { id: project_id, project_id, domain_id }, limits)
      }),
    viewOfDomain: (domain_id) =>
      records.transaction(async (tx) => {
        const limits = await limitsSet(tx, domain_id)
        const amounts = ofDomains.map(async (name) => {
          return [name, { limit: limits[name] ?? -1, used: await usedOf(tx, { domain_id }, name) }] as const
        })
        return Object.fromEntries(await Promise.all(amounts))
      }),
    setOfDomain: (domain_id, limits) =>
      records.transaction(async (tx) => {
        await lockDomain(tx, domain_id)
        await keep(tx, { id: domain_id, project_id: null, domain_id }, limits)
      }),
  }
}
