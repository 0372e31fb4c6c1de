import { says, type RuleText } from '../core/said'
import { parseRange, rangeText } from './addresses'
import type { SecurityGroupRule, SecurityGroupRuleDraft } from './security-group-rules'

type Terms = Pick<
  SecurityGroupRule,
  'direction' | 'ethertype' | 'protocol' | 'port_range_min' | 'port_range_max' | 'remote_ip_prefix' | 'remote_group_id'
>

/** Validation error in a field of a rule. */
export interface RuleFault {
  field: keyof SecurityGroupRuleDraft
  code: 'validation' | 'invalid_port_range'
  message: RuleText
}

/** Protocols with ports, by name and number. */
const withPorts = new Set(['tcp', 'udp', 'sctp', 'dccp', 'udplite', '6', '17', '132', '33', '136'])
const icmp = new Set(['icmp', 'icmpv6', '1', '58'])

/** Returns the validation errors in a rule beyond the syntax of its fields, or an empty list if it is valid. */
export function ruleFaults(rule: Terms): RuleFault[] {
  const faults: RuleFault[] = []
  const add = (field: RuleFault['field'], message: RuleText, code: RuleFault['code'] = 'validation') =>
    void faults.push({ field, code, message })
  const { protocol, port_range_min: min, port_range_max: max } = rule
  if (rule.remote_ip_prefix !== null && rule.remote_group_id !== null)
    add('remote_group_id', says('networking.range_or_group'))
  const range = rule.remote_ip_prefix === null ? null : parseRange(rule.remote_ip_prefix)
  if (range && `IPv${range.version}` !== rule.ethertype)
    add('remote_ip_prefix', says('networking.range_version', { version: rule.ethertype }))
  if (rule.ethertype === 'IPv4' && (protocol === 'icmpv6' || protocol === '58'))
    add('protocol', says('networking.icmpv6_needs_ipv6'))

  if (min === null && max === null) return faults
  if (protocol === null || !(withPorts.has(protocol) || icmp.has(protocol))) {
    add('port_range_min', says('networking.ports_need_protocol'), 'invalid_port_range')
  } else if (icmp.has(protocol)) {
    if (min === null) add('port_range_min', says('networking.code_needs_type'), 'invalid_port_range')
    else if (min > 255) add('port_range_min', says('networking.icmp_type'), 'invalid_port_range')
    if (max !== null && max > 255) add('port_range_max', says('networking.icmp_code'), 'invalid_port_range')
  } else {
    if (min === null) add('port_range_min', says('networking.enter_first_port'), 'invalid_port_range')
    else if (min < 1) add('port_range_min', says('networking.first_port'), 'invalid_port_range')
    if (max === null) add('port_range_max', says('networking.enter_last_port'), 'invalid_port_range')
    else if (min !== null && max < min) add('port_range_max', says('networking.ports_reversed'), 'invalid_port_range')
  }
  return faults
}

/** Returns a key that is equal for rules with the same effect, however they are written. */
export const ruleKey = (rule: Terms): string => {
  const range = rule.remote_ip_prefix === null ? null : parseRange(rule.remote_ip_prefix)
  // a range of all addresses is equivalent to no range
  const prefix = range && range.prefix > 0 ? rangeText(range) : null
  return JSON.stringify([
    rule.direction,
    rule.ethertype,
    rule.protocol,
    rule.port_range_min,
    rule.port_range_max,
    prefix,
    rule.remote_group_id,
  ])
}

/** Templates of ingress rules by name (product notes, D). ICMP has no ports. */
export const ruleTemplates = {
  ssh: { protocol: 'tcp', min: 22, max: 22 },
  rdp: { protocol: 'tcp', min: 3389, max: 3389 },
  http: { protocol: 'tcp', min: 80, max: 80 },
  https: { protocol: 'tcp', min: 443, max: 443 },
  dns_tcp: { protocol: 'tcp', min: 53, max: 53 },
  dns_udp: { protocol: 'udp', min: 53, max: 53 },
  mysql: { protocol: 'tcp', min: 3306, max: 3306 },
  postgresql: { protocol: 'tcp', min: 5432, max: 5432 },
  icmp: { protocol: 'icmp', min: null, max: null },
} as const
export type RuleTemplate = keyof typeof ruleTemplates
