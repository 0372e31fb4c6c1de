import type { Image } from '@mainstay/contract/compute/images'
import type { Engine } from '../../engine'
import { digestFields } from './rows'

/** Computes the digests of images stored by versions that did not record them, one image at a time. */
export async function findDigests(engine: Engine, signal: AbortSignal): Promise<void> {
  const { records, hypervisor, files, log } = engine
  // simulated disks have no digests
  if (hypervisor.kind === 'simulated') return
  const images = await records.transaction((tx) => tx.find<Image>('image', { status: 'active' }))
  for (const { id, checksum, project_id } of images) {
    if (checksum !== null) continue
    if (signal.aborted) return
    try {
      const { converted } = await engine.withPermit(project_id, () =>
        hypervisor.disks.keptImage(files.image(id), signal),
      )
      if (converted === null) continue
      await records.transaction(async (tx) => {
        const row = await tx.lock<Image>('image', id)
        if (row?.status !== 'active') return
        const digests = digestFields(converted.md5, converted.sha256)
        await tx.put('image', { ...row, ...digests, size: converted.sizeBytes })
      })
    } catch (error) {
      if (!signal.aborted) log.warn({ error, image: id }, 'failed to compute the digests of an image')
    }
  }
}
