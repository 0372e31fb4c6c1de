import type { DropZoneProps } from 'react-aria-components/DropZone'
import type { Picked } from './file-upload'

/*
 * Files and folders as browsers provide them. Where the browser supports it (Chromium over TLS), files come with
 * handles, which allow reopening them after a reload. Folder handles silently skip files whose names are invalid on
 * other systems (`a?.txt`), so the file list always comes from the plain APIs and handles are only added to it.
 */

declare global {
  interface Window {
    showOpenFilePicker?: (options?: { multiple?: boolean }) => Promise<FileSystemFileHandle[]>
  }
  interface FileSystemHandle {
    requestPermission(options: { mode: 'read' }): Promise<PermissionState>
  }
  interface DataTransferItem {
    getAsFileSystemHandle?: () => Promise<FileSystemHandle | null>
  }
}

const withFile = async (handle: FileSystemFileHandle): Promise<Picked> => ({
  path: handle.name,
  file: await handle.getFile(),
  handle,
})

/**
 * Opens the file picker; undefined if the browser cannot return handles. Resolves with an empty list if the user
 * cancels.
 */
export const pickFiles: (() => Promise<Picked[]>) | undefined =
  typeof window.showOpenFilePicker === 'function'
    ? async () => {
        try {
          return await Promise.all((await window.showOpenFilePicker!({ multiple: true })).map(withFile))
        } catch (thrown) {
          if (thrown instanceof DOMException && thrown.name === 'AbortError') return []
          throw thrown
        }
      }
    : undefined

/** Files from a plain file input; files from a chosen folder have a relative path. */
export const chosenFiles = (files: readonly File[]): Picked[] =>
  files.map((file) => ({ path: file.webkitRelativePath || file.name, file }))

type DropItem = Parameters<NonNullable<DropZoneProps['onDrop']>>[0]['items'][number]
type Handles = ReadonlyMap<string, FileSystemFileHandle>

/** Collects the files under a handle, keyed by path. */
async function collect(handle: FileSystemHandle, above: string, found: Map<string, FileSystemFileHandle>) {
  const path = above + handle.name
  if (handle.kind === 'file') found.set(path, handle as FileSystemFileHandle)
  else for await (const entry of (handle as FileSystemDirectoryHandle).values()) await collect(entry, `${path}/`, found)
}

/** Handles of dropped files, by path. Call it during the event; the browser does not provide them later. */
export async function droppedHandles({ items }: DataTransfer): Promise<Handles> {
  const found = new Map<string, FileSystemFileHandle>()
  const asked = [...items].filter(({ kind }) => kind === 'file').map(async (item) => item.getAsFileSystemHandle?.())
  for (const handle of await Promise.all(asked)) if (handle) await collect(handle, '', found)
  return found
}

/** Dropped files with their relative paths. An empty folder has no file. */
export async function droppedFiles(items: Iterable<DropItem>, handles?: Promise<Handles>): Promise<Picked[]> {
  const found = await plainFiles(items)
  const known = await handles?.catch(() => undefined)
  return found.map((it) => ({ ...it, handle: known?.get(it.path) }))
}

async function plainFiles(items: Iterable<DropItem>): Promise<Picked[]> {
  const found: Picked[] = []
  for (const item of items) {
    if (item.kind === 'file') found.push({ path: item.name, file: await item.getFile() })
    else if (item.kind === 'directory') {
      const inside: DropItem[] = []
      for await (const entry of item.getEntries()) inside.push(entry)
      if (inside.length === 0) found.push({ path: item.name, file: null })
      for (const { path, file } of await plainFiles(inside)) found.push({ path: `${item.name}/${path}`, file })
    }
  }
  return found
}
