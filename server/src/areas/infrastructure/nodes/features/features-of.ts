import type { HostFeature, HostFeatureName } from '@mainstay/contract/infrastructure/host-features'
import type { Statement } from '@mainstay/contract/infrastructure/node-rules'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import type { HostFact } from '@mainstay/contract/networking/network-service'
import { installCommand, type SystemPackage } from '../../../../../../tools/system-packages.mjs'
import { statement } from '../statement'

/** What is known about the host of the management services only. */
export interface FoundHere {
  hypervisor: { name: string; accelerator: string; isSimulated: boolean }
  /** Whether the user of the server can open `/dev/kvm`. */
  kvm: 'usable' | 'denied' | 'missing'
  /** Folder of the volumes; null if they are not stored on this host. */
  folder: string | null
  /** Results of the checks of networking; null if this host has no networks. */
  networking: readonly HostFact[] | null
  /** How to enable metrics; null if they are stored. */
  metricsAdvice: string | null
  /** Packages that are not installed. */
  missingPackages: readonly SystemPackage[]
}

type Gap = HostFeature['gaps'][number]

/** Packages that a feature needs, and whether it works without them. Networking and VPN have checks of their own. */
export const packagesOf = {
  disk_images: ['qemu-utils', 'bubblewrap'],
  uefi: ['ovmf'],
  balancer_pairs: ['keepalived'],
  reach_checks: ['iputils-ping'],
  sample_image: ['dosfstools', 'mtools', 'syslinux', 'cpio', 'xz-utils', 'kmod'],
  other_hosts: ['openssh-client'],
} as const satisfies Partial<Record<HostFeatureName, readonly string[]>>

const METRICS_PACKAGE = 'victoria-metrics'

const feature = (
  name: HostFeatureName,
  gaps: readonly Gap[],
  { detail = null, whenGaps = 'missing' }: { detail?: string | null; whenGaps?: 'limited' | 'missing' } = {},
): HostFeature => ({ name, state: gaps.length === 0 ? 'available' : whenGaps, detail, gaps: [...gaps] })

const gap = (reason: Statement, command: string | null = null): Gap => ({ reason, command })

const install = (name: string): string => `sudo apt-get install ${name}`

/** Command that lets the platform's account on a host become root. */
const grantRoot = (user: string): string => `echo "${user} ALL=(ALL) NOPASSWD: ALL" | sudo tee /etc/sudoers.d/mainstay`

/** Returns the features that every host has, according to its last reading. `user`: account of the platform on it. */
export function featuresOfHost({ link, missing_programs }: Pick<Node, 'link' | 'missing_programs'>, user: string) {
  const isRoot = link.rights !== 'none'
  const lacks = (program: string) => missing_programs.includes(program)
  const others = missing_programs.filter((program) => program !== 'smartctl' && program !== 'lldpctl')
  return [
    feature('privileges', isRoot ? [] : [gap(statement('infrastructure.host_not_root'), grantRoot(user))], {
      detail: link.rights,
    }),
    feature('disk_health', [
      ...(isRoot ? [] : [gap(statement('infrastructure.host_disks_need_root'))]),
      ...(lacks('smartctl') ? [gap(statement('infrastructure.host_lacks_smartctl'), install('smartmontools'))] : []),
    ]),
    feature(
      'neighbors',
      lacks('lldpctl') ? [gap(statement('infrastructure.host_lacks_lldpctl'), install('lldpd'))] : [],
    ),
    feature(
      'host_facts',
      others.map((program) => gap(statement('infrastructure.host_lacks_program', { program }))),
      { whenGaps: 'limited' },
    ),
  ]
}

/** Returns the additional features of the host of the management services. `user`: the user of the server. */
export function featuresHere(found: FoundHere, user: string): HostFeature[] {
  const { hypervisor, folder, networking, missingPackages } = found
  const lacking = (names: readonly string[]): Gap[] => {
    const absent = missingPackages.filter(({ name }) => names.includes(name))
    if (absent.length === 0) return []
    const values = { count: absent.length, names: absent.map(({ name }) => name).join(', ') }
    return [gap(statement('infrastructure.host_package_missing', values), installCommand(absent, 'sudo '))]
  }
  const always = [
    feature('metrics', metricsGaps(found)),
    feature('other_hosts', lacking(packagesOf.other_hosts)),
    ...(folder === null ? [] : [feature('storage', [], { detail: folder })]),
  ]
  if (hypervisor.isSimulated)
    return [feature('virtual_machines', [gap(statement('infrastructure.host_machines_simulated'))]), ...always]
  const unmet = (needs: HostFact['needed_for']) => (networking ?? []).filter((fact) => fact.needed_for === needs)
  const networks = unmet('networks').map(requirementGap)
  const withNetworks = networks.length > 0 ? [gap(statement('infrastructure.host_needs_networks'))] : []
  return [
    feature('virtual_machines', accelerationGaps(found, user), { detail: hypervisor.name, whenGaps: 'limited' }),
    feature('disk_images', lacking(packagesOf.disk_images), { whenGaps: 'limited' }),
    feature('uefi', lacking(packagesOf.uefi)),
    ...(networking === null
      ? []
      : [
          feature('networks', networks),
          feature('balancer_pairs', [...withNetworks, ...lacking(packagesOf.balancer_pairs)]),
          feature('vpn', [...withNetworks, ...unmet('vpn').map(requirementGap)]),
          feature('reach_checks', [...withNetworks, ...lacking(packagesOf.reach_checks)]),
        ]),
    feature('sample_image', lacking(packagesOf.sample_image)),
    ...always,
  ]
}

const requirementGap = ({ name: what, detail, command }: HostFact): Gap =>
  gap(statement('infrastructure.host_requirement', { what, reason: detail ?? '' }), command && `sudo ${command}`)

function metricsGaps({ metricsAdvice: advice, missingPackages }: FoundHere): Gap[] {
  if (advice === null) return []
  const absent = missingPackages.filter(({ name }) => name === METRICS_PACKAGE)
  const isAdvised = advice.includes(METRICS_PACKAGE) && absent.length > 0
  return [
    gap(
      statement('infrastructure.host_metrics_missing', { advice }),
      isAdvised ? installCommand(absent, 'sudo ') : null,
    ),
  ]
}

function accelerationGaps({ hypervisor, kvm }: FoundHere, user: string): Gap[] {
  if (hypervisor.accelerator === 'kvm') return []
  if (kvm === 'missing') return [gap(statement('infrastructure.host_kvm_missing'))]
  if (kvm === 'denied')
    return [gap(statement('infrastructure.host_kvm_denied', { user }), `sudo usermod -aG kvm ${user}`)]
  return [gap(statement('infrastructure.host_kvm_fails'))]
}
