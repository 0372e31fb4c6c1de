import type { CountedQuotas } from '@mainstay/contract/all-quotas'
import type { Flavor } from '@mainstay/contract/compute/flavors'
import type { Image } from '@mainstay/contract/compute/images'
import { MiB } from '@mainstay/contract/core/bytes'
import type { Boot, InstanceForm } from './instance-form'

/** What an ordinary system is at ease with where its image does not say how much memory it needs, MiB. */
const ordinaryRam = { linux: 2048, windows: 4096 } as const

const leastRam = (boot: Boot | null) => (boot && boot.from !== 'volume' ? boot.image.min_ram : 0)

/** The memory that what is booted is at ease with, MiB. */
function easyRam(boot: Boot | null): number {
  if (!boot || boot.from === 'volume') return 0
  const { min_ram: least, os_type: os } = boot.image
  return least > 0 ? least : ordinaryRam[os]
}

/**
 * The smallest flavor in which what is booted is at ease and which the quota has room for; where there is none, the largest
 * one of those that would do.
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

/** Whether the system of an image lets people in by keys that it is given when it first starts. */
const takesKeys = ({ username, os_type, os_distro }: Image): boolean =>
  username !== null || (os_type === 'linux' && os_distro !== 'linux' && os_distro !== 'iso')

/** Whether a machine would let nobody in: its image has no password, and it is given neither a key nor a script. */
export const isSignInImpossible = ({ boot, key, script }: Pick<InstanceForm, 'boot' | 'key' | 'script'>): boolean =>
  boot?.from === 'image' && takesKeys(boot.image) && !boot.image.allow_set_password && key === null && script === ''
