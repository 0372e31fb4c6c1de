import { deviceOwners, Port } from '@mainstay/contract/networking/ports'
import { describe, expect, test } from 'vitest'
import { refusal, suiteOf, type StartCloud } from './cloud'
import { networkingFixture } from './networking-fixture'

/** Conformance tests for network ports. */
export function describePorts(start: StartCloud): void {
  describe(suiteOf('ports'), () => {
    const fixture = networkingFixture(start)

    test('a new port has a given or generated MAC and IP address, and the default security group', async () => {
      const { cloud } = fixture
      const { id } = await fixture.network()
      const chosen = await fixture.port(id, { name: 'spare' })
      expect(Port.parse(chosen)).toEqual(chosen)
      expect(chosen).toMatchObject({
        ...{ name: 'spare', network_id: id, device_id: '', device_owner: '', admin_state_up: true },
        ...{ spoofing_protection: true, project_id: cloud.member.project_id },
        mac_address: expect.stringMatching(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/),
      })
      expect(chosen.fixed_ips).toHaveLength(1)
      expect(chosen.security_groups).toHaveLength(1)
      const range = (await fixture.row<{ id: string; subnets: { cidr: string }[] }>('network', id)).subnets[0]!.cidr
      const at = (last: number) => range.replace('.0/24', `.${last}`)
      const asked = await fixture.port(id, {
        mac_address: '52:54:00:AA:00:01'.toLowerCase(),
        fixed_ips: [{ ip_address: at(77) }],
      })
      expect(asked).toMatchObject({ mac_address: '52:54:00:aa:00:01', fixed_ips: [{ ip_address: at(77) }] })

      const { ports } = cloud.networking
      const create = (said: object) => refusal(ports.create(cloud.member, { network_id: id, ...said }))
      expect(await create({ fixed_ips: [{ ip_address: at(77) }] })).toMatchObject({
        code: 'ip_address_in_use',
        fields: { fixed_ips: [expect.any(String)] },
      })
      expect(await create({ fixed_ips: [{ ip_address: '10.99.0.1' }] })).toMatchObject({
        fields: { fixed_ips: [expect.any(String)] },
      })
      expect(await create({ mac_address: asked.mac_address })).toMatchObject({
        fields: { mac_address: [expect.any(String)] },
      })
      expect(await create({ network_id: 'no-such-network' })).toMatchObject({
        fields: { network_id: [expect.any(String)] },
      })
      expect(await create({ device_owner: deviceOwners.instance })).toMatchObject({
        fields: { device_owner: [expect.any(String)] },
      })
    })

    test('changes a port, and accepts read-only fields whose values are unchanged', async () => {
      const { cloud } = fixture
      const { ports } = cloud.networking
      const { id } = await fixture.network()
      const port = await fixture.port(id)
      const same = { network_id: id, mac_address: port.mac_address, project_id: port.project_id }
      const changed = await ports.update(cloud.member, port.id, { ...same, name: 'named', tags: ['a', 'b'] })
      expect(changed).toMatchObject({ name: 'named', tags: ['a', 'b'] })
      expect(await cloud.row('port', port.id)).toMatchObject({ name: 'named' })
      const other = await refusal(ports.update(cloud.member, port.id, { network_id: cloud.network }))
      expect(other).toMatchObject({ fields: { network_id: [expect.any(String)] } })
      expect(await refusal(ports.update(cloud.stranger, port.id, { name: 'theirs' }))).toMatchObject({
        code: 'not_found',
      })
      expect(await refusal(ports.delete(cloud.stranger, port.id))).toMatchObject({ code: 'not_found' })
    })

    test('requires at least one security group with spoofing protection, and none without it', async () => {
      const { cloud } = fixture
      const { ports } = cloud.networking
      const { id } = await fixture.network()
      const port = await fixture.port(id)
      const update = (said: object) => ports.update(cloud.member, port.id, said)
      expect(await refusal(update({ security_groups: [] }))).toMatchObject({
        fields: { security_groups: [expect.any(String)] },
      })
      const open = await update({ spoofing_protection: false, security_groups: [] })
      expect(open).toMatchObject({ spoofing_protection: false, security_groups: [] })
      const held = await update({ spoofing_protection: true, security_groups: port.security_groups })
      expect(held).toMatchObject({ spoofing_protection: true, security_groups: port.security_groups })
    })

    test('assigns the last free address to only one of two concurrent requests', async () => {
      const { cloud } = fixture
      const { ports } = cloud.networking
      const { id } = await fixture.network({
        subnets: [
          {
            ...{ cidr: '10.44.0.0/29', enable_dhcp: false },
            allocation_pools: [{ start: '10.44.0.3', end: '10.44.0.4' }],
          },
        ],
      })
      const first = await fixture.port(id)
      const two = await Promise.allSettled([1, 2].map(() => ports.create(cloud.member, { network_id: id })))
      const made = two.flatMap((it) => (it.status === 'fulfilled' ? [it.value] : []))
      expect(made).toHaveLength(1)
      const [refused] = two.flatMap((it) => (it.status === 'rejected' ? [it.reason as unknown] : []))
      expect(refused).toMatchObject({ code: 'no_free_addresses', fields: { network_id: [expect.any(String)] } })
      // a deleted port releases its address
      await ports.delete(cloud.member, first.id)
      const next = await ports.create(cloud.member, { network_id: id })
      expect(next.fixed_ips).toMatchObject([{ ip_address: first.fixed_ips[0]!.ip_address }])
      for (const port of [...made, next]) await ports.delete(cloud.member, port.id)
    })
  })
}
