import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import process from 'node:process'
import { test, type TestAPI, type TestOptions } from 'vitest'
import { findCommand, searchPath } from '../../system-packages.mjs'

declare module 'vitest' {
  interface TaskMeta {
    /** The reason why the test was skipped, for `skipsByReason`. */
    skippedBecause?: string
  }
}

/*
 * Host features that tests require, and how they are detected. Detection does not rely on the product: if the product
 * wrongly reports that a feature is missing, the tests must fail instead of being skipped.
 */

const isRoot = process.getuid?.() === 0
/** Prefix that runs a command as root in its own namespaces. */
const inOwnNamespaces = ['unshare', '--mount', ...(isRoot ? [] : ['--user', '--map-root-user'])]

/** Runs a command. Returns the reason why it failed, or null. */
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

/** Uses one kernel feature per line, and fails at the first one that is missing. */
const networkScript = `set -e
ip link add br0 type bridge
ip link add v0 type veth peer name v1
tc qdisc add dev v0 root tbf rate 8mbit burst 64k latency 50ms
echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables
nft add table bridge rules
nft 'add table inet nat; add chain inet nat out { type nat hook postrouting priority srcnat; }; add rule inet nat out masquerade'
`

/**
 * Prefix that runs a command as an otherwise unused ordinary user if the tests run as root. Specs run servers this way.
 */
const ordinary = isRoot ? ['setpriv', '--reuid=61234', '--regid=61234', '--clear-groups', '--'] : []

function lacksNetworks(): string | null {
  const missing = lacksPrograms(networkPrograms)
  if (missing !== null) return missing
  if (!existsSync('/etc/protocols')) return 'apt-get install netbase'
  if (!existsSync('/dev/net/tun')) return '/dev/net/tun is missing: modprobe tun'
  try {
    // as root, specs create a separate device for guests
    if (!isRoot) accessSync('/dev/net/tun', constants.R_OK | constants.W_OK)
  } catch {
    return 'this user cannot open /dev/net/tun: chmod 666 /dev/net/tun'
  }
  return fails([...ordinary, 'unshare', '--user', '--map-root-user', '--mount', '--net', 'sh'], networkScript)
}

const strongSwan = {
  '/usr/lib/ipsec/charon': 'strongswan-charon',
  '/usr/lib/ipsec/plugins/libstrongswan-vici.so': 'strongswan-swanctl',
  '/usr/lib/ipsec/plugins/libstrongswan-openssl.so': 'libstrongswan-standard-plugins',
  '/usr/lib/ipsec/plugins/libstrongswan-kernel-libipsec.so': 'libcharon-extra-plugins',
}

/** Checks for each feature. They return why it is missing and how to get it, or null. */
const lackOf = {
  QEMU: () => lacksPrograms({ 'qemu-system-x86_64': 'qemu-system-x86', 'qemu-img': 'qemu-utils' }),
  networks: lacksNetworks,
  keepalived: () => lacksPrograms({ keepalived: 'keepalived' }),
  strongSwan: () => {
    const missing = Object.entries(strongSwan).flatMap(([file, name]) => (existsSync(file) ? [] : [name]))
    return missing.length === 0 ? null : `apt-get install ${missing.join(' ')}`
  },
  IPv6: () => lacksFile('/proc/net/if_inet6', 'the kernel has no IPv6'),
  'user namespaces': () => fails([...ordinary, 'unshare', '--user', '--map-current-user', '--keep-caps', 'true']),
  'mounts of its own': () => fails([...inOwnNamespaces, 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]),
  mounts: () => fails(['unshare', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]),
  'scheduling statistics': () => lacksFile('/proc/thread-self/schedstat', 'needs a kernel with CONFIG_SCHED_INFO'),
  'processes in /proc': () => lacksFile('/proc/self/environ', 'mount -t proc proc /proc'),
  'ssh-keygen': () => lacksPrograms({ 'ssh-keygen': 'openssh-client' }),
  sshd: () => lacksPrograms({ sshd: 'openssh-server', ssh: 'openssh-client' }),
  'cockpit-bridge': () => lacksPrograms({ 'cockpit-bridge': 'cockpit-bridge' }),
  root: () => (isRoot ? null : 'these tests need a server that runs as root'),
} satisfies Record<string, () => string | null>

type HostFeature = keyof typeof lackOf

/** Features that depend on how the tests are started, not on the host. */
const byChoice: ReadonlySet<HostFeature> = new Set(['root'])

const known = new Map<HostFeature, string | null>()

/** Returns why the host lacks a feature and how to get it, or null. The result is cached for the process. */
export function lacks(feature: HostFeature): string | null {
  if (!known.has(feature)) known.set(feature, lackOf[feature]())
  return known.get(feature) ?? null
}

/**
 * Returns options for a test or block that requires host features. If one is missing, the tests are skipped with the
 * reason in the report; in CI, they fail.
 */
export function needs(...features: HostFeature[]): Pick<TestOptions, 'skip' | 'meta'> {
  return optionsFor(
    features.map((feature) => ({ feature, lack: lacks(feature) })),
    process.env['CI'] === 'true',
  )
}

/** Builds the options for `needs`. The first missing feature is the reason. */
export function optionsFor(
  found: readonly { feature: HostFeature; lack: string | null }[],
  isCi: boolean,
): Pick<TestOptions, 'skip' | 'meta'> {
  const missing = found.filter(({ lack }) => lack !== null)
  const first = missing.find(({ feature }) => byChoice.has(feature)) ?? missing[0]
  if (!first) return {}
  const skippedBecause = `${first.feature}: ${first.lack}`
  if (isCi && !byChoice.has(first.feature))
    throw new Error(`The host lacks a feature that these tests need: ${skippedBecause}`)
  return { skip: true, meta: { skippedBecause } }
}

/** Returns Vitest's `test` for a file or block in which all tests require these host features. */
export function testOn(...features: HostFeature[]): TestAPI {
  const options = needs(...features)
  return options.skip ? skipping(test, options) : test
}

/** Registers tests with their titles but without their functions. */
const skipping = (register: TestAPI, options: Pick<TestOptions, 'skip' | 'meta'>): TestAPI =>
  new Proxy(register, {
    apply: (_, __, [title]: [string]) => register(title, options),
    get:
      (_, name: 'for' | 'each') =>
      (...rows: unknown[]) =>
        skipping(Reflect.apply(register[name], register, rows), options),
  })
