import { existsSync } from 'node:fs'
import { runProgram } from '../../../host/programs'
import { commandWithin, type ServiceUser } from '../../../host/service-users'
import type { Capsule, NoCapsule } from '../capsule/capsule'
import type { Esp } from '../../../network-model/compile/vpns'
import { userPlace, type VpnPlan } from '../../../network-model/compile/plan'
import type { DataplaneFacts } from '../../../network-model/wanted'
import type { FolderOf } from './balancers'
import type { Service } from './daemons'
import { openVici } from './vici'

const program = '/usr/lib/ipsec/charon'
export const viciSocket = 'vici.sock'

/** Files required for VPN, and the packages that install them. */
const needed: readonly (readonly [file: string, name: string])[] = [
  [program, 'strongswan-charon'],
  ['/usr/lib/ipsec/plugins/libstrongswan-vici.so', 'strongswan-swanctl'],
  ['/usr/lib/ipsec/plugins/libstrongswan-openssl.so', 'libstrongswan-standard-plugins'],
  ['/usr/lib/ipsec/plugins/libstrongswan-kernel-libipsec.so', 'libcharon-extra-plugins'],
]

/** Checks whether the host meets the requirements for VPN, and whether the kernel supports ESP. */
export async function probeVpn(capsule: Capsule | NoCapsule): Promise<DataplaneFacts['vpn']> {
  const absent = [...new Set(needed.flatMap(([file, name]) => (existsSync(file) ? [] : [name])))]
  const esp = 'impossible' in capsule ? 'userland' : await espOf(capsule)
  if (absent.length === 0) return { missing: null, esp }
  const names = absent.join(' ')
  return {
    missing: { what: 'VPN (strongSwan)', because: `${names} is not installed`, command: `apt-get install ${names}` },
    esp,
  }
}

/**
 * Tests whether the kernel supports ESP. Adds a state for this, because a kernel without ESP still accepts policies.
 */
const espOf = (capsule: Capsule): Promise<Esp> =>
  runProgram(
    [...capsule.enter(), 'unshare', '--net', 'sh'],
    `ip link set lo up && ip xfrm state add src 127.0.0.2 dst 127.0.0.3 proto esp spi 0x100 mode tunnel \
auth-trunc 'hmac(sha256)' 0x${'11'.repeat(32)} 128 enc 'cbc(aes)' 0x${'11'.repeat(32)}\n`,
  ).then(
    () => 'kernel' as const,
    () => 'userland' as const,
  )

/**
 * Capabilities that charon requires as root before it switches to `user` with only `net_admin`: to listen on port 500,
 * to transfer its socket to the user, and to drop privileges.
 */
const capabilities = ['net_admin', 'net_raw', 'net_bind_service', 'setuid', 'setgid', 'setpcap', 'chown']

/**
 * Returns the strongSwan service of a router. Its PID file has a fixed path, so each strongSwan gets its own `/run`.
 */
export function charonService({ key, space, config }: VpnPlan, folderOf: FolderOf, user: ServiceUser | null): Service {
  const { file, args } = user ? commandWithin(capabilities, program, []) : { file: program, args: [] }
  const start = [file, ...args].join(' ')
  return {
    ...{ key, space, program: 'unshare', becomes: 'charon', user },
    args: ['--mount', 'sh', '-c', `mount -t tmpfs tmpfs /run && STRONGSWAN_CONF=strongswan.conf exec ${start}`],
    files: { 'strongswan.conf': config.replaceAll(userPlace, user?.name ?? 'root') },
    lists: {},
    async takeOver(furnish) {
      furnish()
      const vici = await openVici(`${folderOf(key)}/${viciSocket}`, [], () => undefined)
      await vici.ask('reload-settings').finally(() => vici.close())
      return null
    },
    async isReady() {
      const vici = await openVici(`${folderOf(key)}/${viciSocket}`, [], () => undefined)
      return vici
        .ask('version')
        .then(() => true)
        .finally(() => vici.close())
    },
  }
}
