import * as z from 'zod'
import { endpoints, update } from '../core/endpoint'
import { Time } from '../core/names'
import { FilePath } from './backup-file-paths'

/* The files of a recovery point, which a small virtual machine without a network reads. */

/** Maximum number of entries in a list. */
export const MOST_FILES_LISTED = 10_000
/** Maximum number of paths that an archive is requested with. */
export const MOST_ARCHIVE_PATHS = 1000
/** Maximum number of files and folders in an archive, and of their bytes. */
export const MOST_ARCHIVED_FILES = 10_000
export const MOST_ARCHIVED_BYTES = 100 * 1024 ** 3
/** Sessions end when they have not been used for this time. */
export const FILES_SESSION_MINUTES = 15
/** Maximum number of sessions that are open at the same time. */
export const MOST_FILES_SESSIONS = { project: 2, all: 4 }

/**
 * The files of a recovery point while they are open to a user. `opening`: the recovery point is fetched and its file
 * systems are searched.
 */
export const FilesSession = z.object({
  id: z.string(),
  status: z.enum(['opening', 'ready', 'failed']),
  progress: z.number().nullable().describe('In percent, while the recovery point is fetched. Null: not known.'),
  fault: z.string().nullable().describe('Why the files could not be opened, or can no longer be read.'),
  expires_at: Time.describe('The session ends then, unless it is used again.'),
})
export type FilesSession = z.infer<typeof FilesSession>

/** `no_driver`: the reader does not know this type. `encrypted`: the content is encrypted. `damaged`: it cannot be read. */
export const UnreadableReason = z.enum(['no_driver', 'encrypted', 'damaged'])

/** A file system in a recovery point. Sizes in bytes. */
export const FileSystem = z.object({
  id: z.string().describe('Place in the volume: `disk`, a partition such as `part1`, or a logical volume `vg0/data`.'),
  label: z.string().nullable(),
  type: z.string().describe('Such as `ext4`, `xfs`, `btrfs`, `vfat` or `ntfs`.'),
  size: z.number().int(),
  used: z.number().int().nullable().describe('Null: not known.'),
  readable: z.boolean(),
  reason: UnreadableReason.nullable().describe('Why it cannot be read. Null if it can.'),
})
export type FileSystem = z.infer<typeof FileSystem>

/** `gone`: the compared recovery point does not have it. Compared by kind, size and modification time, not by content. */
export const Compared = z.enum(['same', 'changed', 'gone'])

export const FileEntry = z.object({
  name: z.string().describe('For display. May contain line breaks; bytes that are not UTF-8 are replaced with U+FFFD.'),
  path: z.string().describe('Path for other calls.'),
  kind: z.enum(['file', 'folder', 'link', 'other']),
  size: z.number().int().nullable().describe('In bytes. Null if it is not a file.'),
  modified_at: Time.nullable().describe('Null: not a valid time.'),
  owner: z.number().int().describe('User ID in the file system.'),
  link_target: z.string().nullable().describe('For display. Links are not followed.'),
  compared: Compared.nullable().describe('Null: not compared, or a folder that both recovery points have.'),
})
export type FileEntry = z.infer<typeof FileEntry>

const FileSystemId = z.string().min(1).max(512)
/** For downloads by a browser, which sends only the cookie. */
const project_id = z.string().optional().describe('ID of the project, for downloads by a browser.')

export const FileArchiveDraft = z
  .strictObject({
    file_system: FileSystemId,
    folder: FilePath.default('/').describe('Names in the archive are relative to this folder.'),
    paths: z.array(FilePath).min(1).max(MOST_ARCHIVE_PATHS),
  })
  .meta({ examples: [{ file_system: 'part1', folder: '/etc', paths: ['/etc/hosts'] }] })
export type FileArchiveDraft = z.infer<typeof FileArchiveDraft>

/** A prepared zip archive. `size` is the size of the archive in bytes. */
export const FileArchive = z.object({
  id: z.string(),
  name: z.string(),
  entries: z.number().int(),
  size: z.number().int(),
  expires_at: Time,
})
export type FileArchive = z.infer<typeof FileArchive>

const path = '/api/v2/compute/volume_backups/:id/files-session'
const needs = update('compute_volume_backups')
export const backupFiles = endpoints({
  openFiles: {
    verb: 'POST',
    path,
    needs,
    summary: `Open the files of a recovery point. They are closed after ${FILES_SESSION_MINUTES} minutes without use. Returns the session that is already open, if there is one.`,
    status: 202,
    reply: FilesSession,
  },
  view: {
    verb: 'GET',
    path,
    needs,
    summary: 'Get the state of the open files of a recovery point',
    reply: FilesSession,
  },
  close: {
    verb: 'DELETE',
    path,
    needs,
    summary: 'Close the files of a recovery point',
    isAct: false,
    reply: z.void(),
  },
  fileSystems: {
    verb: 'GET',
    path: `${path}/file-systems`,
    needs,
    summary: 'List the file systems in a recovery point',
    reply: z.array(FileSystem),
  },
  entries: {
    verb: 'GET',
    path: `${path}/entries`,
    needs,
    summary: 'List the files in a folder of a recovery point',
    query: z.object({
      file_system: FileSystemId,
      path: FilePath.default('/'),
      compare_with: z
        .string()
        .min(1)
        .max(64)
        .optional()
        .describe('ID of another recovery point of the same volume, whose files you have opened too.'),
    }),
    reply: z.object({
      entries: z.array(FileEntry),
      truncated: z.boolean().describe(`Whether the folder has more than ${MOST_FILES_LISTED} entries.`),
    }),
  },
  download: {
    verb: 'GET',
    path: `${path}/download`,
    needs,
    summary: 'Download a file of a recovery point',
    query: z.object({ file_system: FileSystemId, path: FilePath, project_id }),
    bytes: 'out',
    reply: z.unknown(),
  },
  prepareArchive: {
    verb: 'POST',
    path: `${path}/archive`,
    needs,
    summary: `Prepare a zip archive of files and folders. At most ${MOST_ARCHIVED_FILES} files and 100 GiB.`,
    body: FileArchiveDraft,
    status: 201,
    isAct: false,
    reply: FileArchive,
  },
  archive: {
    verb: 'GET',
    path: `${path}/archive`,
    needs,
    summary: 'Download a prepared zip archive. Files that could not be read are listed in its _missing.txt.',
    query: z.object({ archive: z.string().min(1).max(64).describe('ID of the archive.'), project_id }),
    bytes: 'out',
    reply: z.unknown(),
  },
})
