import type { Image } from '@mainstay/contract/compute/images'
import { fieldProblem } from '@mainstay/contract/core/problems'
import type { RecordsTransaction } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import { actsOn } from '../../access'

/** Image data that only the engine uses. */
export interface ImagePlan {
  /** Format of the stored file. */
  stored: 'raw' | 'qcow2'
}

/**
 * Returns an image that can be booted or copied in this scope. It must be active, and either public or owned by the
 * project.
 */
export async function usableImage(tx: RecordsTransaction, scope: Scope, id: string, field: string): Promise<Image> {
  // prevents the image from being deleted until this transaction ends
  await tx.exclusive(`image:${id}`)
  const image = await tx.get<Image>('image', id)
  if (!image || !(image.visibility === 'public' || actsOn(scope, image.project_id))) {
    throw fieldProblem(field, 'compute.no_such_image')
  }
  if (image.status !== 'active') throw fieldProblem(field, 'compute.image_not_active', { status: image.status })
  return image
}

/** Returns the image fields that hold the digests of the file, in hex. */
export const digestFields = (md5: string, sha256: string) =>
  ({ checksum: md5, os_hash_algo: 'sha256', os_hash_value: sha256 }) satisfies Partial<Image>
