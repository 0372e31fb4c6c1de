import { MAX_VIRTUAL_BYTES } from '@mainstay/contract/compute/image-rules'
import type { QuotaName } from '@mainstay/contract/all-quotas'
import { GiB, MiB, TiB } from '@mainstay/contract/core/bytes'

/** What this engine allows; every number may be set otherwise by configuration. */
export interface Limits {
  /** Of every project, in the units of their declarations; -1 is no limit. */
  quotas: Record<QuotaName, number>
  /** The largest image file that is taken, bytes. */
  imageBytes: number
  /** The largest disk that an image may claim to be, bytes. */
  imageVirtualBytes: number
  /** Memory of the host that no instance gets, MiB. */
  hostReserveMiB: number
  /** Virtual processors for each processor of the host, all instances together. */
  vcpusPerCore: number
  /** Space that is left free for what runs, bytes. */
  diskReserveBytes: number
  /** Milliseconds that a guest has to reboot by itself before it is reset. */
  softRebootMs: number
  /** Milliseconds after which its power button is pressed again: a guest that is still starting does not hear it. */
  pressAgainMs: number
  /** Milliseconds that a guest has to take into use what it is given while it runs. */
  guestTakesMs: number
  /** Milliseconds that an upload waits for its own check; what takes longer (a conversion) goes on behind the answer. */
  imageCheckMs: number
  /** Files of disks and images that are copied, checked or converted at the same time. */
  copies: number
  /** Of these those of one project, so that the others' have a place too. */
  copiesOfOne: number
  /** Milliseconds between two looks at the figures of running instances. */
  figuresMs: number
}
export interface LimitsChange extends Partial<Omit<Limits, 'quotas'>> {
  quotas?: Partial<Limits['quotas']>
}

/** Left free where disks are kept, bytes. */
export const diskReserveBytes = 512 * MiB

const defaults: Limits = {
  quotas: {
    instances: 20,
    vcpus: 40,
    ram: 64 * 1024,
    volumes: 100,
    storage: 1 * TiB,
    images: 100,
    image_storage: 512 * GiB,
    // as clouds have them by themselves
    networks: 100,
    subnets: 100,
    ports: 500,
    routers: 10,
    floatingip: 50,
    security_groups: 10,
    security_group_rules: 100,
    loadbalancer: 10,
    ipsec_site_connection: 10,
  },
  imageBytes: 512 * GiB,
  imageVirtualBytes: MAX_VIRTUAL_BYTES,
  hostReserveMiB: 1024,
  vcpusPerCore: 4,
  diskReserveBytes,
  softRebootMs: 60_000,
  pressAgainMs: 10_000,
  guestTakesMs: 30_000,
  imageCheckMs: 8_000,
  copies: 3,
  copiesOfOne: 2,
  figuresMs: 30_000,
}

export const withDefaults = (change: LimitsChange = {}): Limits => ({
  ...defaults,
  ...change,
  quotas: { ...defaults.quotas, ...change.quotas },
})
