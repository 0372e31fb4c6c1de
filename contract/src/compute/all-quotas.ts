import { MiB } from '../core/bytes'
import type { PathOf } from '../core/fields'
import { valueAt } from '../core/kind'
import { quota, type Quota } from '../core/quota'
import {
  DEFAULT_STORAGE_POLICY,
  type DomainQuotas,
  type DomainQuotasChange,
  type QuotaAmount,
  type Quotas,
  type QuotasChange,
} from './quotas'

type Place = PathOf<Quotas> extends infer Path ? (Path extends `${infer At}.limit` ? At : never) : never

/** Every quota, by the name that engines, refusals and forms have for it. */
export const allQuotas = {
  instances: quota({
    area: 'compute',
    of: 'server',
    unit: 'things',
    at: 'compute.instances',
    words: 'instances',
  }),
  vcpus: quota({
    area: 'compute',
    of: 'server',
    sum: 'derived.taken.vcpus',
    unit: 'things',
    at: 'compute.cores',
    words: 'vCPUs',
  }),
  ram: quota({
    area: 'compute',
    of: 'server',
    sum: 'derived.taken.ram',
    unit: 'MiB',
    at: 'compute.ram',
    words: 'memory',
  }),
  images: quota({ area: 'compute', of: 'image', unit: 'things', at: 'image.images', words: 'images' }),
  image_storage: quota({
    area: 'compute',
    of: 'image',
    sum: 'size',
    unit: 'bytes',
    at: 'image.image_storage',
    words: 'image storage in bytes',
  }),
  volumes: quota({
    area: 'storage',
    of: 'volume',
    recycled: 'derived.volumes',
    unit: 'things',
    at: 'storage.volumes',
    words: 'volumes',
  }),
  storage: quota({
    area: 'storage',
    of: 'volume',
    sum: 'size',
    recycled: 'derived.storage',
    unit: 'bytes',
    at: `storage.storage_policies.${DEFAULT_STORAGE_POLICY}`,
    words: 'storage',
  }),
  networks: quota({ area: 'networking', of: 'network', unit: 'things', at: 'network.networks', words: 'networks' }),
  subnets: quota({ area: 'networking', of: 'subnet', unit: 'things', at: 'network.subnets', words: 'subnets' }),
  ports: quota({ area: 'networking', of: 'port', unit: 'things', at: 'network.ports', words: 'ports' }),
  routers: quota({ area: 'networking', of: 'router', unit: 'things', at: 'network.routers', words: 'virtual routers' }),
  floatingip: quota({
    area: 'networking',
    of: 'floating_ip',
    unit: 'things',
    at: 'network.floatingip',
    words: 'floating IPs',
  }),
  security_groups: quota({
    area: 'networking',
    of: 'security_group',
    unit: 'things',
    at: 'network.security_groups',
    words: 'security groups',
  }),
  security_group_rules: quota({
    area: 'networking',
    of: 'security_group_rule',
    unit: 'things',
    at: 'network.security_group_rules',
    words: 'rules of security groups',
  }),
  ipsec_site_connection: quota({
    area: 'vpn',
    of: 'ipsec_site_connection',
    unit: 'things',
    at: 'network.ipsec_site_connection',
    words: 'VPN connections',
  }),
  loadbalancer: quota({
    area: 'load-balancing',
    of: 'load_balancer',
    unit: 'things',
    at: 'lbaas.loadbalancer',
    words: 'load balancers',
  }),
} satisfies Record<string, Quota & { at: Place }>
export type QuotaName = keyof typeof allQuotas
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
