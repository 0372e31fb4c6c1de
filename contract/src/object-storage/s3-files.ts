import { says, type RuleText } from '../core/said'
import * as z from 'zod'
import { create, endpoints, read } from '../core/endpoint'
import { Time } from '../core/names'
import { MOST_KEY_BYTES, objectNameFaults } from './bucket-names'

/*
 * File manager functions beyond the S3 API: archives of folders, links for anonymous users, and copying, moving and
 * deleting whole folders. They act with the caller's S3 permissions.
 */

const bytes = (text: string) => new TextEncoder().encode(text).length

const BucketName = z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, says('objectStorage.enter_bucket'))
const ObjectKey = z
  .string()
  .min(1, says('objectStorage.enter_key'))
  .refine((key) => bytes(key) <= MOST_KEY_BYTES, says('core.too_many_bytes', { most: MOST_KEY_BYTES }))
/** Folder keys end with a slash; '' is the whole bucket. */
const Folder = z
  .string()
  .refine((key) => key === '' || key.endsWith('/'), says('objectStorage.folder_slash'))
  .refine((key) => bytes(key) <= MOST_KEY_BYTES, says('core.too_many_bytes', { most: MOST_KEY_BYTES }))

/** Maximum number of files in an archive. */
export const MOST_ARCHIVE_ENTRIES = 10_000
/** Maximum number of files and folders per call. */
export const MOST_SOURCES = 1000
/** Time within which a requested archive must be downloaded, in seconds. */
export const ARCHIVE_SECONDS = 120
/** Maximum lifetime of a link in seconds (AWS Signature Version 4). */
export const MOST_LINK_SECONDS = 7 * 86_400

const Sources = z
  .array(z.union([ObjectKey, Folder]))
  .min(1, says('objectStorage.name_files'))
  .max(MOST_SOURCES, says('objectStorage.too_many_files', { most: MOST_SOURCES }))
  .describe('Keys of files, and of folders with a trailing slash.')

export const S3ArchiveDraft = z
  .strictObject({
    bucket: BucketName,
    folder: Folder.describe('Names in the archive are relative to this folder.'),
    keys: Sources,
  })
  .meta({ examples: [{ bucket: 'media', folder: '', keys: ['photos/'] }] })

/** Contents of a prepared archive. `size` is the size of the archive in bytes. */
export const S3Archive = z.object({
  id: z.string(),
  name: z.string(),
  entries: z.number().int(),
  size: z.number().int(),
  expires_at: Time,
})
export type S3Archive = z.infer<typeof S3Archive>

export const S3LinkDraft = z
  .strictObject({
    bucket: BucketName,
    key: ObjectKey,
    acc_key: z.string().min(1).max(128).describe('One of your enabled access keys. The link depends on it.'),
    seconds: z.number().int().min(1).max(MOST_LINK_SECONDS, says('objectStorage.link_too_long')).optional(),
    expires_at: Time.optional().describe('Instead of `seconds`. At most seven days from now.'),
  })
  .refine(({ seconds, expires_at }) => (seconds === undefined) !== (expires_at === undefined), {
    ...{ path: ['expires_at'], message: says('objectStorage.link_expiry') },
  })
  .meta({
    examples: [{ bucket: 'media', key: 'photos/1.jpg', acc_key: 'MSEXAMPLE0000000000', seconds: 3600 }],
  })

/** A link that anyone can use until it expires. `size` is the current size of the object in bytes. */
export const S3Link = z.object({ url: z.string(), expires_at: Time, size: z.number().int() })
export type S3Link = z.infer<typeof S3Link>

export const S3RunAction = z.enum(['copy', 'move', 'delete'])
export type S3RunAction = z.infer<typeof S3RunAction>

