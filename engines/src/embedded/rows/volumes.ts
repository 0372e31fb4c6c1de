import type { Image } from '@mainstay/contract/compute/images'
import type { Instance } from '@mainstay/contract/compute/instances'
import { fieldProblem } from '@mainstay/contract/core/problems'
import type { StoragePolicy } from '@mainstay/contract/storage/storage-policies'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { RecordsTransaction } from '../../ports/records'
import type { ProjectScope } from '../../ports/scope'

/** Volume data that only the engine uses: requirements for a machine that boots from the volume. */
export interface VolumePlan {
  firmware: 'bios' | 'uefi'
  isWindows: boolean
}

const storagePolicy = 'default'

/** Writes this host's only storage policy: a single copy, no limits. */
export const noteStoragePolicy = (tx: RecordsTransaction): Promise<void> =>
  tx.put('storage_policy', {
    ...{ id: storagePolicy, name: storagePolicy, tier: null, redundancy: null, failure_domain: null, qos: {} },
    is_public: true,
  } satisfies StoragePolicy)

/** Throws if a policy other than the default is requested. */
export function refuseOtherPolicy(name: string | undefined, field: string): void {
  if (name !== undefined && name !== storagePolicy) throw fieldProblem(field, 'storage.no_such_policy')
}

export function newVolume(
  scope: ProjectScope,
  given: {
    id: string
    name: string
    description?: string
    size: number
    bootable: boolean
    image: Image | null
    /** The node that stores the volume. */
    host: string
  },
): Volume {
  const created = new Date().toISOString()
  return {
    id: given.id,
    name: given.name,
    description: given.description ?? '',
    status: 'creating',
    progress: given.image ? 0 : null,
    fault: null,
    size: given.size,
    bootable: given.bootable,
    attachments: [],
    storage_policy_name: storagePolicy,
    'os-vol-host-attr:host': given.host,
    image_id: given.image?.id ?? null,
    image_name: given.image?.name ?? null,
    project_id: scope.project_id,
    domain_id: scope.domain_id,
    user_id: scope.user_id,
    created_at: created,
    updated_at: created,
  }
}

export async function changeVolume(tx: RecordsTransaction, row: Volume, change: Partial<Volume>): Promise<Volume> {
  const changed = { ...row, ...change, updated_at: new Date().toISOString() }
  await tx.put('volume', changed)
  return changed
}

/** Returns the fields of a volume attached to an instance. */
export const attachedTo = (volume: Volume, instance: Instance): Partial<Volume> => ({
  status: 'in-use',
  progress: null,
  fault: null,
  attachments: [
    {
      server_id: instance.id,
      server_name: instance.name,
      device: instance.volumes.find(({ id }) => id === volume.id)?.device ?? null,
      attached_at: volume.attachments[0]?.attached_at ?? new Date().toISOString(),
    },
  ],
})

export const detached: Partial<Volume> = { status: 'available', attachments: [] }
