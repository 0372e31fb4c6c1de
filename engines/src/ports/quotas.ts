import { allQuotas, quotaNames, type QuotaAmount, type QuotaName } from '@mainstay/contract/compute/quotas'
import { Problem } from '@mainstay/contract/core/problems'
import type { RecordsTransaction } from './records'

type Declared = typeof allQuotas
/** Names of the quotas of an area. */
export type QuotasOf<Area extends string> = {
  [Name in QuotaName]: Declared[Name]['area'] extends Area ? Name : never
}[QuotaName]
/** What an engine answers of the quotas of an area, in the units of their declarations. */
export type AreaQuotas<Area extends string> = Record<QuotasOf<Area>, QuotaAmount>

export const quotasOfArea = <Area extends string>(area: Area): readonly QuotasOf<Area>[] =>
  quotaNames.filter((name): name is QuotasOf<Area> => allQuotas[name].area === area)

/** What a project, or (null) everybody, has of a quota: the rows of its kind, or the sum of their numbers. */
export function usedOf(
  tx: Pick<RecordsTransaction, 'sum'>,
  projectId: string | null,
  name: QuotaName,
): Promise<number> {
  const { of, sum }: { of: string; sum?: string } = allQuotas[name]
  return tx.sum(of, projectId, sum)
}

/** An amount that a command wants, and the field of its draft that asks for it. */
export interface WantedAmount {
  amount: number
  field?: string
}

/** Throws `quota_exceeded`, with the numbers and the field that asks for too much. */
export function requireQuota(name: QuotaName, { limit, used }: QuotaAmount, { amount, field }: WantedAmount): void {
  if (limit < 0 || amount <= 0 || used + amount <= limit) return
  const message =
    `The quota of ${allQuotas[name].words} of this project is not enough: ` +
    `${used} of ${limit} used, ${amount} more wanted`
  throw new Problem('quota_exceeded', message, {
    fields: field ? { [field]: [message] } : {},
    data: { resource: name, limit, used, requested: amount },
  })
}
