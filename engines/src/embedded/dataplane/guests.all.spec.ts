import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needs } from '../../../../tools/lib/vitest/host-features'
import type { Hypervisor, MachineSpec } from '../hypervisor'
import { ask, booting, cleanUp, dataFolder, guestSpec, nicOf, open, until } from '../qemu/testbed'
import { groupOf, networkOf, openOut, portOf, wantedOf } from '../../network-model/testing/wanted-examples'
import type { WantedPort } from '../../network-model/wanted'

/* Real guests connected to virtual switches on this host. */

const cardOf = ({ id, mac, addresses }: WantedPort) =>
  nicOf({ id, mac, address: addresses[0]!, cidr: '10.44.0.0/24', port: { orNat: false } })

describe('guests on switches', { timeout: 240_000, ...needs('QEMU', 'networks') }, () => {
  const folder = dataFolder()
  const network = networkOf(['10.44.0.0/24'], { nat: true })
  const second = networkOf(['10.45.0.0/24'])
  const group = groupOf([...openOut(), { protocol: 'icmp' }])
  const [a, b] = [
    portOf(network, 21, { securityGroups: [group.id] }),
    portOf(network, 22, { securityGroups: [group.id] }),
  ]
  const later = portOf(second, 31, { securityGroups: [group.id] })
  const wanted = wantedOf({ networks: [network, second], ports: [a, b, later], groups: [group] })
  let hypervisor: Hypervisor
  let guests: MachineSpec[] = []

  beforeAll(async () => {
    ;({ hypervisor } = await open(folder))
    expect(await hypervisor.dataplane!.probe()).toMatchObject({ available: true, missing: [] })
    await hypervisor.dataplane!.apply(wanted)
    guests = await Promise.all(
      [a, b].map((port) => guestSpec(hypervisor, folder, { onSwitches: true, nics: [cardOf(port)] })),
    )
    await Promise.all(guests.map((guest) => booting(hypervisor, guest.id, () => hypervisor.machines.start(guest))))
  }, 400_000)
  afterAll(() => cleanUp(hypervisor, folder))

  const say = (at: number, command: string) => ask(hypervisor, guests[at]!.id, command)

  test('start on a host that meets all requirements', async () => {
    expect(await hypervisor.machines.state(guests[0]!.id)).toBe('running')
    expect(hypervisor.guestNetwork().problem).toBe(null)
  })

  test('get addresses and names from the network, obey security groups, and run in a QEMU process without capabilities', async () => {
    await until('an address', async () => (await say(0, 'ip -4 addr show eth0')).includes('10.44.0.21/24'))
    await until('an address', async () => (await say(1, 'ip -4 addr show eth0')).includes('10.44.0.22/24'))
    expect(await say(0, 'ping -c 1 -W 3 10.44.0.22 >/dev/null && echo yes')).toBe('yes')
    expect(await say(0, 'nslookup host-22.cloud.internal 10.44.0.2 2>&1 | grep -c 10.44.0.22')).toBe('1')
    await hypervisor.dataplane!.apply({ ...wanted, groups: [{ ...group, rules: group.rules.slice(0, 2) }] })
    expect(await say(0, 'ping -c 1 -W 2 10.44.0.22 >/dev/null || echo no')).toBe('no')
    await hypervisor.dataplane!.apply(wanted)
    const { pid } = JSON.parse(readFileSync(`${folder}/machines/${guests[0]!.id}/machine.json`, 'utf8')).process as {
      pid: number
    }
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
      expect(status).toMatch(new RegExp(`^${set}:\\s+0+$`, 'm'))
  })

  test('keep their network interfaces across a server restart, and can attach and detach one while running', async () => {
    await hypervisor.close()
    ;({ hypervisor } = await open(folder))
    await hypervisor.dataplane!.apply(wanted)
    expect(await say(0, 'ping -c 1 -W 3 10.44.0.22 >/dev/null && echo yes')).toBe('yes')
    await hypervisor.machines.attachNic(guests[0]!.id, cardOf(later))
    await until('the card', async () => (await say(0, 'ls /sys/class/net')).includes('eth1'))
    await say(0, 'ip link set eth1 up; ip addr add 10.45.0.31/24 dev eth1')
    // the guest's driver needs a moment to bring the link up
    await until('an answer', async () => (await say(0, 'ping -c 1 -W 3 10.45.0.2 >/dev/null && echo yes')) === 'yes')
    expect((await hypervisor.dataplane!.counters()).get(later.id)!.fromGuest.packets).toBeGreaterThan(0)
    await hypervisor.machines.detachNic(guests[0]!.id, later.id)
    expect((await hypervisor.dataplane!.counters()).has(later.id)).toBe(false)
  })

  test('stay connected when a network change fails, and report an interface as lost after its tap was recreated', async () => {
    const ping = () => say(0, 'ping -c 1 -W 3 10.44.0.22 >/dev/null && echo yes || echo no')
    const { networks } = await hypervisor.dataplane!.apply({ ...wanted, networks: [{ ...network, mtu: 300 }, second] })
    expect(networks.get(network.id)).toMatch(/MTU/)
    expect(await ping()).toBe('yes')
    await hypervisor.dataplane!.apply({ ...wanted, networks: [{ ...network, mtu: 1400 }, second] })
    expect(await ping()).toBe('yes')
    expect(await hypervisor.machines.heldCards()).toEqual(
      new Map([
        [a.id, true],
        [b.id, true],
      ]),
    )
    await hypervisor.dataplane!.unplug(a.id)
    await hypervisor.dataplane!.plug(a.id)
    expect((await hypervisor.machines.heldCards()).get(a.id)).toBe(false)
    expect(await ping()).toBe('no')
  })
})
