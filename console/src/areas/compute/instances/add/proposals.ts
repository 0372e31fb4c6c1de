import type { CountedQuotas } from '@mainstay/contract/all-quotas'
import type { Flavor } from '@mainstay/contract/compute/flavors'
import type { Image } from '@mainstay/contract/compute/images'
import { MiB } from '@mainstay/contract/core/bytes'
import type { Boot, InstanceForm } from './instance-form'

/** Default memory in MiB for images that do not specify a minimum. */
const ordinaryRam = { linux: 2048, windows: 4096 } as const

const leastRam = (boot: Boot | null) => (boot && boot.from !== 'volume' ? boot.image.min_ram : 0)

/** Recommended memory for the boot source, in MiB. */
function easyRam(boot: Boot | null): number {
  if (!boot || boot.from === 'volume') return 0
  const { min_ram: least, os_type: os } = boot.image
  return least > 0 ? least : ordinaryRam[os]
}

/**
 * The smallest flavor with the recommended memory that fits into the quota. If there is none, the largest flavor that
 * fits into the quota and has the minimum memory.
 */
export function proposedFlavor(
  flavors: readonly Flavor[],
  boot: Boot | null,
  quotas: CountedQuotas | undefined,
): Flavor | null {
  const room = (name: 'vcpus' | 'ram') =>
    quotas && quotas[name].limit >= 0 ? quotas[name].limit - quotas[name].used : Infinity
  const possible = flavors
    .filter(({ ram, vcpus }) => ram >= leastRam(boot) && ram * MiB <= room('ram') && vcpus <= room('vcpus'))
    .toSorted((one, other) => one.ram - other.ram || one.vcpus - other.vcpus)
  return possible.find(({ ram }) => ram >= easyRam(boot)) ?? possible.at(-1) ?? null
}

/** Whether the image's operating system accepts SSH keys that are injected at first boot. */
const takesKeys = ({ username, os_type, os_distro }: Image): boolean =>
  username !== null || (os_type === 'linux' && os_distro !== 'linux' && os_distro !== 'iso')

/** Whether signing in would be impossible: the image has no password, and neither a key nor a script is set. */
export const isSignInImpossible = ({ boot, key, script }: Pick<InstanceForm, 'boot' | 'key' | 'script'>): boolean =>
  boot?.from === 'image' && takesKeys(boot.image) && !boot.image.allow_set_password && key === null && script === ''
