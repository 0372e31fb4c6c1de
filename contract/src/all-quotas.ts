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
 * All quotas with their areas, keyed by the name that engines, errors and forms use. Quotas for the same service are
 * adjacent, even if different areas declare them.
 */
export const allQuotas = Object.fromEntries(
  [...new Set(declared.map(([, quota]) => serviceOf(quota)))].flatMap((service) =>
    declared.filter(([, quota]) => serviceOf(quota) === service),
  ),
) as unknown as AllQuotas
export type QuotaName = keyof AllQuotas
export const quotaNames = Object.keys(allQuotas) as readonly QuotaName[]

/** A project's limit and usage for each quota. */
export type CountedQuotas = Record<QuotaName, QuotaAmount>

/** Quotas that can also be set for a domain, where they limit the total usage of its projects. */
export const domainQuotaNames = ['vcpus', 'ram', 'storage'] as const satisfies readonly QuotaName[]

/** Limits by quota name, each in the unit that the quota declares. */
export type QuotaLimits = Partial<Record<QuotaName, number>>

/** Returns the number of API units (objects or bytes) per unit of the quota. */
export const quotaFactor = (name: QuotaName): number => (allQuotas[name].unit === 'MiB' ? MiB : 1)

/** Flattens a project's quotas into one record keyed by quota name. Sizes are in bytes. */
export const countedIn = (all: Quotas): CountedQuotas =>
  Object.fromEntries(
    quotaNames.map((name) => [name, valueAt(all, allQuotas[name].at) ?? { limit: -1, used: 0 }]),
  ) as CountedQuotas

/** Flattens a domain's quotas into one record keyed by quota name. Sizes are in bytes. */
export const countedOfDomain = (all: DomainQuotas): Pick<CountedQuotas, (typeof domainQuotaNames)[number]> =>
  Object.fromEntries(domainQuotaNames.map((name) => [name, valueAt(all, allQuotas[name].at)])) as never

/** Returns the limits set in a request body, keyed by quota name, in bytes or number of objects. */
export const limitsIn = (body: QuotasChange | DomainQuotasChange): QuotaLimits =>
  Object.fromEntries(
    quotaNames.flatMap((name) => {
      const named = valueAt(body, allQuotas[name].at) as { limit: number } | undefined
      return named ? [[name, named.limit]] : []
    }),
  )

/** Sets each value in `into` at its quota's path (`at`) and returns `into`. */
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
