import type { ReachStep } from '@mainstay/contract/networking/reach'
import { expect, test } from 'vitest'
import { missingRuleOf, describeSteps } from './reach-words'

/** Builds a step that refers to a network or another object with the given ID. */
const step = (code: ReachStep['code'], id = code as string, more: Partial<ReachStep> = {}): ReachStep => ({
  ...{ code, state: 'passes', direction: null, rule: null, address: null },
  ...{ object: { kind: 'network', id, name: id }, ...more },
})
const told = (steps: ReachStep[]) => describeSteps({ steps }).map(({ key, step: { object } }) => `${key} ${object?.id}`)

test('says that both ends are in the same network if nothing is between them', () => {
  expect(told([step('rule'), step('switch', 'front'), step('rule')])[1]).toBe('reach.switch front')
  const routed = told([step('switch', 'front'), step('route', 'edge'), step('switch', 'back')])
  expect(routed).toEqual(['reach.crosses front', 'reach.route edge', 'reach.crosses back'])
  expect(told([step('switch', 'front'), step('tunnel')])[0]).toBe('reach.crosses front')
})

test('shows an external network only once, for both inbound and outbound traffic', () => {
  const inward = [
    step('edge', 'public'),
    step('switch', 'public'),
    step('dnat'),
    step('route'),
    step('switch', 'front'),
  ]
  expect(told(inward).filter((it) => it.endsWith(' public'))).toEqual(['reach.edge public'])
  const outward = [step('switch', 'front'), step('route'), step('switch', 'public'), step('edge', 'public')]
  expect(told(outward)).toEqual(['reach.crosses front', 'reach.route route', 'reach.edge public'])
})

test('reports a missing rule only if its absence blocks an inbound connection', () => {
  const rule: NonNullable<ReachStep['missing_rule']> = {
    security_group_id: 'web',
    direction: 'ingress',
    ethertype: 'IPv4',
    protocol: 'tcp',
    port_range_min: 80,
    port_range_max: 80,
  }
  const refused = (missing_rule: ReachStep['missing_rule']) => ({
    verdict: 'refused' as const,
    steps: [step('switch'), step('no_rule', 'web1', { state: 'refused', missing_rule })],
  })
  expect(missingRuleOf(refused(rule))).toEqual(rule)
  expect(missingRuleOf(refused({ ...rule, direction: 'egress' }))).toBeNull()
  expect(missingRuleOf(refused(undefined))).toBeNull()
  expect(missingRuleOf({ verdict: 'allowed', steps: [step('switch')] })).toBeNull()
})
