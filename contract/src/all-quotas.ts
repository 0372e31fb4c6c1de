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
 * Every quota with its area, by the name that engines, refusals and forms have for it. Those of one service of the answer
 * stand together, also where several areas have some.
 */
export const allQuotas = Object.fromEntries(
  [...new Set(declared.map(([, quota]) => serviceOf(quota)))].flatMap((service) =>
    declared.filter(([, quota]) => serviceOf(quota) === service),
  ),
) as unknown as AllQuotas
export type QuotaName = keyof AllQuotas
export const quotaNames = Object.keys(allQuotas) as readonly QuotaName[]

/** What is counted of a project, by quota. */
export type CountedQuotas = Record<QuotaName, QuotaAmount>

/** Quotas that a domain may have a ceiling of, over all of its projects together. */
export const domainQuotaNames = ['vcpus', 'ram', 'storage'] as const satisfies readonly QuotaName[]

/** Limits by quota, each in the unit of its declaration. */
export type QuotaLimits = Partial<Record<QuotaName, number>>

/** How many of the API's units (things, bytes) make one of the quota's own. */
export const quotaFactor = (name: QuotaName): number => (allQuotas[name].unit === 'MiB' ? MiB : 1)

/** What is counted of a project, without the services around it. Sizes in bytes. */
export const countedIn = (all: Quotas): CountedQuotas =>
  Object.fromEntries(
    quotaNames.map((name) => [name, valueAt(all, allQuotas[name].at) ?? { limit: -1, used: 0 }]),
  ) as CountedQuotas

/** What is counted of a domain as a whole. Sizes in bytes. */
export const countedOfDomain = (all: DomainQuotas): Pick<CountedQuotas, (typeof domainQuotaNames)[number]> =>
  Object.fromEntries(domainQuotaNames.map((name) => [name, valueAt(all, allQuotas[name].at)])) as never

/** The limits that a body names, by quota, in bytes or things. */
export const limitsIn = (body: QuotasChange | DomainQuotasChange): QuotaLimits =>
  Object.fromEntries(
    quotaNames.flatMap((name) => {
      const named = valueAt(body, allQuotas[name].at) as { limit: number } | undefined
      return named ? [[name, named.limit]] : []
    }),
  )

/** An object in which each of these values stands at the place of its quota. */
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
