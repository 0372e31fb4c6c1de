import { allQuotas, quotaNames, type QuotaLimits, type QuotaName } from '@mainstay/contract/all-quotas'
import type { QuotaAmount } from '@mainstay/contract/compute/quotas'
import { GiB, MiB } from '@mainstay/contract/core/bytes'
import { problem, withField } from '@mainstay/contract/core/problems'
import { recycledItemKind } from '@mainstay/contract/storage/recycle-bin'
import type { RecordsTransaction, Whose } from './records'
import type { Scope } from './scope'

type Declared = typeof allQuotas
/** Names of the quotas of an area. */
export type QuotasOf<Area extends string> = {
  [Name in QuotaName]: Declared[Name]['area'] extends Area ? Name : never
}[QuotaName]
/** What an engine answers of the quotas of an area, in the units of their declarations. */
export type AreaQuotas<Area extends string> = Record<QuotasOf<Area>, QuotaAmount>

export const quotasOfArea = <Area extends string>(area: Area): readonly QuotasOf<Area>[] =>
  quotaNames.filter((name): name is QuotasOf<Area> => allQuotas[name].area === area)

/** Whose limits are set. */
export interface ProjectRef {
  project_id: string
  domain_id: string
}

/**
 * Limits, and who may be given some. The server has checked the right and that the scope acts on the project or domain;
 * limits are in the units of their declarations, -1 is none, and what is left out stays.
 */
export interface QuotaLimitsPort {
  /** Quotas of which each project can be given a limit. */
  ofProjects: readonly QuotaName[]
  /** Quotas of which a domain can be given a ceiling; empty where there are none of domains. */
  ofDomains: readonly QuotaName[]
  /** Throws `validation` with the quota's place where a limit cannot be kept as it is. */
  setOfProject(scope: Scope, project: ProjectRef, limits: QuotaLimits): Promise<void>
  /** Ceilings of a domain and what all of its projects have. */
  viewOfDomain(domainId: string): Promise<Partial<Record<QuotaName, QuotaAmount>>>
  setOfDomain(domainId: string, limits: QuotaLimits): Promise<void>
}

/** What the port of an area with quotas has of them. */
export type QuotasPort<Area extends string> = [QuotasOf<Area>] extends [never]
  ? unknown
  : {
      quotas(scope: Scope, projectId: string): Promise<AreaQuotas<Area>>
      /** The same one in each area that an engine serves. */
      quotaLimits: QuotaLimitsPort
    }

type Sums = Pick<RecordsTransaction, 'sum'>

/** What of a quota is in the recycle bin of a project, a domain, or (null) everybody. */
export async function recycledOf(tx: Sums, whose: Whose, name: QuotaName): Promise<number> {
  const { recycled }: { of: string; recycled?: string } = allQuotas[name]
  return recycled === undefined ? 0 : tx.sum(recycledItemKind.name, whose, recycled)
}

/**
 * What a project, a domain, or (null) everybody has of a quota: the rows of its kind, or the sum of their numbers, and what
 * is in the recycle bin.
 */
export async function usedOf(tx: Sums, whose: Whose, name: QuotaName): Promise<number> {
  const { of, sum }: { of: string; sum?: string } = allQuotas[name]
  return (await tx.sum(of, whose, sum)) + (await recycledOf(tx, whose, name))
}

/** A figure of a quota for people: `12`, `1.5 GiB`, `300 MiB`. */
function figureOf(name: QuotaName, amount: number): string {
  const { unit } = allQuotas[name]
  if (unit === 'things') return String(amount)
  const bytes = unit === 'MiB' ? amount * MiB : amount
  const [size, word] = bytes >= GiB ? [GiB, 'GiB'] : [MiB, 'MiB']
  return `${Number((bytes / size).toFixed(2))} ${word}`
}

/** An amount that a command wants, and the field of its draft that asks for it. */
export interface WantedAmount {
  amount: number
  field?: string
}

/**
 * Throws `quota_exceeded`, with the numbers and the field that asks for too much. `of`: whose limit it is. Numbers of the
 * problem are in the unit of the quota.
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
