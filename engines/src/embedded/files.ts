import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** Paths of files that are too large for the engine's records. Each file is named after the ID of its row. */
export interface Files {
  /** The folder that contains all of them. */
  folder: string
  volume(id: string): string
  image(id: string): string
  upload(id: string): string
  seed(id: string): string
  /** Path of the disk that an instance boots from during a rescue. */
  rescue(id: string): string
  /** Path of a captured file that is on its way to the backup target, or was fetched from there. */
  point(id: string): string
  /** The folder of an open recovery point whose files are read. None is left when the server stops. */
  reader(id: string): string
  /** The folder of all of them. */
  readers: string
  /** The folder where recovery points are stored until another backup target is chosen. */
  backups: string
  /** The folders, each with the kind of row that its files belong to. */
  folders: { folder: string; kind: 'volume' | 'image' | 'server' | 'volume_backup' }[]
}

export function openFiles(folder: string): Files {
  const inside = (name: string) => {
    const path = join(folder, name)
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return path
  }
  const volumes = inside('volumes')
  const images = inside('images')
  const uploads = inside('uploads')
  const seeds = inside('seeds')
  const rescues = inside('rescues')
  const points = inside('points')
  const readers = inside('readers')
  return {
    folder,
    volume: (id) => join(volumes, `${id}.qcow2`),
    image: (id) => join(images, id),
    upload: (id) => join(uploads, `${id}.part`),
    seed: (id) => join(seeds, `${id}.iso`),
    point: (id) => join(points, `${id}.qcow2`),
    reader: (id) => join(readers, id),
    readers,
    backups: inside('backups'),
    rescue: (id) => join(rescues, `${id}.qcow2`),
    folders: [
      { folder: volumes, kind: 'volume' },
      { folder: images, kind: 'image' },
      { folder: uploads, kind: 'image' },
      { folder: seeds, kind: 'server' },
      { folder: rescues, kind: 'server' },
      { folder: points, kind: 'volume_backup' },
    ],
  }
}
