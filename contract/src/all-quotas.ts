import { areaList, type AreasOfEngines, type Merged } from './areas'
import type { DomainQuotas, DomainQuotasChange, QuotaAmount, Quotas, QuotasChange } from './compute/quotas'
import type { AreaQuota } from './core/area'
import { MiB } from './core/bytes'
import { valueAt } from './core/kind'

type QuotasOf<Of> = Of extends AreasOfEngines
  ? Of['engine'] extends { quotas: infer Declared }
    ? { [Name in keyof Declared]: Declared[Name] & { readonly area: Of['name'] } }
    : never
  : never
type AllQuotas = Merged<QuotasOf<AreasOfEngines>>

const declared = areaList.flatMap(({ name: area, engine }) =>
  Object.entries(engine?.quotas ?? {}).map(([name, quota]) => [name, { area, ...quota }] as const),
)
const serviceOf = ({ at }: AreaQuota): string => at.split('.')[0]!

/**
 * All quotas with their areas, keyed by the name used by engines, errors and forms. Quotas of the same service in the
 * response are adjacent, even if several areas declare them.
 */
export const allQuotas = Object.fromEntries(
  [...new Set(declared.map(([, quota]) => serviceOf(quota)))].flatMap((service) =>
    declared.filter(([, quota]) => serviceOf(quota) === service),
  ),
) as unknown as AllQuotas
export type QuotaName = keyof AllQuotas
export const quotaNames = Object.keys(allQuotas) as readonly QuotaName[]

/** Limit and usage of a project, by quota. */
export type CountedQuotas = Record<QuotaName, QuotaAmount>

/** Quotas that can be limited for a domain, over the total usage of its projects. */
export const domainQuotaNames = ['vcpus', 'ram', 'storage'] as const satisfies readonly QuotaName[]

/** Limits by quota, each in the unit that the quota declares. */
export type QuotaLimits = Partial<Record<QuotaName, number>>

/** Number of API units (objects or bytes) per unit of the quota. */
export const quotaFactor = (name: QuotaName): number => (allQuotas[name].unit === 'MiB' ? MiB : 1)

/** Flattens the quotas of a project into one record keyed by quota name. Sizes in bytes. */
export const countedIn = (all: Quotas): CountedQuotas =>
  Object.fromEntries(
    quotaNames.map((name) => [name, valueAt(all, allQuotas[name].at) ?? { limit: -1, used: 0 }]),
  ) as CountedQuotas

/** Flattens the quotas of a domain into one record keyed by quota name. Sizes in bytes. */
export const countedOfDomain = (all: DomainQuotas): Pick<CountedQuotas, (typeof domainQuotaNames)[number]> =>
  Object.fromEntries(domainQuotaNames.map((name) => [name, valueAt(all, allQuotas[name].at)])) as never

/** Returns the limits set in a request body, by quota, in bytes or objects. */
export const limitsIn = (body: QuotasChange | DomainQuotasChange): QuotaLimits =>
  Object.fromEntries(
    quotaNames.flatMap((name) => {
      const named = valueAt(body, allQuotas[name].at) as { limit: number } | undefined
      return named ? [[name, named.limit]] : []
    }),
  )

/** Writes each value at the path (`at`) of its quota and returns the object. */
export function atQuotaPlaces<Value>(values: Partial<Record<QuotaName, Value>>, into: object = {}): object {
  for (const name of quotaNames) {
    const value = values[name]
    if (value === undefined) continue
    const steps = allQuotas[name].at.split('.')
    const last = steps.pop()!
    let place = into as Record<string, unknown>
    for (const step of steps) place = (place[step] ??= {}) as Record<string, unknown>
    place[last] = value
  }
  return into
}
