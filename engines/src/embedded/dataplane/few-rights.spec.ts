import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { tier } from '../../../../tools/lib/tier.mjs'
import { testOn } from '../../../../tools/lib/vitest/host-features'
import { withFewRights } from '../../../../tools/lib/root-rights.mjs'
import { commandAs } from '../../host/service-users'
import { linkLocalOf } from '../../network-model/addresses'
import { balancerSpaceOf, networkSpaceOf, routerSpaceOf, servicesPlace } from '../../network-model/names'
import { networkUsers, type NetworkUsers } from './services/users'
import { balancerOf, memberOf, monitorOf, poolOf } from '../../network-model/testing/balancer-examples'
import { createSampleNetworks, openBed, processesHere, tryPing, type Bed } from './testing/bed'
import { connectionOf } from '../../network-model/testing/vpn-examples'
import {
  groupOf,
  macFor,
  networkOf,
  openOut,
  portOf,
  routerOf,
  wantedOf,
} from '../../network-model/testing/wanted-examples'

/*
 * The network services with the privileges that they have in production: within the capability bounding set that
 * `npm start` leaves to a server running as root, and as an ordinary user.
 */

function topology() {
  const network = networkOf(['10.0.0.0/24', 'fd00:a::/64'])
  const external = networkOf(['203.0.113.0/24'], { external: { vlan: null } })
  const open = groupOf([...openOut(), {}, { version: 6 }])
  const guest = portOf(network, 11, { securityGroups: [open.id] })
  const mac = macFor()
  const told = portOf(network, 12, {
    ...{ mac, securityGroups: [open.id] },
    addresses: ['10.0.0.12', linkLocalOf(mac).replace('fe80::', 'fd00:a::')],
  })
  const peer = portOf(network, 13, { securityGroups: [open.id] })
  const pool = poolOf({ members: [memberOf('10.0.0.11'), memberOf('10.0.0.99')], monitor: monitorOf('ping') })
  const { balancer, port } = balancerOf(network, 100, [pool], { amphoraIds: [randomUUID(), randomUUID()] })
  const router = routerOf([network], { network: external, at: 10 })
  const wanted = wantedOf({
    ...{ networks: [network, external], ports: [guest, told, peer, port], groups: [open], routers: [router] },
    ...{ balancers: [balancer] },
  })
  return { wanted, network, guest, told, peer, router, balancer, pool }
}

const { file = 'true', args = [] } = withFewRights([]) ?? {}
const ordinary = { who: 'started by an ordinary user', rootless: true, host: [] }
const servers = [
  { who: 'started as root by `npm start`', rootless: false, host: [file, ...args] },
  // in the gate, other specs show the same services of an ordinary user
  ...(tier === 'gate' ? [] : [ordinary]),
]

describe.each(servers)('a server $who', ({ rootless, host }) => {
  const test = rootless ? testOn('networks', 'keepalived') : testOn('root', 'networks', 'keepalived')
  const { wanted, guest, told, peer, router, balancer, pool } = topology()
  let bed: Bed

  beforeAll(async () => {
    bed = await openBed({ rootless, host })
    const applied = await bed.calls.apply(wanted)
    expect([...applied.balancers.values(), ...applied.routers.values(), ...applied.networks.values()]).toEqual([])
    for (const port of [guest, told, peer]) await bed.calls.plug(port.id)
    await createSampleNetworks(bed, wanted, [guest, peer])
  })
  afterAll(() => bed.end())

  test('configures IPv6 in guests through router advertisements', async () => {
    await bed.from(told.id, `ip link set dev lo up; ip link set dev eth0 address ${told.mac} up`)
    const ways = () => bed.from(told.id, 'ip -6 route show default; ip -6 -o addr show dev eth0 scope global')
    await expect.poll(ways).toContain(`via ${linkLocalOf(router.interfaces[0]!.mac)} `)
    await expect.poll(ways).toContain(told.addresses[1])
    await expect.poll(() => bed.from(told.id, tryPing('fd00:a::1'))).toBe('answered\n')
  })

  test('runs highly available load balancers with ping health checks', async () => {
    const report = async () => (await bed.calls.balancers()).get(balancer.id)
    await expect
      .poll(async () => [...((await report())?.roles.values() ?? [])].toSorted())
      .toEqual(['backup', 'master'])
    const health = async () => {
      const members = (await report())?.members
      return pool.members.map(({ id }) => members?.get(id)?.health)
    }
    await expect.poll(health).toEqual(['up', 'down'])
  })

  test('tests reachability between guests', { tags: 'all' }, async () => {
    const ask = (protocol: 'icmp' | 'icmpv6' | 'tcp', address: string) =>
      bed.calls.check({
        ...{ from: { portId: peer.id }, to: { address }, protocol },
        port: protocol === 'tcp' ? 80 : null,
      })
    const answers = [await ask('icmp', '10.0.0.11'), await ask('icmpv6', 'fd00:a::11'), await ask('tcp', '10.0.0.11')]
    for (const answer of answers) expect(answer).toMatchObject({ delivered: true, expected: true, fault: null })
    expect(answers.slice(0, 2).map(({ answered }) => answered)).toEqual([true, true])
  })
})

