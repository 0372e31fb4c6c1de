/*
 * Uploads that are under way, so that they can be gone on with after a reload or in another window. A browser lets no
 * page have the file again by itself: the person chooses it once more.
 */

export interface KeptUpload {
  /** By which the server knows it. */
  id: string
  name: string
  file: { name: string; size: number; lastModified: number }
  headers: Record<string, string>
  projectId: string | null
  /** When the page that sends it last said so, milliseconds since 1970. */
  aliveAt: number
}

const key = 'uploads'
export const aliveEveryMs = 2000
/** A page that said nothing for so long is gone. */
export const silentMs = 6000

function read(): KeptUpload[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(kept) ? (kept as KeptUpload[]) : []
  } catch {
    return []
  }
}

function write(uploads: KeptUpload[]) {
  try {
    if (uploads.length === 0) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify(uploads))
  } catch {
    // refused by the browser: uploads then last as long as the page
  }
}

export const keepUpload = (upload: KeptUpload) => write([...read().filter(({ id }) => id !== upload.id), upload])
export const dropUpload = (uploadId: string) => write(read().filter(({ id }) => id !== uploadId))
export const stayAlive = (ids: ReadonlySet<string>) =>
  write(read().map((it) => (ids.has(it.id) ? { ...it, aliveAt: Date.now() } : it)))

/** Uploads into a project whose pages are gone. */
export const orphanedUploads = (projectId: string | null): KeptUpload[] =>
  read().filter((it) => it.projectId === projectId && it.aliveAt < Date.now() - silentMs)

/** Whether a file that was chosen again is the one that was being sent. */
export const isSameFile = ({ file }: Pick<KeptUpload, 'file'>, chosen: File): boolean =>
  chosen.name === file.name && chosen.size === file.size && chosen.lastModified === file.lastModified
