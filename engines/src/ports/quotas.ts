import { allQuotas, quotaNames, type QuotaLimits, type QuotaName } from '@mainstay/contract/all-quotas'
import type { QuotaAmount } from '@mainstay/contract/compute/quotas'
import { GiB, MiB } from '@mainstay/contract/core/bytes'
import { problem, withField } from '@mainstay/contract/core/problems'
import { recycledItemKind } from '@mainstay/contract/storage/recycle-bin'
import type { RecordsTransaction, Whose } from './records'
import type { Scope } from './scope'

type Declared = typeof allQuotas
/** Names of an area's quotas. */
export type QuotasOf<Area extends string> = {
  [Name in QuotaName]: Declared[Name]['area'] extends Area ? Name : never
}[QuotaName]
/** Limits and usage for an area's quotas, in their declared units. */
export type AreaQuotas<Area extends string> = Record<QuotasOf<Area>, QuotaAmount>

export const quotasOfArea = <Area extends string>(area: Area): readonly QuotasOf<Area>[] =>
  quotaNames.filter((name): name is QuotasOf<Area> => allQuotas[name].area === area)

/** The project whose limits are set. */
export interface ProjectRef {
  project_id: string
  domain_id: string
}

/**
 * Sets quota limits. The server has already checked the permission, and that the scope covers the project or domain.
 * Limits are in the declared units, -1 means unlimited, and omitted limits stay unchanged.
 */
export interface QuotaLimitsPort {
  /** Quotas that can be limited per project. */
  ofProjects: readonly QuotaName[]
  /** Quotas that can be limited per domain; empty if the engine has no domain limits. */
  ofDomains: readonly QuotaName[]
  /** Throws a `validation` error for a limit that cannot be stored exactly. */
  setOfProject(scope: Scope, project: ProjectRef, limits: QuotaLimits): Promise<void>
  /** Returns the limits of a domain, and the total usage of its projects. */
  viewOfDomain(domainId: string): Promise<Partial<Record<QuotaName, QuotaAmount>>>
  setOfDomain(domainId: string, limits: QuotaLimits): Promise<void>
}

/** The commands for quotas, for areas that have quotas. */
export type QuotasPort<Area extends string> = [QuotasOf<Area>] extends [never]
  ? unknown
  : {
      quotas(scope: Scope, projectId: string): Promise<AreaQuotas<Area>>
      /** All areas of an engine share this object. */
      quotaLimits: QuotaLimitsPort
    }

type Sums = Pick<RecordsTransaction, 'sum'>

/** Returns the usage of a quota in the recycle bin of a project, a domain, or (null) the whole installation. */
export async function recycledOf(tx: Sums, whose: Whose, name: QuotaName): Promise<number> {
  const { recycled }: { of: string; recycled?: string } = allQuotas[name]
  return recycled === undefined ? 0 : tx.sum(recycledItemKind.name, whose, recycled)
}

/**
 * Returns the usage of a quota by a project, a domain, or (null) the whole installation: the number of rows or the sum
 * of a field, including other kinds that count and the recycle bin.
 */
export async function usedOf(tx: Sums, whose: Whose, name: QuotaName): Promise<number> {
  const { of, sum, also }: { of: string; sum?: string; also?: { of: string; sum: string } } = allQuotas[name]
  const others = also ? await tx.sum(also.of, whose, also.sum) : 0
  return (await tx.sum(of, whose, sum)) + others + (await recycledOf(tx, whose, name))
}

/** Formats a quota amount for display: `12`, `1.5 GiB`, `300 MiB`. */
function figureOf(name: QuotaName, amount: number): string {
  const { unit } = allQuotas[name]
  if (unit === 'things') return String(amount)
  const bytes = unit === 'MiB' ? amount * MiB : amount
  const [size, word] = bytes >= GiB ? [GiB, 'GiB'] : [MiB, 'MiB']
  return `${Number((bytes / size).toFixed(2))} ${word}`
}

/** The amount that a command requires, and the draft field that requests it. */
export interface WantedAmount {
  amount: number
  field?: string
}

/**
 * Throws a `quota_exceeded` error with the numbers and the field that requests too much. `of` tells whose limit it is.
 * The numbers are in the unit of the quota.
 */
export function requireQuota(
  name: QuotaName,
  { limit, used, recycled = 0 }: QuotaAmount & { recycled?: number },
  { amount, field }: WantedAmount,
  of: 'project' | 'domain' = 'project',
): void {
  if (limit < 0 || amount <= 0 || used + amount <= limit) return
  const [has, most, more, inBin] = [used, limit, amount, recycled].map((it) => figureOf(name, it))
  const values = { resource: allQuotas[name].words, of, used: has!, limit: most!, requested: more! }
  const data = { resource: name, of, limit, used, requested: amount }
  const found =
    recycled > 0
      ? problem('core.quota_exceeded_with_bin', { ...values, recycled: inBin! }, { data })
      : problem('core.quota_exceeded', values, { data })
  throw field ? withField(found, { field }) : found
}