/** Capability numbers (linux/capability.h). */
const numbers = {
  ...{ kill: 5, setgid: 6, setuid: 7, net_bind_service: 10, net_admin: 12, net_raw: 13 },
}
const maskOf = (...names: (keyof typeof numbers)[]) =>
  names.reduce((sum, name) => sum | (1n << BigInt(numbers[name])), 0n)

describe('network services of a server running as root', () => {
  const test = testOn('root', 'networks', 'keepalived', 'strongSwan')
  const { wanted, network, router, balancer } = topology()
  const connection = connectionOf(
    router,
    { address: '203.0.113.99', ranges: ['10.77.0.0/24'] },
    { local: ['10.0.0.0/24'] },
  )
  let bed: Bed
  let users: NetworkUsers

  beforeAll(async () => {
    users = await networkUsers()
    bed = await openBed({ rootless: false, host: [file, ...args] })
    const applied = await bed.calls.apply({ ...wanted, vpns: [{ routerId: router.id, connections: [connection] }] })
    expect([...applied.balancers.values(), ...applied.routers.values(), ...applied.vpns.values()]).toEqual([])
  })
  afterAll(() => bed.end())

  interface Rights {
    uid: number
    held: bigint
    canGain: boolean
  }
  const rightsOf = (pid: string): Rights => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const of = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)![1]!.trim().split(/\s+/)
    const [uid] = [...new Set(of('Uid').map(Number))]
    const held = ['CapPrm', 'CapEff', 'CapAmb'].reduce((sum, name) => sum | BigInt(`0x${of(name)[0]}`), 0n)
    return { uid: uid!, held, canGain: of('NoNewPrivs')[0] === '0' && of('CapBnd')[0] !== '0000000000000000' }
  }
  const inSpace = async (space: string, name: string): Promise<Rights[]> => {
    const pids = async () => (await bed.run(space, processesHere(name))).trim().split('\n').filter(Boolean)
    await expect.poll(pids).not.toEqual([])
    // HAProxy starts short-lived processes for its checks
    return (await pids()).filter((pid) => existsSync(`/proc/${pid}/status`)).map(rightsOf)
  }

  test.for([
    { what: 'a network’s dnsmasq', space: networkSpaceOf(network.id), names: ['net_bind_service', 'net_admin'] },
    {
      ...{ what: 'a router’s dnsmasq', space: routerSpaceOf(router.id) },
      names: ['net_bind_service', 'net_admin', 'net_raw'],
    },
  ] as const)('$what runs as a dedicated user with only the capabilities that it needs', async ({ space, names }) => {
    expect(await inSpace(space, 'dnsmasq')).toEqual([{ uid: users.dns!.uid, held: maskOf(...names), canGain: false }])
  })

  test('HAProxy runs as dedicated users without capabilities, except for the master process of a load balancer', async () => {
    expect(await inSpace('edge', 'haproxy')).toEqual([{ uid: users.metadata!.uid, held: 0n, canGain: false }])
    const [master, worker] = (await inSpace(balancerSpaceOf(balancer.amphoraIds[0]!), 'haproxy')).toSorted(
      (one, other) => one.uid - other.uid,
    )
    expect(worker).toMatchObject({ uid: users.lb!.uid, held: 0n })
    const ofMaster = maskOf('net_bind_service', 'setuid', 'setgid', 'kill', 'net_raw')
    expect(master).toMatchObject({ uid: 0, held: ofMaster })
  })

  test('keepalived and strongSwan run as dedicated users with network capabilities only', async () => {
    const rights = await inSpace(balancerSpaceOf(balancer.amphoraIds[0]!), 'keepalived')
    for (const one of rights)
      expect(one).toEqual({ uid: users.lb!.uid, held: maskOf('net_admin', 'net_raw'), canGain: false })
    expect(await inSpace(routerSpaceOf(router.id), 'charon')).toEqual([
      { uid: users.vpn!.uid, held: maskOf('net_admin'), canGain: false },
    ])
  })

  test('no service can modify files that a service reads or the server executes', async () => {
    await inSpace(balancerSpaceOf(balancer.amphoraIds[0]!), 'keepalived')
    const said = await bed.run('edge', `find ${servicesPlace} -type f '(' ! -uid 0 -o -perm /022 ')' ! -path '*/own/*'`)
    expect(said).toBe('')
  })

  test('only the metadata HAProxy can connect to the server’s metadata socket', async () => {
    const program = `require('node:net').connect('${servicesPlace}/metadata/metadata.sock').on('connect', () => { process.stdout.write('in'); process.exit() }).on('error', (error) => process.stdout.write(error.code))`
    const attempt = (user: NetworkUsers['vm']) => {
      const command = commandAs(user, process.execPath, ['-e', program])
      return bed.run(
        'edge',
        [command.file, ...command.args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' '),
      )
    }
    expect(await attempt(users.metadata)).toBe('in')
    for (const other of ['vm', 'dns', 'lb', 'vpn'] as const) expect(await attempt(users[other]), other).toBe('EACCES')
  })
})