export const S3RunDraft = z
  .strictObject({
    action: S3RunAction,
    bucket: BucketName,
    keys: Sources,
    to: z
      .strictObject({
        bucket: BucketName,
        folder: Folder,
        name: z.string().optional().describe('New name, if `keys` has only one file or folder.'),
      })
      .optional()
      .describe('Target of a copy or a move.'),
    overwrite: z.boolean().default(false).describe('Whether to replace objects with the same key.'),
  })
  .superRefine(({ action, keys, to, bucket }, context) => {
    const refuse = (path: string[], message: RuleText) => context.addIssue({ code: 'custom', path, message })
    if ((action === 'delete') !== (to === undefined))
      return refuse(
        ['to'],
        action === 'delete' ? says('objectStorage.delete_has_no_target') : says('objectStorage.enter_target'),
      )
    if (!to) return
    if (keys.includes('')) refuse(['keys'], says('objectStorage.not_the_bucket'))
    if (to.name !== undefined) {
      if (keys.length !== 1) refuse(['to', 'name'], says('objectStorage.rename_one'))
      for (const fault of objectNameFaults(to.name, to.folder)) refuse(['to', 'name'], fault)
    }
    const targets = new Map(keys.map((key) => [targetOf(key, to), key]))
    const twin = keys.find((key) => targets.get(targetOf(key, to)) !== key)
    if (twin !== undefined && to.name === undefined)
      refuse(['keys'], says('objectStorage.same_names', { name: lastNameOf(twin) }))
    if (to.bucket !== bucket) return
    const into = keys.find((key) => key.endsWith('/') && targetOf(key, to).startsWith(key))
    if (into !== undefined) refuse(['to', 'folder'], says('objectStorage.folder_into_itself', { folder: into }))
    const same = keys.find((key) => targetOf(key, to) === key)
    if (same !== undefined && same !== into) refuse(['to', 'folder'], says('objectStorage.same_place', { name: same }))
  })
  .meta({ examples: [{ action: 'move', bucket: 'media', keys: ['photos/'], to: { bucket: 'media', folder: 'old/' } }] })
export type S3RunDraft = z.infer<typeof S3RunDraft>

/** Returns the name of a file or folder: the last segment of its key, without the slash. */
export const lastNameOf = (key: string): string => {
  const parts = key.split('/')
  return (key.endsWith('/') ? parts.at(-2) : parts.at(-1)) ?? ''
}

/** Returns the key of a file, or prefix of a folder, after a copy or move to another folder. */
export const targetOf = (key: string, { folder, name }: { folder: string; name?: string | undefined }): string =>
  `${folder}${name ?? lastNameOf(key)}${key.endsWith('/') ? '/' : ''}`

/** An object that was not changed. `code` is the S3 error code. */
export const S3RunFault = z.object({ key: z.string(), code: z.string(), message: z.string() })
export type S3RunFault = z.infer<typeof S3RunFault>

/** Maximum number of errors that a file operation reports. */
export const MOST_FAULTS = 100

/** A file operation. A single file is processed immediately; `id` and `task_id` are then null. */
export const S3Run = z.object({
  id: z.string().nullable(),
  task_id: z.string().nullable(),
  action: S3RunAction,
  state: z.enum(['running', 'success', 'failed', 'cancelled']),
  done: z.number().int().describe('Number of objects copied, moved or deleted.'),
  failed: z.number().int().describe('Number of objects that could not be processed.'),
  /** Errors for the first of these objects. */
  faults: z.array(S3RunFault),
})
export type S3Run = z.infer<typeof S3Run>

/** Headers that are stored with an object and returned with it; '' if not set. */
export const s3HeaderNames = [
  'content-type',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'expires',
] as const
export type S3HeaderName = (typeof s3HeaderNames)[number]

/** Maximum total size of user-defined metadata, names and values, in bytes (S3). */
export const MOST_METADATA_BYTES = 2048

const HeaderValue = z
  .string()
  .trim()
  .max(1024)
  // oxlint-disable-next-line no-control-regex -- control characters are matched on purpose
  .regex(/^[^\u0000-\u001f\u007f]*$/, says('objectStorage.no_control_characters'))
