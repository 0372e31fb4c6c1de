import { problem } from '@mainstay/contract/core/problems'
import type { ObjectStoragePort, S3OwnedAccount, S3Owner } from '@mainstay/engines/ports/object-storage'
import type { SignedIn } from '../../session/signed-in'
import type { Tools } from '../../tools'

type Needs = Pick<Tools, 'areas' | 'ports'>

/** Returns the object storage port, or null if object storage is not available. */
const storageOf = ({ areas, ports }: Needs): ObjectStoragePort | null => {
  const storage = ports['object-storage']
  return areas['object-storage'].engine !== null && storage.upstream() !== null ? storage : null
}

/** Returns the object storage port. Throws `s3_not_found` if object storage is not available. */
export function objectStorage(tools: Needs): ObjectStoragePort {
  const storage = storageOf(tools)
  if (!storage) throw problem('objectStorage.unavailable')
  return storage
}

/** Deletes all S3 keys of a user. */
export async function removeS3Keys(needs: Needs, { id, domain_id }: { id: string; domain_id: string }): Promise<void> {
  const storage = storageOf(needs)
  const account = await storage?.account({ user_id: id, domain_id }, false)
  for (const { acc_key } of account?.keys ?? []) await storage!.deleteKey(id, acc_key)
}

export const s3OwnerOf = ({ user }: Pick<SignedIn, 'user'>): S3Owner => ({
  user_id: user.id,
  domain_id: user.domain_id,
})

/**
 * Returns the object storage port for the caller. Throws `s3_not_found` if object storage is not available,
 * `s3_disabled` if it is disabled in the caller's domain, or `s3_user_disabled`, in this order.
 */
export async function ownStorage(tools: Needs, caller: Pick<SignedIn, 'user'>): Promise<ObjectStoragePort> {
  const storage = objectStorage(tools)
  const barrier = await storage.barrierOf(s3OwnerOf(caller))
  if (barrier === 'domain') throw problem('objectStorage.disabled_in_domain')
  if (barrier === 'account') throw problem('objectStorage.user_disabled')
  return storage
}

/** Returns the caller's S3 account, creating it if necessary. Throws the same errors as `ownStorage`. */
export async function ownAccount(
  tools: Needs,
  caller: Pick<SignedIn, 'user'>,
): Promise<{ storage: ObjectStoragePort; account: S3OwnedAccount }> {
  const storage = await ownStorage(tools, caller)
  return { storage, account: (await storage.account(s3OwnerOf(caller), true))! }
}

/** Whether the caller can use object storage: it must be available, and enabled for the domain and the S3 user. */
export async function hasObjectStorage(tools: Needs, caller: Pick<SignedIn, 'user'>): Promise<boolean> {
  const storage = storageOf(tools)
  return storage !== null && (await storage.barrierOf(s3OwnerOf(caller))) === null
}
