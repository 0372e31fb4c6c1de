import { Readable } from 'node:stream'
import { fieldProblem, notFound, problem, problemOf } from '@mainstay/contract/core/problems'
import { pathBytes, pathPart, shownName } from '@mainstay/contract/storage/backup-file-paths'
import { MOST_FILES_LISTED, type FileEntry, type FileSystem } from '@mainstay/contract/storage/backup-files'
import { isRestorable, whyBackupNotNow } from '@mainstay/contract/storage/backup-rules'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import type { Scope } from '../../../../ports/scope'
import type { BackupFilesPort } from '../../../../ports/storage'
import { actsOn, lockOwn } from '../../../access'
import type { Engine } from '../../../engine'
import { READ_BYTES, type FoundFile, type FoundFileSystem } from '../../../file-reader'
import { storedAt } from '../point-files'
import { chainOf, POINT, pointSubject, storedPoint } from '../rows'
import { targetId } from '../target'
import type { FileSessions, Session } from './sessions'

export function fileCommands(engine: Engine, sessions: FileSessions): BackupFilesPort {
  /** The session of the caller. Throws a `not_found` problem for a recovery point that the caller cannot see. */
  async function own(scope: Scope, id: string): Promise<Session> {
    await visiblePoint(engine, scope, id)
    const session = sessions.find(scope.user_id, id)
    if (!session) throw problem('storage.files_not_open')
    return session
  }
  const bytesOf = (path: string) => Buffer.from(pathBytes(path))

  async function list(session: Session, fileSystem: string, path: string) {
    const { files, isCut } = await sessions.ask(session, (reader) => {
      if (!reader.fileSystems.some(({ id }) => id === fileSystem)) throw problem('storage.file_system_missing')
      return reader.list(fileSystem, bytesOf(path))
    })
    return { files, isCut: isCut || files.length > MOST_FILES_LISTED }
  }

  return {
    async open(scope, id) {
      const existing = sessions.find(scope.user_id, id)
      return engine.records.transaction(async (tx) => {
        const point = await lockOwn<VolumeBackup>(tx, POINT, scope, id)
        if (existing && existing.status !== 'failed') {
          sessions.use(existing)
          return shownSession(existing)
        }
        if (!isRestorable(point)) throw problemOf(whyBackupNotNow({ ...point, has_dependents: false }))
        if (point.damaged_by !== null) throw problem('storage.backup_damaged', { name: point.name })
        const target = { id: await targetId(engine, tx) }
        const chain = await chainOf(tx, point)
        for (const one of chain) storedAt(target, await storedPoint(tx, one.id))
        const session = sessions.begin({ userId: scope.user_id, pointId: id, projectId: point.project_id })
        try {
          await tx.startJob({
            ...{ name: 'compute.volume_backup.open_files', subject: pointSubject(point), scope, hidden: true },
            // their files must not be merged meanwhile
            holds: chain.map(pointSubject),
            args: { session: session.id },
          })
        } catch (error) {
          sessions.end(session)
          throw error
        }
        return shownSession(session)
      })
    },
    view: async (scope, id) => shownSession(await own(scope, id)),
    async close(scope, id) {
      sessions.end(await own(scope, id))
    },
    async fileSystems(scope, id) {
      return sessions.ask(await own(scope, id), async (reader) => reader.fileSystems.map(shownFileSystem))
    },
    async entries(scope, id, { file_system, path, compare_with }) {
      const session = await own(scope, id)
      const other = compare_with === undefined ? null : await comparedSession(scope, id, compare_with)
      const { files, isCut } = await list(session, file_system, path)
      const there = other && (await list(other, file_system, path).catch(unlessMissing))
      const known = there && new Map(there.files.map((file) => [file.name.toString('latin1'), file]))
      const entries = files
        .slice(0, MOST_FILES_LISTED)
        .map((file) =>
          shownEntry(path, file, known && { other: known.get(file.name.toString('latin1')), isCut: there.isCut }),
        )
        .toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
      return { entries, truncated: isCut }
    },
    async tree(scope, id, { file_system, path }) {
      const { files, isCut } = await sessions.ask(await own(scope, id), (reader) =>
        reader.tree(file_system, bytesOf(path)),
      )
      const found = files.flatMap(({ name, kind, sizeBytes, modified }) => {
        if (kind !== 'file' && kind !== 'folder') return []
        const relative = name.length === 0 ? '' : `/${pathOf(name)}`
        return [{ path: `${path === '/' ? '' : path}${relative}`, kind, sizeBytes, modified: dateOf(modified) }]
      })
      return { files: found, isCut }
    },
    async read(scope, id, { file_system, path }) {
      const session = await own(scope, id)
      const bytes = bytesOf(path)
      const { files } = await sessions.ask(session, (reader) => reader.stat(file_system, bytes))
      const [file] = files
      if (file?.kind !== 'file') throw problem('storage.file_not_found')
      async function* content(): AsyncGenerator<Buffer> {
        for (let offset = 0; offset < file!.sizeBytes; offset += READ_BYTES) {
          const at = offset
          const part = await sessions.ask(session, (reader) => reader.read(file_system, bytes, at))
          const expected = Math.min(READ_BYTES, file!.sizeBytes - at)
          if (part.length !== expected) throw problem('storage.file_system_unreadable')
          yield part
        }
      }
      return {
        name: shownName(path.slice(path.lastIndexOf('/') + 1)),
        sizeBytes: file.sizeBytes,
        bytes: Readable.from(content(), { objectMode: false, highWaterMark: READ_BYTES }),
      }
    },
  }

  async function comparedSession(scope: Scope, id: string, otherId: string): Promise<Session> {
    const [point, other] = [
      await visiblePoint(engine, scope, id),
      await visiblePoint(engine, scope, otherId).catch(() => null),
    ]
    if (other?.volume_id !== point.volume_id) throw fieldProblem('compare_with', 'storage.files_of_another_volume')
    return own(scope, otherId)
  }
}

