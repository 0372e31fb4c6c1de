import { englishText } from '@mainstay/contract/core/english'
import { beforeAll, expect, test } from 'vitest'
import { loadTexts, textsNow } from '../../../i18n/use-t'
import { emptyRule, ruleDraft, ruleForm, type RuleForm } from './rule-form'
import { coveredBy, portsText, serviceAt, trafficText, type RuleTerms } from './rule-words'

beforeAll(() => loadTexts('networking'))

const faults = (form: Partial<RuleForm>) => {
  const parsed = ruleForm(textsNow('networking'), 'ingress').safeParse({ ...emptyRule, ...form })
  return Object.fromEntries(
    (parsed.error?.issues ?? []).map(({ path, message }) => [path.join('.'), englishText(message)]),
  )
}
const wrongPorts = 'Enter a port from 1 to 65535, or a range such as 8000-8999'

test('accepts ports from 1 to 65535, and ascending ranges of them [VA-034] [VA-036]', () => {
  for (const ports of ['1', '22', '65535', '8000-8999', '1-65535']) expect(faults({ ports })).toEqual({})
  for (const ports of ['0', '65536', 'ssh', '80-', '0-80', '80-65536', '9000-8000'])
    expect(faults({ ports })).toEqual({ ports: wrongPorts })
  expect(ruleDraft({ ...emptyRule, ports: '8000-8999' }, 'g', 'ingress')).toMatchObject({
    ...{ protocol: 'tcp', port_range_min: 8000, port_range_max: 8999, direction: 'ingress' },
  })
})

test('accepts 0 to 65535 as all ports', () => {
  for (const ports of ['0-65535', '0:65535', ' 0 - 65535 ']) {
    expect(faults({ ports })).toEqual({})
    expect(ruleDraft({ ...emptyRule, ports }, 'g', 'ingress')).toMatchObject({
      ...{ port_range_min: null, port_range_max: null },
    })
  }
  for (const ports of ['0-65536', '00-65535']) expect(faults({ ports })).toEqual({ ports: wrongPorts })
})

test('reports missing values and an incorrect IP version on their fields', () => {
  expect(faults({ remote: 'cidr' })).toEqual({ cidr: 'Enter an address range' })
  expect(faults({ remote: 'group' })).toEqual({ group: 'Choose a security group' })
  expect(faults({ protocol: 'other' })).toEqual({ other: 'Enter a protocol' })
  expect(Object.keys(faults({ protocol: 'other', other: 'nonsense' }))).toEqual(['other'])
  expect(faults({ remote: 'cidr', cidr: 'fd00::/8' })).toEqual({ cidr: 'Use an IPv4 range' })
  expect(faults({ protocol: 'icmp', ports: '300' })).toHaveProperty('ports')
  expect(faults({ protocol: 'icmp', ports: '3/4' })).toEqual({})
})

const rule = (more: Partial<RuleTerms> & { id: string }): RuleTerms & { id: string } => ({
  ...{ direction: 'ingress', ethertype: 'IPv4', protocol: 'tcp', port_range_min: 22, port_range_max: 22 },
  ...{ remote_ip_prefix: null, remote_group_id: null, ...more },
})

test('finds rules that another rule makes redundant', () => {
  const all = rule({ id: 'a' })
  const some = rule({ id: 'b', remote_ip_prefix: '10.0.0.0/8' })
  const part = rule({ id: 'c', remote_ip_prefix: '10.1.0.0/16' })
  expect(coveredBy(some, [all, some])).toBe(all)
  expect(coveredBy(part, [some, part])).toBe(some)
  expect(coveredBy(all, [all, some])).toBeUndefined()
  expect(coveredBy(rule({ id: 'd', port_range_max: 30 }), [all])).toBeUndefined()
  expect(coveredBy(rule({ id: 'e', ethertype: 'IPv6' }), [all])).toBeUndefined()
  // if two rules are identical, only the second one is redundant
  const same = rule({ id: 'z' })
  expect([coveredBy(all, [all, same]), coveredBy(same, [all, same])]).toEqual([undefined, all])
})

test('describes the traffic that a rule matches in common terms', () => {
  const t = textsNow('networking')
  expect(trafficText(rule({ id: 'a' }), t)).toBe('TCP 22')
  expect(trafficText(rule({ id: 'a', port_range_max: 30 }), t)).toBe('TCP 22–30')
  expect(trafficText(rule({ id: 'a', protocol: null, port_range_min: null, port_range_max: null }), t)).toBe(
    'all traffic',
  )
  const ping = rule({ id: 'a', protocol: 'icmp', port_range_min: 8, port_range_max: null })
  expect([trafficText(ping, t), portsText(ping, t)]).toEqual(['ICMP type 8', '8'])
  expect([serviceAt('tcp', 22), serviceAt('udp', 22)]).toEqual(['SSH', undefined])
})
