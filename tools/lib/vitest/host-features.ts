import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import process from 'node:process'
import { test, type TestAPI, type TestOptions } from 'vitest'
import { findCommand, searchPath } from '../../system-packages.mjs'

declare module 'vitest' {
  interface TaskMeta {
    /** Why a test was skipped; `skipsByReason` counts them in the report. */
    skippedBecause?: string
  }
}

/*
 * What tests need of the host, and how to find out whether it is there. The host is asked here and not by the product, so that a
 * product that wrongly says that something is missing fails its tests instead of skipping them.
 */

const isRoot = process.getuid?.() === 0
/** Words before a command so that it has the rights of root in namespaces of its own. */
const inOwnNamespaces = ['unshare', '--mount', ...(isRoot ? [] : ['--user', '--map-root-user'])]

/** Why the command fails; null where it does not. */
function fails([program = '', ...args]: readonly string[], input = ''): string | null {
  const env = { ...process.env, PATH: searchPath, LC_ALL: 'C' }
  const { status, error, stderr } = spawnSync(program, args, { env, input, encoding: 'utf8', timeout: 60_000 })
  if (status === 0) return null
  return error?.message ?? (stderr.trim().split('\n').at(-1) || `${program} ended with ${status ?? 'a signal'}`)
}

const lacksPrograms = (programs: Readonly<Record<string, string>>): string | null => {
  const missing = Object.entries(programs).filter(([program]) => findCommand(program) === undefined)
  const packages = [...new Set(missing.map(([, name]) => name))]
  return packages.length === 0 ? null : `apt-get install ${packages.join(' ')}`
}
const lacksFile = (file: string, what: string) => (existsSync(file) ? null : `there is no ${file}: ${what}`)

const networkPrograms = {
  ...{ slirp4netns: 'slirp4netns', ip: 'iproute2', tc: 'iproute2', nft: 'nftables', conntrack: 'conntrack' },
  ...{ dnsmasq: 'dnsmasq-base', haproxy: 'haproxy', ping: 'iputils-ping' },
}

/** Each line is a feature of the kernel; fails at the first that is missing. */
const networkScript = `set -e
ip link add br0 type bridge
ip link add v0 type veth peer name v1
tc qdisc add dev v0 root tbf rate 8mbit burst 64k latency 50ms
echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables
nft add table bridge rules
nft 'add table inet nat; add chain inet nat out { type nat hook postrouting priority srcnat; }; add rule inet nat out masquerade'
`

/** Specs run servers as an ordinary user, whoever runs them; nobody has this number. */
const ordinary = isRoot ? ['setpriv', '--reuid=61234', '--regid=61234', '--clear-groups', '--'] : []

function lacksNetworks(): string | null {
  const missing = lacksPrograms(networkPrograms)
  if (missing !== null) return missing
  if (!existsSync('/etc/protocols')) return 'apt-get install netbase'
  if (!existsSync('/dev/net/tun')) return 'there is no /dev/net/tun: modprobe tun'
  try {
    // root gives guests of specs a device of their own
    if (!isRoot) accessSync('/dev/net/tun', constants.R_OK | constants.W_OK)
  } catch {
    return 'this user may not open /dev/net/tun: chmod 666 /dev/net/tun'
  }
  return fails([...ordinary, 'unshare', '--user', '--map-root-user', '--mount', '--net', 'sh'], networkScript)
}

const strongSwan = {
  '/usr/lib/ipsec/charon': 'strongswan-charon',
  '/usr/lib/ipsec/plugins/libstrongswan-vici.so': 'strongswan-swanctl',
  '/usr/lib/ipsec/plugins/libstrongswan-openssl.so': 'libstrongswan-standard-plugins',
  '/usr/lib/ipsec/plugins/libstrongswan-kernel-libipsec.so': 'libcharon-extra-plugins',
}

/** Why the host does not have it and what brings it; null: it has it. */
const lackOf = {
  QEMU: () => lacksPrograms({ 'qemu-system-x86_64': 'qemu-system-x86', 'qemu-img': 'qemu-utils' }),
  networks: lacksNetworks,
  keepalived: () => lacksPrograms({ keepalived: 'keepalived' }),
  strongSwan: () => {
    const missing = Object.entries(strongSwan).flatMap(([file, name]) => (existsSync(file) ? [] : [name]))
    return missing.length === 0 ? null : `apt-get install ${missing.join(' ')}`
  },
  IPv6: () => lacksFile('/proc/net/if_inet6', 'the kernel is without IPv6'),
  'user namespaces': () => fails([...ordinary, 'unshare', '--user', '--map-current-user', '--keep-caps', 'true']),
  'mounts of its own': () => fails([...inOwnNamespaces, 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]),
  mounts: () => fails(['unshare', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]),
  'scheduling statistics': () => lacksFile('/proc/thread-self/schedstat', 'a kernel with CONFIG_SCHED_INFO has it'),
  'processes in /proc': () => lacksFile('/proc/self/environ', 'mount -t proc proc /proc'),
  'ssh-keygen': () => lacksPrograms({ 'ssh-keygen': 'openssh-client' }),
  root: () => (isRoot ? null : 'these tests are about a server that root runs'),
} satisfies Record<string, () => string | null>

type HostFeature = keyof typeof lackOf

/** Who runs the tests is chosen, and no fault of the host. */
const byChoice: ReadonlySet<HostFeature> = new Set(['root'])

const known = new Map<HostFeature, string | null>()

/** Why the host does not have it, and what brings it; null where it has it. Asked once in a process. */
export function lacks(feature: HostFeature): string | null {
  if (!known.has(feature)) known.set(feature, lackOf[feature]())
  return known.get(feature) ?? null
}

/**
 * Options of a test, or of a block of them, that needs these features of its host. Where one is missing the tests are skipped, with
 * the reason in the report; in CI they fail.
 */
export function needs(...features: HostFeature[]): Pick<TestOptions, 'skip' | 'meta'> {
  return optionsFor(
    features.map((feature) => ({ feature, lack: lacks(feature) })),
    process.env['CI'] === 'true',
  )
}

/** What `needs` answers, in the order of the features. */
export function optionsFor(
  found: readonly { feature: HostFeature; lack: string | null }[],
  isCi: boolean,
): Pick<TestOptions, 'skip' | 'meta'> {
  const missing = found.filter(({ lack }) => lack !== null)
  const first = missing.find(({ feature }) => byChoice.has(feature)) ?? missing[0]
  if (!first) return {}
  const skippedBecause = `${first.feature}: ${first.lack}`
  if (isCi && !byChoice.has(first.feature)) throw new Error(`These tests need of their host ${skippedBecause}`)
  return { skip: true, meta: { skippedBecause } }
}

/** Vitest's `test` for a file, or a block, of which all tests need these features of their host. */
export function testOn(...features: HostFeature[]): TestAPI {
  const options = needs(...features)
  return options.skip ? skipping(test, options) : test
}

/** Registers tests by their titles, and never with what they do. */
const skipping = (register: TestAPI, options: Pick<TestOptions, 'skip' | 'meta'>): TestAPI =>
  new Proxy(register, {
    apply: (_, __, [title]: [string]) => register(title, options),
    get:
      (_, name: 'for' | 'each') =>
      (...rows: unknown[]) =>
        skipping(Reflect.apply(register[name], register, rows), options),
  })
