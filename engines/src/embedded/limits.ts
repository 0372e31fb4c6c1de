import { MAX_VIRTUAL_BYTES } from '@mainstay/contract/compute/image-rules'
import type { QuotaName } from '@mainstay/contract/all-quotas'
import { FILES_SESSION_MINUTES } from '@mainstay/contract/storage/backup-files'
import { GiB, MiB, TiB } from '@mainstay/contract/core/bytes'

/** This engine's limits. Each one is configurable. */
export interface Limits {
  /** Default quotas for each project, in the units in which the quotas are declared; -1: unlimited. */
  quotas: Record<QuotaName, number>
  /** Maximum size of an image file, in bytes. */
  imageBytes: number
  /** Maximum virtual disk size of an image, in bytes. */
  imageVirtualBytes: number
  /** Memory reserved for the host itself, in MiB. */
  hostReserveMiB: number
  /** Total vCPUs of all instances per processor of the host. */
  vcpusPerCore: number
  /** Disk space kept free for running instances, in bytes. */
  diskReserveBytes: number
  /** Time that a guest has to shut down during a soft reboot before it is reset, in ms. */
  softRebootMs: number
  /** Interval for pressing the power button again, in ms. A guest that is still booting does not react to it. */
  pressAgainMs: number
  /** Time that a guest has to use its new size after a live resize, in ms. */
  guestTakesMs: number
  /**
   * Time that an upload request waits for the check of its image, in ms. A longer check or conversion continues after
   * the response.
   */
  imageCheckMs: number
  /** Maximum number of disks and images that are copied, checked or converted concurrently. */
  copies: number
  /** Maximum number of these operations for a single project, so that other projects get their turn. */
  copiesOfOne: number
  /** Maximum number of snapshots of a volume. */
  snapshotsOfVolume: number
  /** How long a recovery point waits for a backup target that cannot be used, ms. */
  backupPatienceMs: number
  /** Interval between attempts to use such a target, ms. */
  backupRetryMs: number
  /** How long the files of a recovery point stay open without being used, ms. */
  filesSessionMs: number
  /** How long the reader of files may take to start and to find the file systems, and for each request after that, ms. */
  readerStartMs: number
  readerRequestMs: number
  /** Interval between metrics updates of running instances, ms. */
  figuresMs: number
}
export interface LimitsChange extends Partial<Omit<Limits, 'quotas'>> {
  quotas?: Partial<Limits['quotas']>
}

/** Disk space to keep free on the disk storage, in bytes. */
export const diskReserveBytes = 512 * MiB

const defaults: Limits = {
  quotas: {
    instances: 20,
    vcpus: 40,
    ram: 64 * 1024,
    volumes: 100,
    storage: 1 * TiB,
    volumes_backups: 1 * TiB,
    images: 100,
    image_storage: 512 * GiB,
    // common defaults in other clouds
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
  snapshotsOfVolume: 100,
  backupPatienceMs: 6 * 3600_000,
  backupRetryMs: 60_000,
  filesSessionMs: FILES_SESSION_MINUTES * 60_000,
  readerStartMs: 120_000,
  readerRequestMs: 30_000,
  figuresMs: 30_000,
}

export const withDefaults = (change: LimitsChange = {}): Limits => ({
  ...defaults,
  ...change,
  quotas: { ...defaults.quotas, ...change.quotas },
})
