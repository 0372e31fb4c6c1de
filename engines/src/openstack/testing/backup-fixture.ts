import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { VolumeBackupsPort } from '../../ports/storage'
import { backupCommands } from '../storage/backups/commands'
import { backupReader } from '../storage/backups/shape'
import { volumeCommands } from '../storage/volumes/commands'
import { volumeReader } from '../storage/volumes/shape'
import { startEngineFixture, type EngineFixture } from './engine-fixture'
import type { FakeBackup } from './fake-cloud/backups'
import { fakeVolumes, type FakeVolume, type FakeVolumes } from './fake-cloud/volumes'

/** The engine's commands for recovery points, running against a fake cloud with volumes. */
export interface BackupFixture extends EngineFixture {
  cinder: FakeVolumes
  backups: VolumeBackupsPort
  /** Adds a volume, as if another client had created it, and reads it into the index. */
  addVolume(volume?: Partial<FakeVolume>): Promise<Volume>
  /** Adds a backup in the same way. */
  addBackup(backup: Partial<FakeBackup> & { volume_id: string }): Promise<VolumeBackup>
  /** Reads a recovery point into the index. */
  refresh(id: string): Promise<VolumeBackup>
  /** Completes the operations of the cloud every few milliseconds from now on. */
  keepSettling(): void
}

const TICK_MS = 3

export async function startBackupFixture(): Promise<BackupFixture> {
  const fixture = await startEngineFixture([volumeReader, backupReader])
  const { cloud, engine, assignments, index } = fixture
  const cinder = fakeVolumes(cloud)
  cloud.on('compute', 'GET', '/servers/:id', ({ params }) => ({
    body: { server: { id: params['id'], name: `name of ${params['id']}` } },
  }))
  const roles = [{ id: 'r-member', name: 'member' }]
  cloud.list('identity', '/roles', 'roles', roles)
  cloud.on('identity', 'PUT', '/projects/:project/users/:user/roles/r-member', ({ params }) => {
    assignments.push({ user: params['user']!, project: params['project']!, role: 'member' })
    return { status: 204 }
  })
  for (const { id, name } of cinder.types) index.set(`storage_policy/${id}`, { id, name })
  // deletes volumes of restores that the cloud refused
  volumeCommands(engine)
  let timer: NodeJS.Timeout | undefined
  return {
    ...fixture,
    cinder,
    backups: backupCommands(engine, { look: 2, atMost: 5_000 }),
    addVolume: (volume = {}) => engine.refresh(volumeReader, cinder.add(volume).id),
    addBackup: (backup) => engine.refresh(backupReader, cinder.addBackup(backup).id),
    refresh: (id) => engine.refresh(backupReader, id),
    keepSettling() {
      clearInterval(timer)
      timer = setInterval(() => cinder.settle(), TICK_MS)
    },
    async close() {
      clearInterval(timer)
      await fixture.close()
    },
  }
}