const OwnMetadata = z
  .record(z.string().regex(/^[a-z0-9][a-z0-9_.-]{0,127}$/, says('objectStorage.metadata_name')), HeaderValue.min(1))
  .refine(
    (metadata) => bytes(Object.entries(metadata).flat().join('')) <= MOST_METADATA_BYTES,
    says('core.too_many_bytes', { most: MOST_METADATA_BYTES }),
  )

const Headers = z.strictObject({
  ...{ 'content-type': HeaderValue, 'cache-control': HeaderValue, 'content-disposition': HeaderValue },
  ...{ 'content-encoding': HeaderValue, 'content-language': HeaderValue, expires: HeaderValue },
})

/** Headers and metadata of an object. `metadata` is user-defined, without the prefix `x-amz-meta-`. */
export const S3Metadata = z.object({
  etag: z.string(),
  headers: z.record(z.enum(s3HeaderNames), z.string()),
  metadata: z.record(z.string(), z.string()),
})
export type S3Metadata = z.infer<typeof S3Metadata>

export const S3MetadataDraft = z
  .strictObject({
    bucket: BucketName,
    key: ObjectKey,
    etag: z
      .string()
      .min(1)
      .max(128)
      .describe('ETag of the object when you read it. If the object has changed since then, it is not updated.'),
    headers: Headers.partial(),
    metadata: OwnMetadata,
  })
  .meta({
    examples: [
      {
        ...{ bucket: 'media', key: 'photos/1.jpg', etag: '9dd4e461268c8034f5c8564e155c67a6' },
        ...{ headers: { 'content-type': 'image/jpeg' }, metadata: { camera: 'x100' } },
      },
    ],
  })

const path = '/api/v2/s3service'
const resource = 's3_enable'
/** Zip archives of folders. They are prepared first, and then downloaded once by the browser. */
export const s3Archives = endpoints({
  create: {
    verb: 'POST',
    path: `${path}/archives`,
    needs: read(resource),
    summary: 'Prepare a zip archive of files and folders',
    body: S3ArchiveDraft,
    reply: S3Archive,
    status: 201,
    isAct: false,
  },
  download: {
    verb: 'GET',
    path: `${path}/archives/:id`,
    needs: read(resource),
    summary: 'Download a zip archive. Objects that no longer exist are listed in its _missing.txt.',
    query: z.object({ project_id: z.string().optional().describe('ID of the project, for downloads by a browser.') }),
    reply: z.unknown(),
    bytes: 'out',
  },
})

export const s3Links = endpoints({
  create: {
    verb: 'POST',
    path: `${path}/links`,
    needs: read(resource),
    summary: 'Create a link to an object. Anyone can use it until it expires.',
    // the link exposes stored data
    isAct: true,
    body: S3LinkDraft,
    reply: S3Link,
    status: 201,
  },
})

export const s3Runs = endpoints({
  create: {
    verb: 'POST',
    path: `${path}/runs`,
    needs: create(resource),
    summary: 'Start a file operation. Copies, moves or deletes files immediately, and folders as a task.',
    body: S3RunDraft,
    reply: S3Run,
    status: 202,
  },
  view: {
    verb: 'GET',
    path: `${path}/runs/:id`,
    needs: read(resource),
    summary: 'Get the progress of a file operation',
    reply: S3Run,
  },
})

export const s3Metadata = endpoints({
  view: {
    verb: 'GET',
    path: `${path}/metadata`,
    needs: read(resource),
    summary: 'Get the headers and metadata of an object',
    query: z.object({ bucket: BucketName, key: ObjectKey }),
    reply: S3Metadata,
  },
  update: {
    verb: 'PUT',
    path: `${path}/metadata`,
    needs: create(resource),
    summary: 'Replace the headers and metadata of an object. Its content is kept.',
    body: S3MetadataDraft,
    reply: S3Metadata,
  },
})
