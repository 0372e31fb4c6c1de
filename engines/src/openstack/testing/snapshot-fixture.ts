import type { VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { VolumeSnapshotsPort, VolumesPort } from '../../ports/storage'
import { snapshotCommands } from '../storage/snapshots/commands'
import { snapshotReader } from '../storage/snapshots/shape'
import { volumeCommands } from '../storage/volumes/commands'
import { volumeReader } from '../storage/volumes/shape'
import { startEngineFixture, type EngineFixture } from './engine-fixture'
import { fakeImages, type FakeImages } from './fake-cloud/images'
import type { FakeSnapshot } from './fake-cloud/snapshots'
import { fakeVolumes, type FakeVolume, type FakeVolumes } from './fake-cloud/volumes'

/** The engine's volume and snapshot commands, running against a fake cloud with volumes and images. */
export interface SnapshotFixture extends EngineFixture {
  cinder: FakeVolumes
  glance: FakeImages
  volumes: VolumesPort
  snapshots: VolumeSnapshotsPort
  /** Adds a volume, as if another client had created it, and reads it into the index. */
  addVolume(volume?: Partial<FakeVolume>): Promise<Volume>
  /** Adds a snapshot in the same way. */
  addSnapshot(snapshot: Partial<FakeSnapshot> & { volume_id: string }): Promise<VolumeSnapshot>
  /** Completes the operations of the cloud every few milliseconds from now on. */
  keepSettling(which?: { images: boolean }): void
}

const TICK_MS = 3

export async function startSnapshotFixture(): Promise<SnapshotFixture> {
  const fixture = await startEngineFixture([volumeReader, snapshotReader])
  const { cloud, engine } = fixture
  const cinder = fakeVolumes(cloud)
  const glance = fakeImages(cloud)
  cinder.addImage = (image) => glance.add(image).id
  cloud.on('compute', 'GET', '/servers/:id', ({ params }) => ({
    body: { server: { id: params['id'], name: `name of ${params['id']}` } },
  }))
  let timer: NodeJS.Timeout | undefined
  return {
    ...fixture,
    ...{ cinder, glance },
    volumes: volumeCommands(engine),
    snapshots: snapshotCommands(engine, { look: 2, atMost: 5_000 }),
    addVolume: (volume = {}) => engine.refresh(volumeReader, cinder.add(volume).id),
    addSnapshot: (snapshot) => engine.refresh(snapshotReader, cinder.addSnapshot(snapshot).id),
    keepSettling({ images } = { images: true }) {
      clearInterval(timer)
      timer = setInterval(() => {
        cinder.settle()
        for (const image of glance.images.values()) if (images && image.status === 'queued') image.status = 'active'
      }, TICK_MS)
    },
    async close() {
      clearInterval(timer)
      await fixture.close()
    },
  }
}
