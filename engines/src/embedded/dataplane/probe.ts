import { access, constants, readFile, stat } from 'node:fs/promises'
import { findProgram, runProgram } from '../../host/programs'
import { isRoot } from './capsule/processes'
import { probeScript } from './apply/prepare'
import { probeVpn } from './services/charon'
import type { Capsule, NoCapsule } from './capsule/capsule'
import type { DataplaneFacts } from '../../network-model/wanted'

/* What this host gives for networks; what is missing is told in words, with what brings it. */

const packageOf = {
  ip: 'iproute2',
  tc: 'iproute2',
  nft: 'nftables',
  conntrack: 'conntrack',
  dnsmasq: 'dnsmasq-base',
  haproxy: 'haproxy',
}

/** Moves the address of a pair of HAProxies; all else does without it. */
export const vrrpProgram = 'keepalived'

const versionOf: Record<string, string[]> = {
  nft: ['nft', '--version'],
  conntrack: ['conntrack', '--version'],
  dnsmasq: ['dnsmasq', '--version'],
  haproxy: ['haproxy', '-v'],
  // it tells its version where others tell errors
  [vrrpProgram]: ['sh', '-c', `${vrrpProgram} --version 2>&1`],
}

const facilities: Record<string, { what: string; command: string | null }> = {
  settings: { what: 'settings of a network namespace can be written', command: null },
  bridge: { what: 'switches (bridge)', command: 'modprobe bridge' },
  veth: { what: 'cables between namespaces (veth)', command: 'modprobe veth' },
  tun: { what: 'network cards of machines (/dev/net/tun)', command: 'modprobe tun' },
  tracking: { what: 'connection tracking on switches (br_netfilter)', command: 'modprobe br_netfilter' },
  limit: { what: 'limits of rates (sch_tbf)', command: 'modprobe sch_tbf' },
  rules: { what: 'rules of switches (nf_tables)', command: 'modprobe nf_tables nf_tables_bridge nf_conntrack' },
  translation: { what: 'translation of addresses (nft_masq)', command: 'modprobe nft_masq nft_nat' },
}

/** Where there is no capsule, its reason is the first thing that is missing. Throws where the host could not be asked. */
export async function probeHost(capsule: Capsule | NoCapsule): Promise<DataplaneFacts> {
  const missing: DataplaneFacts['missing'] = []
  if ('impossible' in capsule) missing.push(await capsuleAdvice(capsule))
  const absent = [
    ...new Set(Object.entries(packageOf).flatMap(([program, name]) => (findProgram(program) ? [] : [name]))),
  ]
  for (const name of absent) {
    missing.push({ what: `the package ${name}`, because: 'it is not installed', command: `apt-get install ${name}` })
  }
  if (!('impossible' in capsule) && !absent.includes('nftables')) {
    const said = await runProgram([...capsule.enter(), 'unshare', '--net', 'sh'], probeScript)
    for (const [, name = '', because = ''] of said.matchAll(/^no (\S+) ?(.*)$/gm)) {
      const { what, command } = facilities[name] ?? { what: name, command: null }
      missing.push({ what, because, command })
    }
  }
  if (isRoot() && !(await mayGiveCards())) {
    const because = 'root alone may open /dev/net/tun'
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

/** Whether a machine's process, which is no root, gets to `/dev/net/tun`: that of the host, or one made for it (`prepareScript`). */
async function mayGiveCards(): Promise<boolean> {
  const device = await stat('/dev/net/tun').catch(() => null)
  // that there is none was told above
  if (device === null || (device.mode & 0o006) === 0o006) return true
  const rights = /^CapEff:\s*(\w+)$/m.exec(await readFile('/proc/self/status', 'utf8'))?.[1] ?? '0'
  return ((BigInt(`0x${rights}`) >> CAP_MKNOD) & 1n) === 1n
}

type Missing = DataplaneFacts['missing'][number]

/** Why there is no capsule, for people, and what brings it. */
async function capsuleAdvice({ impossible, isPassing }: NoCapsule): Promise<Missing> {
  const what = 'a network namespace'
  if (isPassing) return { what, because: `${impossible}; it is tried again every minute`, command: null }
  const packages = /^install (.+)$/.exec(impossible)?.[1]?.replaceAll(' and ', ' ')
  if (packages) {
    const because = `it needs ${packages}, which is not installed`
    return { what, because, command: `apt-get install ${packages}` }
  }
  if (/unshare|user namespace|Operation not permitted|uid_map/i.test(impossible)) {
    const because = `an ordinary user may not make user namespaces here: ${impossible}`
    return { what, because, command: await namespacesCommand() }
  }
  const trouble = await access('/dev/net/tun', constants.R_OK | constants.W_OK).catch(
    ({ code }: NodeJS.ErrnoException) => code,
  )
  if (trouble === 'ENOENT') return { what, because: 'there is no /dev/net/tun', command: 'modprobe tun' }
  if (trouble !== undefined)
    return { what, because: 'this user may not open /dev/net/tun', command: 'chmod 666 /dev/net/tun' }
  return { what, because: impossible, command: null }
}

/** Of AppArmor only where this kernel has it; `sysctl` refuses what it does not know. */
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
    // what depends on a version is not offered without it: one that is there is asked again
    const said = await runProgram(command).catch(() => runProgram(command).catch(() => ''))
    const version = /\d+(\.\d+)+/.exec(said)?.[0]
    if (version) found[name] = version
  }
  return found
}

/** Why something is missing, and what brings it. */
export const inWords = ({ because, command }: Missing): string => `${because}${command ? `; as root: ${command}` : ''}`

/** One sentence for people. */
export const whyUnavailable = ({ missing }: DataplaneFacts): string =>
  `This host gives no networks: ${missing.map((it) => `${it.what} (${inWords(it)})`).join(', ')}`
