import { access, constants, readFile, stat } from 'node:fs/promises'
import { findProgram, runProgram } from '../../host/programs'
import { isRoot } from './capsule/processes'
import { probeScript } from './apply/prepare'
import { probeVpn } from './services/charon'
import type { Capsule, NoCapsule } from './capsule/capsule'
import type { DataplaneFacts } from '../../network-model/wanted'

/*
 * Checks whether the host meets the requirements for networking. Each missing requirement is reported with the command
 * that fixes it.
 */

const packageOf = {
  ip: 'iproute2',
  tc: 'iproute2',
  nft: 'nftables',
  conntrack: 'conntrack',
  dnsmasq: 'dnsmasq-base',
  haproxy: 'haproxy',
}

/**
 * The program that moves the address of a highly available load balancer between nodes. Other features do not need it.
 */
export const vrrpProgram = 'keepalived'

const versionOf: Record<string, string[]> = {
  nft: ['nft', '--version'],
  conntrack: ['conntrack', '--version'],
  dnsmasq: ['dnsmasq', '--version'],
  haproxy: ['haproxy', '-v'],
  // prints its version to standard error
  [vrrpProgram]: ['sh', '-c', `${vrrpProgram} --version 2>&1`],
}

const facilities: Record<string, { what: string; command: string | null }> = {
  settings: { what: 'writable settings of network namespaces', command: null },
  bridge: { what: 'virtual switches (bridge)', command: 'modprobe bridge' },
  veth: { what: 'links between namespaces (veth)', command: 'modprobe veth' },
  tun: { what: 'network interfaces of virtual machines (/dev/net/tun)', command: 'modprobe tun' },
  tracking: { what: 'connection tracking on switches (br_netfilter)', command: 'modprobe br_netfilter' },
  limit: { what: 'rate limits (sch_tbf)', command: 'modprobe sch_tbf' },
  rules: { what: 'packet filters (nf_tables)', command: 'modprobe -a nf_tables nf_tables_bridge nf_conntrack' },
  translation: { what: 'address translation (nft_masq)', command: 'modprobe -a nft_masq nft_nat' },
}

/** If there is no capsule, the reason for that is listed first. Throws if the host could not be checked. */
export async function probeHost(capsule: Capsule | NoCapsule): Promise<DataplaneFacts> {
  const missing: DataplaneFacts['missing'] = []
  if ('impossible' in capsule) missing.push(await capsuleAdvice(capsule))
  const absent = [
    ...new Set(Object.entries(packageOf).flatMap(([program, name]) => (findProgram(program) ? [] : [name]))),
  ]
  for (const name of absent) {
    missing.push({ what: `the package ${name}`, because: 'not installed', command: `apt-get install ${name}` })
  }
  if (!('impossible' in capsule) && !absent.includes('nftables')) {
    const said = await runProgram([...capsule.enter(), 'unshare', '--net', 'sh'], probeScript)
    for (const [, name = '', because = ''] of said.matchAll(/^no (\S+) ?(.*)$/gm)) {
      const { what, command } = facilities[name] ?? { what: name, command: null }
      missing.push({ what, because, command })
    }
  }
  if (isRoot() && !(await mayGiveCards())) {
    const because = 'only root can open /dev/net/tun'
    missing.push({ what: facilities['tun']!.what, because, command: 'chmod 666 /dev/net/tun' })
  }
  return {
    available: missing.length === 0,
    rootless: !isRoot(),
    missing,
    vpn: await probeVpn(capsule),
    programs: await versions(),
  }
}

const CAP_MKNOD = 27n

/**
 * Whether an instance's process, which does not run as root, can open `/dev/net/tun`, either the host's own or the one
 * created by `prepareScript`.
 */
async function mayGiveCards(): Promise<boolean> {
  const device = await stat('/dev/net/tun').catch(() => null)
  // a missing device is reported separately
  if (device === null || (device.mode & 0o006) === 0o006) return true
  const rights = /^CapEff:\s*(\w+)$/m.exec(await readFile('/proc/self/status', 'utf8'))?.[1] ?? '0'
  return ((BigInt(`0x${rights}`) >> CAP_MKNOD) & 1n) === 1n
}

type Missing = DataplaneFacts['missing'][number]

/** Returns why there is no capsule, and the command that fixes it. */
async function capsuleAdvice({ impossible, isPassing }: NoCapsule): Promise<Missing> {
  const what = 'a network namespace'
  if (isPassing) return { what, because: `${impossible}; retrying every minute`, command: null }
  const packages = /^install (.+)$/.exec(impossible)?.[1]?.replaceAll(' and ', ' ')
  if (packages) {
    const because = `it needs ${packages}, which is not installed`
    return { what, because, command: `apt-get install ${packages}` }
  }
  if (/unshare|user namespace|Operation not permitted|uid_map/i.test(impossible)) {
    const because = `ordinary users cannot create user namespaces on this host: ${impossible}`
    return { what, because, command: await namespacesCommand() }
  }
  const trouble = await access('/dev/net/tun', constants.R_OK | constants.W_OK).catch(
    ({ code }: NodeJS.ErrnoException) => code,
  )
  if (trouble === 'ENOENT') return { what, because: '/dev/net/tun is missing', command: 'modprobe tun' }
  if (trouble !== undefined)
    return { what, because: 'this user cannot open /dev/net/tun', command: 'chmod 666 /dev/net/tun' }
  return { what, because: impossible, command: null }
}

/** Includes the AppArmor setting only if the kernel supports it, because `sysctl` fails on unknown keys. */
async function namespacesCommand(): Promise<string> {
  const apparmor = 'kernel/apparmor_restrict_unprivileged_userns'
  const isThere = await access(`/proc/sys/${apparmor}`).then(
    () => true,
    () => false,
  )
  return `sysctl -w user.max_user_namespaces=10000${isThere ? ` ${apparmor.replace('/', '.')}=0` : ''}`
}

async function versions(): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const [name, command] of Object.entries(versionOf)) {
    if (findProgram(name) === null) continue
    // retry once, because features that depend on the version are disabled if it is unknown
    const said = await runProgram(command).catch(() => runProgram(command).catch(() => ''))
    const version = /\d+(\.\d+)+/.exec(said)?.[0]
    if (version) found[name] = version
  }
  return found
}

/** Formats the reason why a requirement is not met, and the command that fixes it. */
export const inWords = ({ because, command }: Missing): string => `${because}${command ? `; as root: ${command}` : ''}`

/** Explains to users why networking is unavailable, in one sentence. */
export const whyUnavailable = ({ missing }: DataplaneFacts): string =>
  `Networking is not available on this host: ${missing.map((it) => `${it.what} (${inWords(it)})`).join(', ')}`
