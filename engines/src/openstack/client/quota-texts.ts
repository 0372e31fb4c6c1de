import { GiB } from '@mainstay/contract/core/bytes'

/** The values that an error message gives for an exceeded quota. Storage is in bytes, memory in MiB. */
export interface QuotaNumbers {
  resource?: string
  limit?: number
  used?: number
  requested?: number
}

/** Maps the cloud's quota names to those in the contract. */
const names: Record<string, string> = {
  instances: 'instances',
  servers: 'instances',
  cores: 'vcpus',
  'class:VCPU': 'vcpus',
  ram: 'ram',
  'class:MEMORY_MB': 'ram',
  volumes: 'volumes',
  gigabytes: 'storage',
  backup_gigabytes: 'volumes_backups',
  image_count_total: 'images',
  network: 'networks',
  subnet: 'subnets',
  port: 'ports',
  router: 'routers',
  floatingip: 'floatingip',
  security_group: 'security_groups',
  security_group_rule: 'security_group_rules',
  ipsec_site_connection: 'ipsec_site_connection',
  'Load Balancer': 'loadbalancer',
}

const first = (list: string | undefined) => list?.split(',')[0]?.trim() ?? ''
/** Names of quotas in GiB. */
const inGiB: readonly string[] = ['gigabytes', 'backup_gigabytes']
const scaled = (name: string, amount: string | undefined) =>
  amount === undefined || !/^-?\d+$/.test(amount) ? undefined : Number(amount) * (inGiB.includes(name) ? GiB : 1)

function numbers(name: string, told: { limit?: string; used?: string; requested?: string }): QuotaNumbers {
  const found: QuotaNumbers = name === '' ? {} : { resource: names[name] ?? name }
  for (const key of ['limit', 'used', 'requested'] as const) {
    const amount = scaled(name, told[key])
    if (amount !== undefined) found[key] = amount
  }
  return found
}

/** Patterns for the services' quota messages. If a message lists several resources, the first one is used. */
const sentences: readonly [RegExp, (groups: Record<string, string | undefined>) => QuotaNumbers][] = [
  [
    /Quota exceeded for (?<names>[\w:, ]+): Requested (?<requested>[\d, ]+), but already used (?<used>[\d, ]+) of (?<limit>[-\d, ]+\d)/,
    (group) =>
      numbers(first(group['names']), {
        limit: first(group['limit']),
        used: first(group['used']),
        requested: first(group['requested']),
      }),
  ],
  [
    /Resource (?<name>[\w:]+) is over limit of (?<limit>-?\d+) due to current usage (?<used>\d+) and delta (?<requested>\d+)/,
    (group) =>
      numbers(group['name'] ?? '', {
        limit: group['limit'] ?? '',
        used: group['used'] ?? '',
        requested: group['requested'] ?? '',
      }),
  ],
  [
    /exceeds allowed (?<backup>Backup )?\w+ quota\. Requested (?<requested>\d+)G, quota is (?<limit>-?\d+)G and (?<used>\d+)G/,
    (group) =>
      numbers(group['backup'] === undefined ? 'gigabytes' : 'backup_gigabytes', {
        limit: group['limit'] ?? '',
        used: group['used'] ?? '',
        requested: group['requested'] ?? '',
      }),
  ],
  [
    /Maximum number of (?<name>\w+) allowed \((?<limit>-?\d+)\) exceeded/,
    (group) => numbers(group['name'] ?? '', { limit: group['limit'] ?? '' }),
  ],
  [/Quota has been met for resources: (?<name>\w+( \w+)*)/, (group) => numbers(group['name'] ?? '', {})],
  [/Quota exceeded for resources: \['(?<name>\w+)'/, (group) => numbers(group['name'] ?? '', {})],
]

const isOfQuota =
  /quota exceeded|exceed\w*[^.]*\bquota\b|over (a )?limit (of|for)|Maximum number of [\w ]+ (allowed|exceeds?)|limit has been exceeded|Quota has been met|exceeded for quota/i
const isOfPolicy = /\bpolic(y|ies)\b|disallowed/i

/** Extracts the quota values from an error message; null if the message is not about a quota. */
export function quotaIn(text: string, type: string | null): QuotaNumbers | null {
  if (type !== 'OverQuota' && (isOfPolicy.test(text) || !isOfQuota.test(text))) return null
  for (const [sentence, read] of sentences) {
    const match = sentence.exec(text)
    if (match) return read(match.groups ?? {})
  }
  return {}
}
