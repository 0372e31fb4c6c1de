import { existsSync } from 'node:fs'
import type { JobRun } from '../../../ports/records'
import type { Engine } from '../../engine'

/** A volume, or a snapshot of it. */
export interface CopySource {
  volume: string
  snapshot?: string
}

interface Copy {
  source: CopySource
  /** Row of the new volume or image, and its size in bytes. */
  target: { id: string; project_id: string; size: number }
  /** Path of the new file; by default that of a volume. */
  file?: string
  progress: (percent: number) => void
}

/**
 * Copies the file of a volume, unless an earlier run has done so. An existing file is complete, because it gets its
 * final name only once it is written.
 */
export async function copyFile(
  { hypervisor, files, withPermit }: Engine,
  { signal }: JobRun,
  { source, target: { id, project_id, size }, file = files.volume(id), progress }: Copy,
): Promise<void> {
  if (existsSync(file)) return
  const path = files.volume(source.volume)
  const from = source.snapshot === undefined ? path : { path, snapshot: source.snapshot }
  await withPermit(project_id, () => hypervisor.disks.createFrom(file, from, size, progress, signal))
}
