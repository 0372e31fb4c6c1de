import type { Image } from '@mainstay/contract/compute/images'
import { fieldProblem } from '@mainstay/contract/core/problems'
import type { RecordsTransaction } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import { actsOn } from '../../access'

/** What the engine alone knows of an image. */
export interface ImagePlan {
  /** Format of the file as it is kept. */
  stored: 'raw' | 'qcow2'
}

/** An image that may be booted or copied in this scope: active, and its project's or public. */
export async function usableImage(tx: RecordsTransaction, scope: Scope, id: string, field: string): Promise<Image> {
  // against the image's deletion until this transaction ends
  await tx.exclusive(`image:${id}`)
  const image = await tx.get<Image>('image', id)
  if (!image || !(image.visibility === 'public' || actsOn(scope, image.project_id))) {
    throw fieldProblem(field, 'compute.no_such_image')
  }
  if (image.status !== 'active') throw fieldProblem(field, 'compute.image_not_active', { status: image.status })
  return image
}

/** Digests of an image's file, in hex, in the fields that tell them. */
export const digestFields = (md5: string, sha256: string) =>
  ({ checksum: md5, os_hash_algo: 'sha256', os_hash_value: sha256 }) satisfies Partial<Image>
