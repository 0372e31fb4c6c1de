import { SecurityGroupRuleDraft } from '@mainstay/contract/networking/security-group-rules'
import { SecurityGroup } from '@mainstay/contract/networking/security-groups'
import { describe, expect, test } from 'vitest'
import { refusal, suiteOf, until, type StartCloud } from './cloud'
import { networkingFixture } from './networking-fixture'

/** Conformance tests for security groups and their rules. */
export function describeSecurityGroups(start: StartCloud): void {
  describe(suiteOf('security groups'), () => {
    const fixture = networkingFixture(start)
    const make = async (name: string, scope = fixture.cloud.member) => {
      const { securityGroups } = fixture.networking
      const made = await securityGroups.create(scope, { name, description: 'of a test' })
      fixture.cleanup(() => securityGroups.delete(scope, made.id))
      return made
    }
    const rule = (security_group_id: string, said: object) =>
      SecurityGroupRuleDraft.parse({ security_group_id, direction: 'ingress', ...said })
    const shown = (id: string) => fixture.row<SecurityGroup>('security_group', id)

    test('a new group allows all egress and no ingress', async () => {
      const { cloud, networking } = fixture
      const made = await make('web')
      expect(SecurityGroup.parse(made)).toEqual(made)
      expect(made).toMatchObject({ name: 'web', port_count: 0, project_id: cloud.member.project_id })
      expect(made.security_group_rules.map((it) => `${it.direction} ${it.ethertype}`).toSorted()).toEqual([
        ...['egress IPv4', 'egress IPv6'],
      ])
      expect(
        made.security_group_rules.every(
          ({ protocol, remote_group_id }) => protocol === null && remote_group_id === null,
        ),
      ).toBe(true)
      const { securityGroups } = networking
      expect(await securityGroups.update(cloud.member, made.id, { description: 'other' })).toMatchObject({
        description: 'other',
      })
      expect(await refusal(securityGroups.update(cloud.stranger, made.id, { name: 'mine' }))).toMatchObject({
        code: 'not_found',
      })
      expect(await refusal(securityGroups.delete(cloud.stranger, made.id))).toMatchObject({ code: 'not_found' })
      await securityGroups.delete(cloud.member, made.id)
      expect(await cloud.row('security_group', made.id)).toBeNull()
      for (const { id } of made.security_group_rules) expect(await cloud.row('security_group_rule', id)).toBeNull()
    })

    test('adds and deletes rules, and returns the existing rule for a duplicate', async () => {
      const { cloud, networking } = fixture
      const { id } = await make('rules')
      const { securityGroupRules } = networking
      const ssh = rule(id, { protocol: 'tcp', port_range_min: 22, port_range_max: 22, remote_ip_prefix: '10.0.0.0/8' })
      const made = await securityGroupRules.create(cloud.member, ssh)
      expect(made).toMatchObject({
        security_group_id: id,
        direction: 'ingress',
        protocol: 'tcp',
        remote_ip_prefix: '10.0.0.0/8',
      })
      await until('the group to list it', async () =>
        (await shown(id)).security_group_rules.some((it) => it.id === made.id),
      )
      const again = await securityGroupRules.create(cloud.member, rule(id, { ...ssh, remote_ip_prefix: '10.9.9.9/8' }))
      expect(again.id).toBe(made.id)
      const own = await securityGroupRules.create(cloud.member, rule(id, { remote_group_id: id }))
      expect(own).toMatchObject({ remote_group_id: id, protocol: null })
      const create = (said: object) => refusal(securityGroupRules.create(cloud.member, rule(id, said)))
      const wrong: [object, string, string][] = [
        [{ protocol: 'tcp', port_range_min: 80, port_range_max: 22 }, 'port_range_max', 'invalid_port_range'],
        [{ port_range_min: 80, port_range_max: 80 }, 'port_range_min', 'invalid_port_range'],
        [{ remote_ip_prefix: 'fd00::/8' }, 'remote_ip_prefix', 'validation'],
        [{ remote_ip_prefix: '10.0.0.0/8', remote_group_id: id }, 'remote_group_id', 'validation'],
      ]
      for (const [said, field, code] of wrong)
        expect(await create(said), JSON.stringify(said)).toMatchObject({
          code,
          fields: { [field]: [expect.any(String)] },
        })
      expect(await create({ remote_group_id: 'no-such-group' })).toMatchObject({
        fields: { remote_group_id: [expect.any(String)] },
      })
      const theirs = await refusal(securityGroupRules.create(cloud.stranger, ssh))
      expect(theirs).toMatchObject({ fields: { security_group_id: [expect.any(String)] } })
      expect(await refusal(securityGroupRules.delete(cloud.stranger, made.id))).toMatchObject({ code: 'not_found' })
      await securityGroupRules.delete(cloud.member, made.id)
      await until('the group to stop listing it', async () =>
        (await shown(id)).security_group_rules.every((it) => it.id !== made.id),
      )
      expect(await refusal(securityGroupRules.delete(cloud.member, made.id))).toMatchObject({ code: 'not_found' })
    })

    test('refuses to delete a group used by a port or rule, and counts the ports of a group', async () => {
      const { cloud, networking } = fixture
      const [used, named, naming] = [await make('used'), await make('named'), await make('naming')]
      const port = await fixture.port((await fixture.network()).id, { name: 'printer', security_groups: [used.id] })
      expect(port.security_groups).toEqual([used.id])
      await until('the group to count it', async () => (await shown(used.id)).port_count === 1)
      const remove = (id: string) => networking.securityGroups.delete(cloud.member, id)
      const inUse = { code: 'security_group_in_use' }
      expect(await refusal(remove(used.id))).toMatchObject({ ...inUse, message: expect.stringContaining('printer') })
      const { id } = await networking.securityGroupRules.create(
        cloud.member,
        rule(naming.id, { remote_group_id: named.id }),
      )
      expect(await refusal(remove(named.id))).toMatchObject({ ...inUse, message: expect.stringContaining('naming') })
      await networking.securityGroupRules.delete(cloud.member, id)
      await remove(named.id)
      await networking.ports.update(cloud.member, port.id, { security_groups: [naming.id] })
      await until('the groups to count it', async () => (await shown(used.id)).port_count === 0)
      expect(await shown(naming.id)).toMatchObject({ port_count: 1 })
      await remove(used.id)
    })

    test('every project has a default group, which new ports get and which cannot be deleted', async () => {
      const { cloud, networking } = fixture
      const port = await fixture.port((await fixture.network()).id)
      const group = await shown(port.security_groups[0]!)
      expect(group).toMatchObject({ name: 'default', project_id: cloud.member.project_id })
      expect(
        group.security_group_rules
          .map((it) => `${it.direction} ${it.ethertype} ${it.remote_group_id === group.id}`)
          .toSorted(),
      ).toEqual([...['egress IPv4 false', 'egress IPv6 false', 'ingress IPv4 true', 'ingress IPv6 true']])
      const { securityGroups } = networking
      expect(await refusal(securityGroups.delete(cloud.member, group.id))).toMatchObject({
        code: 'security_group_protected',
      })
      const rename = securityGroups.update(cloud.member, group.id, { name: 'mine' })
      expect(await refusal(rename)).toMatchObject({ code: 'security_group_protected' })
      // groups in other projects are refused
      const theirs = await make('theirs', cloud.stranger)
      const foreign = networking.ports.update(cloud.member, port.id, { security_groups: [theirs.id] })
      expect(Object.keys((await refusal(foreign)).fields)[0]).toMatch(/^security_groups/)
    })
  })
}