async function visiblePoint(engine: Engine, scope: Scope, id: string): Promise<VolumeBackup> {
  const point = await engine.records.transaction((tx) => tx.get<VolumeBackup>(POINT, id))
  if (!point || !actsOn(scope, point.project_id)) throw notFound()
  return point
}

/** A folder that the compared recovery point does not have. */
function unlessMissing(error: unknown): { files: FoundFile[]; isCut: boolean } {
  const { code } = error as { code?: string }
  if (code === 'not_found') return { files: [], isCut: false }
  throw error
}

const shownSession = ({ id, status, progress, fault, expiresAt }: Session) => ({
  ...{ id, status, progress, fault, expires_at: new Date(expiresAt).toISOString() },
})

const textOf = (bytes: Buffer): string => bytes.toString('utf8')

const shownFileSystem = ({ id, label, type, sizeBytes, usedBytes, state }: FoundFileSystem): FileSystem => ({
  ...{ id, label: textOf(label) || null, type, size: sizeBytes, used: usedBytes },
  ...{ readable: state === 'readable', reason: state === 'readable' ? null : state },
})

/** Parts of a path below a folder. */
const pathOf = (name: Buffer): string =>
  name
    .toString('latin1')
    .split('/')
    .map((part) => pathPart(Buffer.from(part, 'latin1')))
    .join('/')

/** Null for times that cannot be shown, which a damaged file system may have. */
function dateOf(seconds: number): Date | null {
  const date = new Date(seconds * 1000)
  const year = date.getUTCFullYear()
  return year >= 0 && year <= 9999 ? date : null
}

function shownEntry(
  folder: string,
  file: FoundFile,
  compared: { other: FoundFile | undefined; isCut: boolean } | null,
): FileEntry {
  const { name, kind, sizeBytes, modified, owner, linkTarget } = file
  return {
    ...{ name: textOf(name), path: `${folder === '/' ? '' : folder}/${pathOf(name)}`, kind, owner },
    size: kind === 'file' ? sizeBytes : null,
    modified_at: dateOf(modified)?.toISOString() ?? null,
    link_target: kind === 'link' ? textOf(linkTarget) : null,
    compared: compared && comparison(file, compared),
  }
}

function comparison(
  { kind, sizeBytes, modified, linkTarget }: FoundFile,
  { other, isCut }: { other: FoundFile | undefined; isCut: boolean },
): FileEntry['compared'] {
  if (!other) return isCut ? null : 'gone'
  if (kind === 'folder' && other.kind === 'folder') return null
  const isSame =
    other.kind === kind &&
    other.sizeBytes === sizeBytes &&
    other.modified === modified &&
    other.linkTarget.equals(linkTarget)
  return isSame ? 'same' : 'changed'
}
