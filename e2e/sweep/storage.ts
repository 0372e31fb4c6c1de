import { expect, type APIRequestContext } from '@playwright/test'
import { fillPath } from '@mainstay/contract/core/endpoint'
import { GiB } from '@mainstay/contract/core/bytes'
import { volumeSnapshots } from '@mainstay/contract/storage/volume-snapshots'
import { volumes } from '@mainstay/contract/storage/volumes'
import type { SweptPage } from './swept-page'

const volume = '/compute/volumes/:volume'
const snapshot = `${volume}/snapshots/:volume_snapshot`

export const storagePages: Readonly<Record<string, Partial<SweptPage>>> = {
  'compute/volumes/$id/clone/{-$returnRoute}': { at: `${volume}/clone`, action: 'Name' },
  'compute/volumes/$id/image-add/{-$returnRoute}': { at: `${volume}/image-add`, action: 'Image name' },
  'compute/volumes/$id': { at: volume, action: 'Close' },
  'compute/volumes/$id/$tab': { at: `${volume}/snapshots`, action: 'Create snapshot' },
  'compute/volumes/$id/snapshots/$snapshotId/edit': { at: `${snapshot}/edit`, action: 'Name' },
  'compute/volumes/$id/snapshots/$snapshotId/createImage': { at: `${snapshot}/createImage`, action: 'Image name' },
  'compute/volumes/$id/snapshots/$snapshotId/createVolume': { at: `${snapshot}/createVolume`, action: 'Name' },
  'compute/volume-snapshots': { action: /Search|Filter/ },
  // redirects to the snapshots of the volume
  'compute/volume-snapshots/$id': { at: '/compute/volume-snapshots/:volume_snapshot', action: 'Create snapshot' },
}

/** Creates a volume with two snapshots, and a deleted volume for the recycle bin. Returns the IDs by kind. */
export async function prepareStorage(tenant: APIRequestContext): Promise<Record<string, string>> {
  const created = async (path: string, data: object) =>
    ((await (await tenant.post(path, { data })).json()) as { id: string }).id
  const isThere = (path: string, id: string) =>
    expect
      .poll(async () => ((await (await tenant.get(fillPath(path, { id }))).json()) as { status: string }).status)
      .toBe('available')
  const deleted = await created(volumes.create.path, { name: 'swept-away', size: GiB })
  const bin = fillPath(volumes.delete.path, { id: deleted })
  await expect.poll(async () => (await tenant.delete(bin)).status()).toBe(202)
  const id = await created(volumes.create.path, { name: 'swept-with-snapshots', size: GiB })
  await isThere(volumes.view.path, id)
  let newest = ''
  for (const name of ['before-update', 'after-update']) {
    newest = await created(volumeSnapshots.create.path, { volume_id: id, name, description: 'schema 41' })
    await isThere(volumeSnapshots.view.path, newest)
    await isThere(volumes.view.path, id)
  }
  return { volume: id, volume_snapshot: newest }
}
