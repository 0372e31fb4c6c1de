import { allQuotas, atQuotaPlaces, quotaFactor, type QuotaName } from '@mainstay/contract/all-quotas'
import { MAX_QUOTA_THINGS, type QuotaAmount } from '@mainstay/contract/compute/quotas'
import * as z from 'zod'
import { textsNow } from '../../../i18n/use-t'

/** A limit as entered, in bytes or as an object count; null while the field is empty. */
export interface TypedLimit {
  limit: number | null
  isUnlimited: boolean
}
export type TypedLimits = Partial<Record<QuotaName, TypedLimit>>
export type Amounts = Partial<Record<QuotaName, QuotaAmount>>

const Typed = z
  .object({
    limit: z.int().min(0).nullable(),
    isUnlimited: z.boolean(),
  })
  .refine(({ limit, isUnlimited }) => isUnlimited || limit !== null, {
    path: ['limit'],
    error: () => textsNow('identity')('quotas.missing'),
  })

/** Schema of the form for the given quotas. */
export const limitsForm = (names: readonly QuotaName[]) =>
  z.object(
    Object.fromEntries(
      names.map((name) => {
        const isThings = allQuotas[name].unit === 'things'
        const fits = ({ limit }: TypedLimit) => !isThings || limit === null || limit <= MAX_QUOTA_THINGS
        const error = () => textsNow('identity')('quotas.tooMany', { most: MAX_QUOTA_THINGS })
        return [name, Typed.refine(fits, { path: ['limit'], error })]
      }),
    ),
  ) as unknown as z.ZodType<TypedLimits, TypedLimits>

export const startOf = (names: readonly QuotaName[], amounts: Amounts): TypedLimits =>
  Object.fromEntries(
    names.map((name) => {
      const { limit = -1 } = amounts[name] ?? {}
      return [name, { limit: limit < 0 ? null : limit, isUnlimited: limit < 0 }]
    }),
  )

/**
 * Converts an entered limit to its API value: -1 for no limit. Memory is counted in MiB, so it is rounded to whole MiB.
 */
const limitOf = (name: QuotaName, { limit, isUnlimited }: TypedLimit): number => {
  if (isUnlimited || limit === null) return -1
  const factor = quotaFactor(name)
  return Math.round(limit / factor) * factor
}

/** The limits that differ from their initial values. */
export function changedLimits(typed: TypedLimits, start: TypedLimits): [QuotaName, number][] {
  const all = Object.entries(typed) as [QuotaName, TypedLimit][]
  return all
    .map(([name, it]): [QuotaName, number] => [name, limitOf(name, it)])
    .filter(([name, limit]) => limit !== limitOf(name, start[name]!))
}

/** The limits that are below current usage. */
export const limitsBelowUsage = (
  limits: readonly [QuotaName, number][],
  amounts: Amounts,
): [QuotaName, QuotaAmount][] =>
  limits.flatMap(([name, limit]): [QuotaName, QuotaAmount][] => {
    const used = amounts[name]?.used ?? 0
    return limit >= 0 && limit < used ? [[name, { limit, used }]] : []
  })

export const bodyOf = (limits: readonly [QuotaName, number][]): object =>
  atQuotaPlaces(Object.fromEntries(limits.map(([name, limit]) => [name, { limit }])))
