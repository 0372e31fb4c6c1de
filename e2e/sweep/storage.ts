import { expect, type APIRequestContext } from '@playwright/test'
import { instances } from '@mainstay/contract/compute/instances'
import { fillPath } from '@mainstay/contract/core/endpoint'
import { GiB } from '@mainstay/contract/core/bytes'
import { volumeBackups } from '@mainstay/contract/storage/volume-backups'
import { volumeSnapshots } from '@mainstay/contract/storage/volume-snapshots'
import { volumes } from '@mainstay/contract/storage/volumes'
import type { SweptPage } from './swept-page'

const volume = '/compute/volumes/:volume'
const recoveryPoint = '/compute/recovery-points/:volume_backup'
/** A recovery point of a volume that is attached to a virtual machine. */
const ofMachine = '/compute/recovery-points/:machine_backup'
const protection = '/compute/instances/:server/protection'
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
  'compute/recovery-points/$id': { action: 'Restore' },
  'compute/recovery-points/$id/files': {
    at: `${recoveryPoint}/files`,
    action: /Search this folder/,
    // a recovery point is opened before its files are listed
    opens: (page) => expect(page.getByRole('searchbox').last()).toBeVisible(),
  },
  'compute/recovery-points/$id/restore/{-$returnRoute}': { at: `${recoveryPoint}/restore`, action: 'Name' },
  'compute/instances/$id/recovery-points': { at: '/compute/instances/:server/recovery-points', action: 'Name' },
  'compute/instances/$id/page/recovery-points': {
    at: '/compute/instances/:server/page/recovery-points',
    action: 'Name',
  },
  'compute/recovery-points/$id/restore-machine/{-$returnRoute}': { at: `${ofMachine}/restore-machine`, action: 'Name' },
  'compute/recovery-points/$id/replace-machine/{-$returnRoute}': {
    at: `${ofMachine}/replace-machine`,
    action: 'Cancel',
  },
  'compute/instances/$id/$tab/recovery-points': { at: `${protection}/recovery-points`, action: 'Name' },
  'compute/instances/$id/$tab/restore/$pointId': { at: `${protection}/restore/:machine_backup`, action: 'Name' },
  'compute/instances/$id/$tab/replace/$pointId': { at: `${protection}/replace/:machine_backup`, action: 'Cancel' },
}

/**
 * Creates a volume with two snapshots and a recovery point, recovery points of a virtual machine, and a deleted volume
 * for the recycle bin. Returns the IDs by kind.
 */
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
  const point = await created(volumeBackups.create.path, { volume_id: id, name: 'nightly', description: 'schema 41' })
  await isThere(volumeBackups.view.path, point)
  await isThere(volumes.view.path, id)
  const running = (await (await tenant.get(`${instances.list.path}?status=ACTIVE`)).json()) as {
    data: { id: string; volumes: unknown[] }[]
  }
  const machine = running.data.find((one) => one.volumes.length > 0)!
  const together = (await (
    await tenant.post(fillPath(volumeBackups.createInstant.path, { id: machine.id }), { data: { name: 'nightly' } })
  ).json()) as { id: string }[]
  for (const one of together) await isThere(volumeBackups.view.path, one.id)
  return { volume: id, volume_snapshot: newest, volume_backup: point, machine_backup: together[0]!.id }
}
