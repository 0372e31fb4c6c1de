import { SecurityGroupRuleDraft } from '@mainstay/contract/networking/security-group-rules'
import { SecurityGroup, SecurityGroupDraft } from '@mainstay/contract/networking/security-groups'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import { neutronRefusal } from '../../testing/fake-cloud/refusals'
import { startNetworkingFixture, type NetworkingFixture } from '../../testing/networking-fixture'
import { securityGroupReader } from './reader'

let fixture: NetworkingFixture
beforeEach(async () => {
  fixture = await startNetworkingFixture()
})
afterEach(() => fixture.close())

const rule = (security_group_id: string, more: object = {}) =>
  SecurityGroupRuleDraft.parse({
    ...{ security_group_id, direction: 'ingress', protocol: 'tcp', port_range_min: 22, port_range_max: 22 },
    ...more,
  })
const wireRule = (security_group_id: string, more: object = {}) =>
  fixture.make('security-group-rules', { ...rule(security_group_id), ...more })
const group = async (name: string, more: object = {}) => fixture.make('security-groups', { name, ...more })
const posts = (path: string) => fixture.cloud.received.filter((it) => it.verb === 'POST' && it.path === path)

test('reads groups with their rules and number of ports, using two list requests', async () => {
  const [web, db] = [await group('web'), await group('db')]
  await wireRule(web.id, { protocol: 'ipv6-icmp', ethertype: 'IPv6', port_range_min: null, port_range_max: null })
  await wireRule(web.id, { remote_address_group_id: 'addresses' })
  for (let at = 0; at < 3; at++) fixture.neutron.add('ports', { network_id: 'n', security_groups: [web.id] })
  fixture.neutron.add('ports', { network_id: 'n', security_groups: [web.id, db.id] })
  fixture.neutron.calls()
  const rows: SecurityGroup[] = []
  for await (const page of securityGroupReader.all(fixture.engine.reading)) rows.push(...page)
  expect(fixture.neutron.calls()).toEqual(['GET /ports', 'GET /security-groups'])
  for (const row of rows) expect(SecurityGroup.parse(row)).toEqual(row)
  expect(rows.map(({ name, port_count }) => [name, port_count])).toEqual([
    ['web', 4],
    ['db', 1],
  ])
  // an address group must not appear as any source
  expect(rows[0]!.security_group_rules.map((it) => [it.protocol, it.remote_group_id])).toEqual([
    ['icmpv6', null],
    ['tcp', 'addresses'],
  ])
})

test('adds a rule only once, regardless of its notation, and refreshes the group', async () => {
  const made = await fixture.securityGroups.create(fixture.member, SecurityGroupDraft.parse({ name: 'web' }))
  const first = await fixture.securityGroupRules.create(fixture.member, rule(made.id))
  const again = rule(made.id, { remote_ip_prefix: '0.0.0.0/0' })
  expect(await fixture.securityGroupRules.create(fixture.member, again)).toEqual(first)
  expect(posts('/security-group-rules')).toHaveLength(1)
  expect(fixture.indexed<SecurityGroup>('security_group', made.id)!.security_group_rules).toEqual([first])

  // another client adds the rule first
  fixture.cloud.on('network', 'POST', '/security-group-rules', () => {
    fixture.neutron.add('security-group-rules', { ...rule(made.id, { port_range_max: 80 }), id: 'elsewhere' })
    return neutronRefusal(409, 'SecurityGroupRuleExists', 'Security group rule already exists. Rule id is elsewhere.')
  })
  const raced = await fixture.securityGroupRules.create(fixture.member, rule(made.id, { port_range_max: 80 }))
  expect(raced.id).toBe('elsewhere')
  await fixture.securityGroupRules.delete(fixture.member, raced.id)
  expect(fixture.indexed('security_group_rule', raced.id)).toBeUndefined()
  expect(fixture.indexed<SecurityGroup>('security_group', made.id)!.security_group_rules).toEqual([first])
})

test('refuses invalid rules, with errors on the fields at fault', async () => {
  const { id } = await group('web')
  const theirs = await group('theirs', { project_id: 'p-other' })
  const create = (draft: SecurityGroupRuleDraft) => refusal(fixture.securityGroupRules.create(fixture.member, draft))
  expect(await create(rule(id, { port_range_max: 21 }))).toMatchObject({
    code: 'invalid_port_range',
    fields: { port_range_max: [expect.any(String)] },
  })
  expect(await create(rule(id, { remote_ip_prefix: 'fd00::/64' }))).toMatchObject({
    code: 'validation',
    fields: { remote_ip_prefix: [expect.any(String)] },
  })
  expect(await create(rule(theirs.id))).toMatchObject({ fields: { security_group_id: [expect.any(String)] } })
  expect(posts('/security-group-rules')).toEqual([])
  fixture.cloud.on('network', 'POST', '/security-group-rules', () =>
    neutronRefusal(404, 'SecurityGroupNotFound', 'Security group g does not exist'),
  )
  expect(await create(rule(id, { remote_group_id: 'g' }))).toMatchObject({
    code: 'validation',
    fields: { remote_group_id: [expect.any(String)] },
  })
})

test('protects the default group, and refuses to delete a group in use', async () => {
  const first = await group('default')
  for (const refused of [
    fixture.securityGroups.delete(fixture.member, first.id),
    fixture.securityGroups.update(fixture.member, first.id, { description: 'mine' }),
  ])
    expect(await refusal(refused)).toMatchObject({ code: 'security_group_protected' })
  // the default group of a deleted project
  const left = await group('default', { project_id: 'p-gone' })
  const { reading } = fixture.engine
  reading.isProject = async (id) => id !== 'p-gone'
  await fixture.securityGroups.delete(fixture.operator, left.id)
  expect(await refusal(fixture.securityGroups.delete(fixture.operator, first.id))).toMatchObject({
    code: 'security_group_protected',
  })

  const [web, db] = [await group('web'), await group('db')]
  const naming = await wireRule(db.id, { remote_group_id: web.id })
  await wireRule(web.id, { remote_group_id: web.id })
  const secret = await group('secret', { project_id: 'p-other' })
  await wireRule(secret.id, { remote_group_id: web.id, project_id: 'p-other' })
  expect(await refusal(fixture.securityGroups.delete(fixture.member, web.id))).toMatchObject({
    code: 'security_group_in_use',
    message: 'This security group is in use by rules in other security groups: db, others',
    data: { used_by: [{ kind: 'security_group', id: db.id, name: 'db' }] },
  })
  fixture.neutron.rows['security-group-rules'].delete(naming.id)
  for (const [id, it] of fixture.neutron.rows['security-group-rules'])
    if (it.project_id === 'p-other') fixture.neutron.rows['security-group-rules'].delete(id)

  const port = await fixture.make('ports', { network_id: 'n', name: 'guarded', security_groups: [web.id] })
  fixture.cloud.on('network', 'DELETE', '/security-groups/:id', () =>
    neutronRefusal(409, 'SecurityGroupInUse', `Security Group ${web.id} in use.`),
  )
  expect(await refusal(fixture.securityGroups.delete(fixture.member, web.id))).toMatchObject({
    code: 'security_group_in_use',
    data: { used_by: [{ kind: 'port', id: port.id, name: 'guarded' }] },
  })
})
