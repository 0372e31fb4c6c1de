import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Image } from '@mainstay/contract/compute/images'
import { GiB } from '@mainstay/contract/core/bytes'
import type { JobHandler } from '../../ports/records'
import type { Engine } from '../engine'
import { faultText } from '../faults'
import type { DiskFacts } from '../hypervisor'
import type { ImagePlan } from './image-rows'

/** Uploads that still wait for their check to end, so that a refusal is their answer. */
export interface Imports {
  expect(id: string): Promise<void>
  forget(id: string): void
  end(id: string, error: unknown): void
}

export function openImports(): Imports {
  const waiting = new Map<string, { resolve(): void; reject(error: unknown): void }>()
  return {
    expect: (id) => new Promise((resolve, reject) => waiting.set(id, { resolve, reject })),
    forget: (id) => void waiting.delete(id),
    end(id, error) {
      const one = waiting.get(id)
      waiting.delete(id)
      if (error === null) one?.resolve()
      else one?.reject(error)
    },
  }
}

/** Checks an upload, converts it where it must be, and makes it an image. */
export const importJob = (engine: Engine, imports: Imports): JobHandler => ({
  async run(job) {
    const { id } = job.subject
    const image = await engine.records.transaction((tx) => tx.get<Image>('image', id))
    if (image?.status !== 'importing') return null
    const facts = await accept(engine, image, (percent) => job.progress(percent))
    await engine.records.transaction(async (tx) => {
      const row = await tx.lock<Image>('image', id)
      if (row?.status !== 'importing') return
      await tx.put('image', acceptedRow(row, facts))
      const plan: ImagePlan = {
        stored: facts.format === 'qcow2' ? 'qcow2' : 'raw',
        isConverted: facts.isConverted,
      }
      await tx.putPrivate('image', id, plan)
    })
    imports.end(id, null)
    return { id }
  },
  async onFailure(job, error) {
    const { id } = job.subject
    await removeImageFiles(engine, id)
    await engine.records.transaction(async (tx) => {
      const row = await tx.lock<Image>('image', id)
      if (row?.status !== 'importing') return
      const fault = faultText(error)
      await tx.put('image', { ...row, status: 'error', progress: null, fault, updated_at: new Date().toISOString() })
    })
    imports.end(id, error)
  },
})

export async function removeImageFiles({ hypervisor: { disks }, files }: Engine, id: string): Promise<void> {
  await disks.remove(files.upload(id))
  await disks.remove(files.image(id))
}

type Accepted = DiskFacts & { isConverted: boolean }

const kept = ['iso', 'raw', 'qcow2', 'detect', 'ami', 'aki', 'ari']

async function accept(engine: Engine, image: Image, onProgress: (percent: number) => void): Promise<Accepted> {
  const { disks } = engine.hypervisor
  const upload = engine.files.upload(image.id)
  const target = engine.files.image(image.id)
  // The upload is used up by the last step, so a file without one was accepted by an earlier run.
  const isDone = !existsSync(upload) && existsSync(target)
  const before = isDone ? null : await firstBytes(upload)
  const facts = isDone
    ? await disks.facts(target)
    : await disks.acceptImage(upload, target, image.disk_format, engine.limits.imageVirtualBytes, onProgress)
  const format =
    facts.format === 'raw' && (image.disk_format === 'iso' || (await isIso(target))) && image.disk_format !== 'raw'
      ? 'iso'
      : facts.format
  const isConverted = before === null ? !kept.includes(image.disk_format) : !before.equals(await firstBytes(target))
  return { ...facts, format, isConverted }
}

function acceptedRow(row: Image, { format, virtualBytes }: Accepted): Image {
  const isIso = format === 'iso'
  const isDeclared = row.disk_format !== 'detect'
  return {
    ...row,
    status: 'active',
    progress: null,
    fault: null,
    virtual_size: virtualBytes,
    disk_format: isDeclared ? row.disk_format : format,
    type: isIso ? 'iso' : 'template',
    // a volume made from it must hold all of it
    min_disk: isIso ? row.min_disk : Math.max(row.min_disk, Math.ceil(virtualBytes / GiB)),
    updated_at: new Date().toISOString(),
  }
}

async function firstBytes(path: string): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

async function isIso(path: string): Promise<boolean> {
  const file = await open(path, 'r')
  try {
    const { buffer } = await file.read(Buffer.alloc(6), 0, 6, 0x8000)
    return buffer.subarray(1).toString('latin1') === 'CD001'
  } finally {
    await file.close()
  }
}
