import { GiB } from '@mainstay/contract/core/bytes'
import { allQuotas, type QuotaLimits, type QuotaName } from '@mainstay/contract/all-quotas'
import { notFound, fieldProblem, problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import {
  quotasOfArea,
  requireQuota,
  usedOf,
  type AreaQuotas,
  type QuotaLimitsPort,
  type WantedAmount,
} from '../ports/quotas'
import type { Scope } from '../ports/scope'
import type { ServiceClient } from './client/service-client'
import type { Engine } from './engine'

/** A limit with its usage, including reserved amounts. */
const Amount = z
  .object({ limit: z.number(), in_use: z.number(), reserved: z.number().default(0) })
  .transform(({ limit, in_use, reserved }) => ({ limit, used: in_use + reserved }))

const NovaQuotas = z.object({ quota_set: z.object({ instances: Amount, cores: Amount, ram: Amount }) })
const InGiB = Amount.transform(({ limit, used }) => ({ limit: limit < 0 ? limit : limit * GiB, used: used * GiB }))
const CinderQuotas = z.object({ quota_set: z.object({ volumes: Amount, gigabytes: InGiB, backup_gigabytes: InGiB }) })

type StorageQuotas = AreaQuotas<'storage'>
/** Quotas for which the cloud counts the usage. */
type CloudQuotas = Omit<AreaQuotas<'compute'>, 'images' | 'image_storage'> & StorageQuotas

const pathOf = (projectId: string) => `/os-quota-sets/${encodeURIComponent(projectId)}`

async function novaQuotas(cloud: ServiceClient, projectId: string): Promise<Omit<CloudQuotas, keyof StorageQuotas>> {
  const { quota_set } = await cloud.get('compute', `${pathOf(projectId)}/detail`, NovaQuotas)
  return { instances: quota_set.instances, vcpus: quota_set.cores, ram: quota_set.ram }
}

async function cinderQuotas(cloud: ServiceClient, projectId: string): Promise<StorageQuotas> {
  const query = { usage: 'True' }
  const { quota_set } = await cloud.get('volume', pathOf(projectId), CinderQuotas, { query })
  return { volumes: quota_set.volumes, storage: quota_set.gigabytes, volumes_backups: quota_set.backup_gigabytes }
}

const NeutronAmount = z
  .object({ limit: z.number(), used: z.number().default(0), reserved: z.number().default(0) })
  .transform(({ limit, used, reserved }) => ({ limit, used: used + reserved }))
const NeutronQuotas = z.object({ quota: z.record(z.string(), NeutronAmount) })

/**
 * Returns the networking quotas of a project. Quotas that the cloud lacks, for example for routers or security groups,
 * are zero.
 */
export async function networkingQuotasOf(
  engine: Engine,
  scope: Scope,
  projectId: string,
): Promise<AreaQuotas<'networking'>> {
  const quota = await neutronQuotas(engine, scope, projectId)
  return Object.fromEntries(
    quotasOfArea('networking').map((name) => [name, quota[kept[name].key] ?? noneOfIt]),
  ) as AreaQuotas<'networking'>
}
const noneOfIt = { limit: 0, used: 0 }

async function neutronQuotas(engine: Engine, scope: Scope, projectId: string) {
  refuseOther(scope, projectId)
  const cloud = await engine.as(scope)
  return (await cloud.get('network', `/quotas/${encodeURIComponent(projectId)}/details`, NeutronQuotas)).quota
}

/** Returns the VPN quota of a project. The quota is zero if the cloud does not have VPN. */
export async function vpnQuotasOf(engine: Engine, scope: Scope, projectId: string): Promise<AreaQuotas<'vpn'>> {
  const quota = await neutronQuotas(engine, scope, projectId)
  return { ipsec_site_connection: quota[kept.ipsec_site_connection.key] ?? noneOfIt }
}

const OctaviaQuotas = z.object({
  quota: z.object({ loadbalancer: z.number().nullish(), load_balancer: z.number().nullish() }),
})

/**
 * Returns the load balancing quotas of a project. Octavia reports only the limit, so the usage is counted in the index.
 * The quotas are zero if the cloud does not have the service.
 */
export async function balancingQuotasOf(
  engine: Engine,
  scope: Scope,
  projectId: string,
): Promise<AreaQuotas<'load-balancing'>> {
  refuseOther(scope, projectId)
  const cloud = await engine.as(scope)
  if (!(await cloud.has('load-balancer'))) return { loadbalancer: { limit: 0, used: 0 } }
  const used = await engine.records.transaction((tx) => usedOf(tx, { project_id: projectId }, 'loadbalancer'))
  const path = `/lbaas/quotas/${encodeURIComponent(projectId)}`
  const { quota } = await cloud.get('load-balancer', path, OctaviaQuotas)
  return { loadbalancer: { limit: quota.loadbalancer ?? quota.load_balancer ?? -1, used } }
}

/** Reads the quotas of the caller's own project or, for operators, of any project. */
async function cloudQuotas(cloud: ServiceClient, projectId: string): Promise<CloudQuotas> {
  const [compute, storage] = await Promise.all([novaQuotas(cloud, projectId), cinderQuotas(cloud, projectId)])
  return { ...compute, ...storage }
}

const refuseOther = (scope: Scope, projectId: string): void => {
  if (scope.kind !== 'system' && scope.project_id !== projectId) throw notFound()
}

/**
 * Returns the compute quotas of a project. Images are counted in the index, because not every cloud has a quota for
 * them.
 */
export async function computeQuotasOf(engine: Engine, scope: Scope, projectId: string): Promise<AreaQuotas<'compute'>> {
  refuseOther(scope, projectId)
  const [counted, images, image_storage] = await Promise.all([
    engine.as(scope).then((cloud) => novaQuotas(cloud, projectId)),
    engine.records.transaction((tx) => usedOf(tx, { project_id: projectId }, 'images')),
    engine.records.transaction((tx) => usedOf(tx, { project_id: projectId }, 'image_storage')),
  ])
  return { ...counted, images: { limit: -1, used: images }, image_storage: { limit: -1, used: image_storage } }
}

export async function storageQuotasOf(engine: Engine, scope: Scope, projectId: string): Promise<StorageQuotas> {
  refuseOther(scope, projectId)
  return cinderQuotas(await engine.as(scope), projectId)
}

/**
 * Refuses a request that exceeds a quota, with the numbers and the field. The cloud also checks its quotas, but too
 * late for volumes that it creates with an instance.
 */
export async function checkQuotas(
  cloud: ServiceClient,
  projectId: string,
  wanted: Partial<Record<keyof CloudQuotas, WantedAmount>>,
): Promise<void> {
  const quotas = await cloudQuotas(cloud, projectId)
  for (const name of Object.keys(quotas) as (keyof CloudQuotas)[])
    if (wanted[name]) requireQuota(name, quotas[name], wanted[name])
}

/** Service and name of each quota in the cloud, and how many of our units make up one of the cloud's units. */
const kept = {
  instances: { service: 'compute', key: 'instances', factor: 1 },
  vcpus: { service: 'compute', key: 'cores', factor: 1 },
  ram: { service: 'compute', key: 'ram', factor: 1 },
  volumes: { service: 'volume', key: 'volumes', factor: 1 },
  storage: { service: 'volume', key: 'gigabytes', factor: GiB },
  volumes_backups: { service: 'volume', key: 'backup_gigabytes', factor: GiB },
  networks: { service: 'network', key: 'network', factor: 1 },
  subnets: { service: 'network', key: 'subnet', factor: 1 },
  ports: { service: 'network', key: 'port', factor: 1 },
  routers: { service: 'network', key: 'router', factor: 1 },
  floatingip: { service: 'network', key: 'floatingip', factor: 1 },
  security_groups: { service: 'network', key: 'security_group', factor: 1 },
  security_group_rules: { service: 'network', key: 'security_group_rule', factor: 1 },
  ipsec_site_connection: { service: 'network', key: 'ipsec_site_connection', factor: 1 },
  loadbalancer: { service: 'load-balancer', key: 'loadbalancer', factor: 1 },
} as const satisfies Partial<Record<QuotaName, { service: string; key: string; factor: number }>>
const isKept = (name: QuotaName): name is keyof typeof kept => name in kept

/** Converts a limit to the cloud's unit. Throws a `validation` error if it is not a whole number of units. */
function inUnitsOfCloud(name: keyof typeof kept, limit: number): number {
  const { factor } = kept[name]
  if (limit >= 0 && limit % factor !== 0) throw fieldProblem(`${allQuotas[name].at}.limit`, 'compute.whole_gib_quota')
  return limit < 0 ? limit : limit / factor
}

/**
 * Creates the port for quota limits, which the cloud's services enforce. They have no limits for domains, and only some
 * clouds have limits for images.
 */
export function quotaLimits(engine: Engine): QuotaLimitsPort {
  const unsupported = () => Promise.reject(problem('compute.no_domain_quotas'))
  return {
    ofProjects: [...engine.areas].flatMap((area) => quotasOfArea(area)).filter(isKept),
    ofDomains: [],
    async setOfProject(scope, { project_id }, wanted: QuotaLimits) {
      const sets = new Map<'compute' | 'volume' | 'network' | 'load-balancer', Record<string, number>>()
      for (const name of Object.keys(wanted).filter((it): it is keyof typeof kept => isKept(it as QuotaName))) {
        const { service, key } = kept[name]
        sets.set(service, { ...sets.get(service), [key]: inUnitsOfCloud(name, wanted[name]!) })
      }
      const cloud = await engine.as(scope)
      // limits below the usage are intended: the console has asked for confirmation
      for (const [service, limits] of sets)
        if (service === 'network' || service === 'load-balancer') {
          const path = `${service === 'network' ? '' : '/lbaas'}/quotas/${encodeURIComponent(project_id)}`
          await cloud.send('PUT', service, path, z.void(), { body: { quota: limits } })
        } else
          await cloud.send('PUT', service, pathOf(project_id), z.void(), {
            body: { quota_set: { ...limits, ...(service === 'compute' && { force: true }) } },
          })
    },
    viewOfDomain: unsupported,
    setOfDomain: unsupported,
  }
}
