import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { needs } from '../../../../tools/lib/vitest/host-features'
import { findProgram } from '../../host/programs'
import type { MachineSpec } from '../hypervisor'
import { diskOf, guestImage, nicOf, specOf } from '../qemu/testbed'
import { asOrdinary, folderOf, giveTo, removeFolder, startDriver, type DriverProcess } from './testing/driver-process'
import type { MachinesDriverCalls } from './testing/machines-driver'
import { networkOf, portOf, wantedOf } from '../../network-model/testing/wanted-examples'

/*
 * Hosts that do not meet a requirement for networking: this machine, with something hidden from the server process
 * through namespaces. Nothing is mocked, and the server runs as an ordinary user.
 */

/** Enters a user namespace as the same user. The resulting capabilities are dropped before the server starts. */
const onHost = (takenAway: string): string[] => [
  ...asOrdinary(true),
  ...[findProgram('unshare') ?? '', '--user', '--map-current-user', '--keep-caps', '--mount', '--'],
  ...['sh', '-c', `${takenAway}\nexec setpriv --ambient-caps=-all --inh-caps=-all -- "$@"`, 'sh'],
]
const without = (program: string) =>
  `for f in /usr/sbin /sbin /usr/bin /bin; do [ -e "$f/${program}" ] && mount --bind /dev/null "$f/${program}"; done`

const [network] = [networkOf(['10.44.0.0/24'], { nat: true })]
const port = portOf(network, 21)

let running: DriverProcess<MachinesDriverCalls> | null = null
let folder = ''
afterEach(async () => {
  await running?.calls.finish()
  await running?.end()
  running = null
  removeFolder(folder)
})

async function serverOn(takenAway: string): Promise<DriverProcess<MachinesDriverCalls>> {
  folder = folderOf('mainstay-lacking-', true)
  running = await startDriver<MachinesDriverCalls>('machines-driver', folder, onHost(takenAway))
  return running
}

/** Returns an instance with a network interface in the default network. */
function machine(): MachineSpec {
  const path = join(folder, 'disk.qcow2')
  copyFileSync(guestImage(), path)
  giveTo(path, true)
  const { mac, addresses, id } = port
  const nic = nicOf({ id, mac, address: addresses[0]!, cidr: '10.44.0.0/24', port: { orNat: true } })
  return specOf([diskOf(path, { bootIndex: 0 })], { onSwitches: true, nics: [nic] })
}

describe('a host', { timeout: 300_000, ...needs('QEMU', 'networks') }, () => {
  test.for([
    {
      lacks: 'user namespaces',
      takenAway: 'echo 0 >/proc/sys/user/max_user_namespaces',
      words: /user namespaces/,
      command: /^sysctl -w .*user\.max_user_namespaces=\d+/,
      reaches: false,
    },
    {
      lacks: '/dev/net/tun',
      takenAway: 'mount -t tmpfs none /dev/net',
      words: /\/dev\/net\/tun is missing/,
      command: /^modprobe tun$/,
      reaches: false,
    },
    {
      lacks: 'the right to open /dev/net/tun',
      takenAway: 'mount -t tmpfs none /dev/net && touch /dev/net/tun && chmod 0 /dev/net/tun',
      words: /cannot open \/dev\/net\/tun/,
      command: /^chmod 666 \/dev\/net\/tun$/,
      reaches: false,
    },
    {
      lacks: 'slirp4netns',
      takenAway: without('slirp4netns'),
      words: /slirp4netns/,
      command: /^apt-get install slirp4netns$/,
      reaches: false,
    },
    {
      lacks: 'protocol names',
      takenAway: 'mount --bind /dev/null /etc/protocols',
      words: /netbase/,
      command: /^apt-get install netbase$/,
      reaches: false,
    },
    {
      lacks: 'nft',
      takenAway: without('nft'),
      words: /package nftables/,
      command: /^apt-get install nftables$/,
      reaches: true,
    },
    {
      lacks: 'dnsmasq',
      takenAway: without('dnsmasq'),
      words: /package dnsmasq-base/,
      command: /^apt-get install dnsmasq-base$/,
      reaches: true,
    },
  ])(
    'without $lacks reports the command that fixes it, and still starts instances',
    async ({ takenAway, words, command, reaches }) => {
      const { calls: server } = await serverOn(takenAway)
      const { available, missing } = await server.facts()
      expect(available).toBe(false)
      const [first] = missing
      expect(`${first!.what}: ${first!.because}`).toMatch(words)
      expect(first!.command).toMatch(command)
      const problem = await server.problem()
      expect(problem).toMatch(words)
      expect(problem).toContain(`as root: ${first!.command}`)
      await expect(server.apply(wantedOf({ networks: [network], ports: [port] }))).rejects.toThrow(first!.command!)

      const spec = machine()
      await server.boot(spec)
      expect(await server.state(spec.id)).toBe('running')
      // the instance uses its own NAT if guests can be isolated from the host; otherwise it has no network access
      expect(await server.ask(spec.id, 'ip -4 addr show eth0')).toContain(' 10.44.0.21/24')
      expect(problem).toMatch(reaches ? /use their own NAT/ : /have no network access/)
    },
  )

  test('provides networking if nothing is missing', async () => {
    const { calls: server } = await serverOn('')
    expect(await server.facts()).toMatchObject({ available: true, rootless: true, missing: [] })
    expect(await server.problem()).toBe(null)
  })
})
