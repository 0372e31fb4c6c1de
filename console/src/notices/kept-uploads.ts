/*
 * Uploads in progress, stored so that they can be resumed after a reload or in another window. The browser does not
 * return the file to a new page, so the user has to select it again.
 */

export interface KeptUpload {
  /** ID of the upload on the server. */
  id: string
  name: string
  file: { name: string; size: number; lastModified: number }
  headers: Record<string, string>
  projectId: string | null
  /** Last heartbeat of the page that sends it, in milliseconds since 1970. */
  aliveAt: number
}

const key = 'uploads'
export const aliveEveryMs = 2000
/** A page without a heartbeat for this long (milliseconds) is considered closed. */
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
    // the browser blocks storage: uploads cannot be resumed after the page is closed
  }
}

export const keepUpload = (upload: KeptUpload) => write([...read().filter(({ id }) => id !== upload.id), upload])
export const dropUpload = (uploadId: string) => write(read().filter(({ id }) => id !== uploadId))
export const stayAlive = (ids: ReadonlySet<string>) =>
  write(read().map((it) => (ids.has(it.id) ? { ...it, aliveAt: Date.now() } : it)))

/** Uploads into a project whose pages have been closed. */
export const orphanedUploads = (projectId: string | null): KeptUpload[] =>
  read().filter((it) => it.projectId === projectId && it.aliveAt < Date.now() - silentMs)

/** Whether the selected file is the one that was being uploaded. */
export const isSameFile = ({ file }: Pick<KeptUpload, 'file'>, chosen: File): boolean =>
  chosen.name === file.name && chosen.size === file.size && chosen.lastModified === file.lastModified
