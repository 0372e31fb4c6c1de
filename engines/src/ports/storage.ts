import type { ComputeStat } from '@mainstay/contract/compute/compute-cluster'
import type { Volume, VolumeChange, VolumeDraft } from '@mainstay/contract/storage/volumes'
import type { PlainPorts } from './plain'
import type { AreaQuotas, QuotaLimitsPort } from './quotas'
import type { ProjectScope, Scope } from './scope'

/* What an engine of storage does. Commands answer and refuse as those of compute do (see `compute.ts`). */

export interface VolumesPort {
  create(scope: ProjectScope, draft: VolumeDraft): Promise<Volume>
  update(scope: Scope, id: string, change: VolumeChange): Promise<Volume>
  delete(scope: Scope, id: string): Promise<Volume>
  extend(scope: Scope, id: string, sizeBytes: number): Promise<Volume>
  resetState(scope: Scope, id: string): Promise<Volume>
}

export interface StoragePort extends PlainPorts<'storage'> {
  volumes: VolumesPort
  quotas(scope: Scope, projectId: string): Promise<AreaQuotas<'storage'>>
  /** The same one in each area that an engine serves. */
  quotaLimits: QuotaLimitsPort
  /** Bytes of volumes: of everything for an operator, of the project for others. A total of -1 is one without an end. */
  stat(scope: Scope): Promise<ComputeStat['storage']>
}
