import { allQuotas, quotaNames, type QuotaName } from '@mainstay/contract/all-quotas'
import type { AreaPorts } from '@mainstay/engines/ports/area-ports'
import type { Composed } from '@mainstay/engines/ports/engine'
import type { QuotaLimitsPort } from '@mainstay/engines/ports/quotas'

export type EnginePorts = Pick<Composed, 'ports' | 'areas'>

type AreaWithQuotas = (typeof allQuotas)[QuotaName]['area'] & keyof AreaPorts
export const areasWithQuotas = [...new Set(quotaNames.map((name): AreaWithQuotas => allQuotas[name].area))]

/** Quotas whose limits can be set for projects or for domains, with the port that stores each limit. */
export const limitKeepers = (
  { ports, areas }: EnginePorts,
  whose: 'ofProjects' | 'ofDomains',
): [QuotaName, QuotaLimitsPort][] =>
  areasWithQuotas
    .filter((area) => areas[area].engine)
    .flatMap((area) => {
      const { quotaLimits } = ports[area]
      const names = quotaLimits[whose].filter((name) => allQuotas[name].area === area)
      return names.map((name): [QuotaName, QuotaLimitsPort] => [name, quotaLimits])
    })

/** Names of the quotas with settable limits, for the console. */
export const settableQuotas = (tools: EnginePorts): { of_projects: QuotaName[]; of_domains: QuotaName[] } => ({
  of_projects: limitKeepers(tools, 'ofProjects').map(([name]) => name),
  of_domains: limitKeepers(tools, 'ofDomains').map(([name]) => name),
})
