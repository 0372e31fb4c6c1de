import {
  allQuotas,
  domainQuotaNames,
  limitsIn,
  quotaFactor,
  type CountedQuotas,
  type QuotaLimits,
  type QuotaName,
} from '@mainstay/contract/all-quotas'
import type { QuotaAmount } from '@mainstay/contract/compute/quotas'
import { notFound, fieldProblem, problem } from '@mainstay/contract/core/problems'
import type { ProjectRef, QuotaLimitsPort } from '@mainstay/engines/ports/quotas'
import type { Scope } from '@mainstay/engines/ports/scope'
import { areasWithQuotas, limitKeepers, type EnginePorts } from '../../engines/quota-limits'
import type { Tools } from '../../tools'

type Amounts = Partial<Record<QuotaName, QuotaAmount>>

/** Converts amounts to API units: bytes, or numbers of objects. */
const inBytes = (amounts: Amounts): Amounts =>
  Object.fromEntries(
    Object.entries(amounts).map(([name, { limit, used }]) => {
      const factor = quotaFactor(name as QuotaName)
      return [name, { limit: limit < 0 ? limit : limit * factor, used: used * factor }]
    }),
  )
const inUnits = (limits: QuotaLimits): QuotaLimits =>
  Object.fromEntries(
    Object.entries(limits).map(([name, limit]) => [name, limit < 0 ? limit : limit / quotaFactor(name as QuotaName)]),
  )

/**
 * Returns a project by ID. Throws `not_found` unless the scope includes the project: a project scope includes only
 * itself, a domain scope its projects, and a system scope all projects.
 */
export async function projectNamed(
  { identity }: Pick<Tools, 'identity'>,
  scope: Scope,
  id: string,
): Promise<ProjectRef> {
  if (scope.project_id === id) return { project_id: id, domain_id: scope.domain_id }
  const project = scope.kind === 'project' || scope.kind === 'none' ? null : await identity.project(id)
  if (!project || (scope.kind === 'domain' && (project.domain_id !== scope.domain_id || project.is_reserved)))
    throw notFound()
  return { project_id: id, domain_id: project.domain_id }
}

/** Limits and usage of a project's quotas as counted by the engines of all areas, in bytes or numbers of objects. */
export async function countedQuotas(
  tools: EnginePorts,
  scope: Scope,
  projectId: string,
): Promise<Partial<CountedQuotas>> {
  const asked = areasWithQuotas.filter((area) => area === 'compute' || tools.areas[area].engine)
  const amounts = await Promise.all(asked.map((area) => tools.ports[area].quotas(scope, projectId)))
  return inBytes(Object.assign({}, ...amounts) as Amounts)
}

/**
 * Groups limits by the port that enforces them, so that an engine that serves several areas is called only once. Throws
 * a `validation` error for limits that no engine enforces.
 */
function byKeeper(
  tools: EnginePorts,
  whose: 'ofProjects' | 'ofDomains',
  limits: QuotaLimits,
): Map<QuotaLimitsPort, QuotaLimits> {
  const known = new Map(limitKeepers(tools, whose))
  const asked = new Map<QuotaLimitsPort, QuotaLimits>()
  for (const [name, limit] of Object.entries(inUnits(limits)) as [QuotaName, number][]) {
    const port = known.get(name)
    if (!port)
      throw fieldProblem(`${allQuotas[name].at}.limit`, 'compute.quota_not_settable', {
        resource: allQuotas[name].words,
      })
    asked.set(port, { ...asked.get(port), [name]: limit })
  }
  return asked
}

export async function setProjectQuotas(
  tools: EnginePorts,
  scope: Scope,
  project: ProjectRef,
  change: Parameters<typeof limitsIn>[0],
): Promise<void> {
  for (const [port, limits] of byKeeper(tools, 'ofProjects', limitsIn(change)))
    await port.setOfProject(scope, project, limits)
}

/**
 * Checks that the ceilings of a domain can be read or set. Throws `not_found` if the domain is outside the scope, and
 * `unsupported` if no engine enforces domain ceilings.
 */
async function requireDomain(tools: EnginePorts & Pick<Tools, 'identity'>, scope: Scope, id: string): Promise<void> {
  const isTheirs = scope.kind === 'system' || (scope.kind === 'domain' && scope.domain_id === id)
  if (!isTheirs || !(await tools.identity.domain(id))) throw notFound()
  if (limitKeepers(tools, 'ofDomains').length === 0) throw problem('compute.no_domain_quotas')
}

/**
 * Returns the ceilings of a domain, in bytes or numbers of objects. Quotas that no engine counts have limit -1 and
 * usage 0.
 */
export async function domainCeilings(
  tools: EnginePorts & Pick<Tools, 'identity'>,
  scope: Scope,
  id: string,
): Promise<Record<(typeof domainQuotaNames)[number], QuotaAmount>> {
  await requireDomain(tools, scope, id)
  const ports = new Set(limitKeepers(tools, 'ofDomains').map(([, port]) => port))
  const amounts = await Promise.all([...ports].map((port) => port.viewOfDomain(id)))
  const counted = inBytes(Object.assign({}, ...amounts) as Amounts)
  return Object.fromEntries(domainQuotaNames.map((name) => [name, counted[name] ?? { limit: -1, used: 0 }])) as never
}

export async function setDomainCeilings(
  tools: EnginePorts & Pick<Tools, 'identity'>,
  scope: Scope,
  id: string,
  change: Parameters<typeof limitsIn>[0],
): Promise<void> {
  await requireDomain(tools, scope, id)
  for (const [port, limits] of byKeeper(tools, 'ofDomains', limitsIn(change))) await port.setOfDomain(id, limits)
}
