import { fieldProblem } from '@mainstay/contract/core/problems'
import { shownName } from '@mainstay/contract/storage/backup-file-paths'
import {
  backupFiles,
  MOST_ARCHIVED_BYTES,
  MOST_ARCHIVED_FILES,
  type FileArchiveDraft,
} from '@mainstay/contract/storage/backup-files'
import { volumeBackupKind, type VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { FilePlace } from '@mainstay/engines/ports/storage'
import { cleanPath, uniquePaths } from '../../archives/names'
import { preparedArchives } from '../../archives/prepared'
import type { Opened, ZipEntry } from '../../archives/zip'
import { serve } from '../../http/serve'
import type { Tools } from '../../tools'

interface ArchivedFile extends ZipEntry {
  place: FilePlace
}

// kept in memory, because only one process has the sessions
const archives = preparedArchives<ArchivedFile>()

/** The port, for a recovery point that the caller can see. */
async function filesOf(tools: Tools, scope: Scope, id: string) {
  await tools.inventory.view<VolumeBackup>(volumeBackupKind, scope, id)
  return tools.ports.storage.backupFiles
}

export const backupFileRoutes = serve(
  backupFiles,
  {
    openFiles: async ({ scope, params }, tools) => (await filesOf(tools, scope, params.id)).open(scope, params.id),
    view: async ({ scope, params }, tools) => (await filesOf(tools, scope, params.id)).view(scope, params.id),
    close: async ({ scope, params }, tools) => (await filesOf(tools, scope, params.id)).close(scope, params.id),
    fileSystems: async ({ scope, params }, tools) =>
      (await filesOf(tools, scope, params.id)).fileSystems(scope, params.id),
    entries: async ({ scope, params, query }, tools) =>
      (await filesOf(tools, scope, params.id)).entries(scope, params.id, query),
    async download({ scope, params, query, request }, tools) {
      const { name, sizeBytes, bytes } = await (await filesOf(tools, scope, params.id)).read(scope, params.id, query)
      request.signal.addEventListener('abort', () => bytes.destroy(), { once: true })
      return { bytes, sizeBytes, fileName: name, contentType: 'application/octet-stream' }
    },
    async prepareArchive({ scope, caller, params, body }, tools) {
      archives.refuseSecond(caller.user.id)
      const entries = await entriesOf(await filesOf(tools, scope, params.id), scope, params.id, body)
      const { name } = await tools.inventory.view<VolumeBackup>(volumeBackupKind, scope, params.id)
      const only = body.paths.length === 1 ? body.paths[0]! : body.folder
      const called = cleanPath(shownName(only.slice(only.lastIndexOf('/') + 1))) || cleanPath(name)
      return archives.keep(caller.user.id, { from: params.id, name: `${called}.zip`, entries })
    },
    async archive({ scope, caller, params, query, request }, tools) {
      const files = await filesOf(tools, scope, params.id)
      const { bytes, size, name } = archives.fetch(
        caller.user.id,
        query.archive,
        ({ place }) => openEntry(files, scope, params.id, place),
        (from) => from === params.id,
      )
      request.signal.addEventListener('abort', () => bytes.destroy(), { once: true })
      return { bytes, sizeBytes: size, fileName: name, contentType: 'application/zip' }
    },
  },
  { about: 'volume_backup_files', nameOf: (_, reply) => nameIn(reply) },
)

/** The name of a downloaded file, for the audit log. */
function nameIn(reply: unknown): string | null {
  const { fileName } = (reply ?? {}) as { fileName?: unknown }
  return typeof fileName === 'string' ? fileName : null
}

type Files = Tools['ports']['storage']['backupFiles']

async function entriesOf(
  files: Files,
  scope: Scope,
  id: string,
  { file_system, folder, paths }: FileArchiveDraft,
): Promise<ArchivedFile[]> {
  const found = new Map<string, { isFolder: boolean; size: number; modified: Date }>()
  let bytes = 0
  for (const path of new Set(paths)) {
    const { files: some, isCut } = await files.tree(scope, id, { file_system, path })
    for (const { path: place, kind, sizeBytes, modified } of some) {
      if (found.has(place)) continue
      const isFolder = kind === 'folder'
      bytes += isFolder ? 0 : sizeBytes
      found.set(place, { isFolder, size: isFolder ? 0 : sizeBytes, modified: modified ?? new Date(0) })
    }
    if (isCut || found.size > MOST_ARCHIVED_FILES || bytes > MOST_ARCHIVED_BYTES) throw tooLarge()
  }
  const base = folder === '/' ? '/' : `${folder}/`
  const relative = (path: string, isFolder: boolean) => {
    const names = (path.startsWith(base) ? path.slice(base.length) : path.slice(1)).split('/')
    // an escaped slash is not possible, so a name stays one part of the path
    return cleanPath(`${names.map(shownName).join('/')}${isFolder ? '/' : ''}`)
  }
  const kept = [...found].filter(([path]) => path !== folder)
  const unique = uniquePaths(kept.map(([path, { isFolder }]) => relative(path, isFolder)))
  return kept.map(([path, { size, modified }], at) => ({
    ...{ path: unique[at]!, size, modified, place: { file_system, path } },
  }))
}

const tooLarge = () =>
  fieldProblem('paths', 'storage.files_archive_large', {
    ...{ most: MOST_ARCHIVED_FILES, gib: MOST_ARCHIVED_BYTES / 1024 ** 3 },
  })

/** Opens a file for an archive, with its first bytes. Returns the reason if it cannot be read. */
async function openEntry(files: Files, scope: Scope, id: string, place: FilePlace): Promise<Opened> {
  try {
    const content = (await files.read(scope, id, place)).bytes.iterator() as AsyncIterator<Buffer>
    const first = await content.next()
    return (async function* () {
      for (let next = first; !next.done; next = await content.next()) yield next.value
    })()
  } catch (error) {
    const { status } = await files.view(scope, id)
    if (status !== 'ready') throw error
    return { missing: 'could not be read' }
  }
}
