import type { DeletionLock } from '@mainstay/contract/core/deletion-locks'
import type { Endpoint } from '@mainstay/contract/core/endpoint'
import type { Named, Resource, ResourceCalls } from '../../nav/resource'

/** An object that can be locked against deletion. */
export interface Lockable extends Named {
  deletion_lock?: DeletionLock | undefined
}

/** A resource whose objects can be locked. */
export type LockableResource = Resource<ResourceCalls & { lock: Endpoint; unlock: Endpoint }>
