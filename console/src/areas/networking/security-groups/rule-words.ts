import { overlap, parseRange } from '@mainstay/contract/networking/addresses'
import { ruleTemplates, type RuleTemplate } from '@mainstay/contract/networking/rule-rules'
import type { SecurityGroupRule } from '@mainstay/contract/networking/security-group-rules'
import type { Key } from '../../../i18n/catalogues'
import type { Translate } from '../../../i18n/use-t'

export type RuleTerms = Pick<
  SecurityGroupRule,
  'direction' | 'ethertype' | 'protocol' | 'port_range_min' | 'port_range_max' | 'remote_ip_prefix' | 'remote_group_id'
>

/** Common names of protocols, which are the same in every language. */
const templateNames: Readonly<Record<RuleTemplate, string>> = {
  ssh: 'SSH',
  rdp: 'RDP',
  http: 'HTTP',
  https: 'HTTPS',
  dns_tcp: 'DNS TCP',
  dns_udp: 'DNS UDP',
  mysql: 'MySQL',
  postgresql: 'PostgreSQL',
  icmp: 'ICMP',
}
export const templates = (Object.keys(ruleTemplates) as RuleTemplate[]).map((id) => ({
  ...{ id, name: templateNames[id] },
  ...ruleTemplates[id],
}))

/** Name of the service that usually listens on a port, or undefined. */
export function serviceAt(protocol: string | null, port: number | null): string | undefined {
  const found = templates.find((it) => it.protocol === protocol && it.min === port && port !== null)
  return found?.name.split(' ')[0]
}

const isIcmp = (protocol: string | null) => protocol === 'icmp' || protocol === 'icmpv6'
export const isAnywhere = ({ remote_ip_prefix, remote_group_id }: RuleTerms): boolean =>
  remote_group_id === null && (remote_ip_prefix === null || parseRange(remote_ip_prefix)?.prefix === 0)

/** Describes the traffic that a rule matches, such as "TCP 22", "all ICMP" or "all traffic". */
export function trafficText(rule: RuleTerms, t: Translate<'networking'>): string {
  const { protocol, port_range_min: min, port_range_max: max } = rule
  if (protocol === null) return t('rules.all')
  const name = protocol.toUpperCase()
  if (min === null && max === null) return t('rules.allOf', { protocol: name })
  if (isIcmp(protocol))
    return max === null
      ? t('rules.icmpType', { protocol: name, type: min ?? 0 })
      : t('rules.icmpCode', { protocol: name, type: min ?? 0, code: max })
  return min === max ? `${name} ${min}` : `${name} ${min}–${max}`
}

/** Describes only the ports, for a table column. */
export function portsText(
  { protocol, port_range_min: min, port_range_max: max }: RuleTerms,
  t: Translate<'networking'>,
): string {
  if (min === null && max === null) return t('rules.any')
  if (isIcmp(protocol)) return max === null ? String(min) : `${min} / ${max}`
  return min === max ? String(min) : `${min}–${max}`
}

export const directionKeys: Readonly<Record<RuleTerms['direction'], Key<'networking'>>> = {
  ingress: 'rules.inbound',
  egress: 'rules.outbound',
}

const covers = (wide: RuleTerms, narrow: RuleTerms): boolean => {
  if (wide.direction !== narrow.direction || wide.ethertype !== narrow.ethertype) return false
  if (wide.protocol !== null && wide.protocol !== narrow.protocol) return false
  const hasPorts = wide.port_range_min !== null || wide.port_range_max !== null
  if (hasPorts) {
    if (isIcmp(wide.protocol)) {
      if (wide.port_range_min !== narrow.port_range_min) return false
      if (wide.port_range_max !== null && wide.port_range_max !== narrow.port_range_max) return false
    } else if (
      narrow.port_range_min === null ||
      narrow.port_range_max === null ||
      narrow.port_range_min < wide.port_range_min! ||
      narrow.port_range_max > wide.port_range_max!
    )
      return false
  }
  if (isAnywhere(wide)) return true
  if (wide.remote_group_id !== null) return wide.remote_group_id === narrow.remote_group_id
  const [outer, inner] = [wide.remote_ip_prefix, narrow.remote_ip_prefix].map((it) =>
    it === null ? null : parseRange(it),
  )
  return !!outer && !!inner && overlap(outer, inner) && outer.prefix <= inner.prefix
}

/** Finds a rule that already allows all traffic that this rule allows, which makes this rule redundant. */
export function coveredBy<Rule extends RuleTerms & { id: string }>(
  rule: Rule,
  rules: readonly Rule[],
): Rule | undefined {
  return rules.find(
    // if two rules are identical, only the second one is redundant
    (other) => other.id !== rule.id && covers(other, rule) && (!covers(rule, other) || other.id < rule.id),
  )
}
