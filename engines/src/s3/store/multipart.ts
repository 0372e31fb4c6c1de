import { createHash, randomUUID } from 'node:crypto'
import type { Sql } from '../../ports/engines'
import { S3Error, noSuchUpload } from '../errors'
import { checksumOfParts, type ChecksumType } from './crc-combine'
import { checksumNames, type ChecksumName } from './digests'
import { claimFiles, putObject } from './objects'
import { KEEP_READ, type Bucket, type ObjectHead, type Part, type WriteCondition } from './types'

export const MOST_PARTS = 10_000
export const LEAST_PART_BYTES = 5 * 1024 ** 2

/** Metadata of an unfinished upload. */
export interface UploadHead extends ObjectHead {
  /** Checksum algorithm; undefined if none was requested. */
  algorithm?: ChecksumName
  checksumType?: ChecksumType
  /** The user who started the upload; undefined if anonymous. */
  initiator?: string
}
export interface Upload {
  id: string
  key: string
  head: UploadHead
  done: CompletedUpload | null
  started_at: Date
}
export interface CompletedUpload {
  etag: string
  checksum?: ObjectHead['checksum']
  version?: string
  /** The object's parts, kept so that a repeated request gets the same response. */
  parts: { n: number; etag: string }[]
}
export interface ListedPart extends Part {
  mtime: Date
}

/** Properties that the client expects of the completed object, in addition to its parts. */
export interface CompletedClaim {
  checksum?: { name: ChecksumName; value: string } | undefined
  checksumType?: string | undefined
  /** In bytes. */
  size?: number | undefined
}

/** A part in a request to complete an upload. */
export interface NamedPart {
  n: number
  etag: string
  /** Such as `crc32:BASE64`. */
  checksum?: string | undefined
}

export interface Multipart {
  begin(bucket: Bucket, key: string, head: UploadHead): Promise<string>
  /** Throws `NoSuchUpload` if the upload does not exist. */
  find(bucket: Bucket, key: string, id: string): Promise<Upload>
  addPart(upload: Upload, part: Part): Promise<Date>
  parts(upload: Upload, after: number, most: number): Promise<{ parts: ListedPart[]; truncated: boolean }>
  /** Creates the object from the named parts without reading their data. Throws if it does not match the claim. */
  complete(
    bucket: Bucket,
    upload: Upload,
    named: readonly NamedPart[],
    condition: WriteCondition,
    claim: CompletedClaim,
  ): Promise<CompletedUpload>
  abort(upload: Upload): Promise<void>
}

/** Whether a text is a well-formed upload ID. */
export const isUploadId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

export const UPLOAD_COLUMNS = 'id, key, head, done, started_at'
const partColumns = 'n, file, size, etag, checksum, mtime'

export function openMultipart(sql: Sql): Multipart {
  return {
    async begin({ id: bucketId }, key, head) {
      const id = randomUUID()
      const made = await sql.query(
        `insert into s3_upload (id, bucket_id, key, head)
         select $1, id, $3, $4 from (select id from s3_bucket where id = $2 for key share) bucket returning id`,
        [id, bucketId, key, JSON.stringify(head)],
      )
      if (made.length === 0) throw noSuchUpload()
      return id
    },
    async find({ id: bucketId }, key, id) {
      if (!isUploadId(id)) throw noSuchUpload()
      const [row] = await sql.query<Upload>(
        `select ${UPLOAD_COLUMNS} from s3_upload where id = $1 and bucket_id = $2 and key = $3`,
        [id, bucketId, key],
      )
      if (!row) throw noSuchUpload()
      return row
    },
    addPart: ({ id }, { n, file, size, etag, checksum }) =>
      sql.transaction(async (tx) => {
        await lockUpload(tx, id)
        await claimFiles(tx, [file])
        await tx.query(
          `insert into s3_garbage (file, due)
           select file, now() + ${KEEP_READ} from s3_upload_part where upload = $1 and n = $2`,
          [id, n],
        )
        const [row] = await tx.query<{ mtime: Date }>(
          `insert into s3_upload_part (upload, n, file, size, etag, checksum) values ($1, $2, $3, $4, $5, $6)
           on conflict (upload, n) do update set file = $3, size = $4, etag = $5, checksum = $6, mtime = now()
           returning mtime`,
          [id, n, file, size, etag, checksum],
        )
        return row!.mtime
      }),
    async parts({ id }, after, most) {
      if (most === 0) return { parts: [], truncated: false }
      const found = await sql.query<ListedPart>(
        `select ${partColumns} from s3_upload_part where upload = $1 and n > $2 order by n limit $3`,
        [id, after, most + 1],
      )
      return { parts: found.slice(0, most), truncated: found.length > most }
    },
    complete: (bucket, { id, key, head }, named, condition, claim) =>
      sql.transaction(async (tx) => {
        const { done } = await lockUpload(tx, id, true)
        if (done) {
          const isSame =
            named.length === done.parts.length &&
            named.every(({ n, etag }, at) => done.parts[at]!.n === n && done.parts[at]!.etag === etag)
          if (isSame) return done
          throw noSuchUpload()
        }
        const there = await tx.query<Part>(
          'select n, file, size, etag, checksum from s3_upload_part where upload = $1 order by n',
          [id],
        )
        const parts = chosen(there, named)
        const etag = multipartEtag(parts)
        const { algorithm: _algorithm, checksumType: _type, initiator: _initiator, ...rest } = head
        const checksum = await checksumOfParts(parts, head)
        const size = parts.reduce((sum, part) => sum + part.size, 0)
        checkClaim(claim, { checksum, size })
        // the parts' files were claimed when they were uploaded
        const content = { blob: randomUUID(), parts, announced: false }
        const { version } = await putObject(
          tx,
          bucket,
          key,
          { size, etag, content, head: { ...rest, ...(checksum && { checksum }) } },
          condition,
        )
        const taken = new Set(parts.map(({ file }) => file))
        await dropFiles(
          tx,
          there.filter(({ file }) => !taken.has(file)).map(({ file }) => file),
        )
        await tx.query('delete from s3_upload_part where upload = $1', [id])
        const answer: CompletedUpload = {
          etag,
          ...(checksum && { checksum }),
          ...(version !== null && { version }),
          parts: parts.map((part) => ({ n: part.n, etag: part.etag })),
        }
        await tx.query('update s3_upload set done = $2, ended_at = now() where id = $1', [id, JSON.stringify(answer)])
        return answer
      }),
    abort: ({ id }) =>
      sql.transaction(async (tx) => {
        await lockUpload(tx, id)
        const files = await tx.query<{ file: string }>('delete from s3_upload_part where upload = $1 returning file', [
          id,
        ])
        await dropFiles(
          tx,
          files.map(({ file }) => file),
        )
        await tx.query('delete from s3_upload where id = $1', [id])
      }),
  }
}

/** Locks an upload to serialise changes to it. Throws `NoSuchUpload` if it is completed, unless `mayBeDone` is true. */
async function lockUpload(sql: Sql, id: string, mayBeDone = false): Promise<Pick<Upload, 'done'>> {
  const [row] = await sql.query<Pick<Upload, 'done'>>('select done from s3_upload where id = $1 for update', [id])
  if (!row || (row.done && !mayBeDone)) throw noSuchUpload()
  return row
}

async function dropFiles(sql: Sql, files: readonly string[]): Promise<void> {
  if (files.length > 0)
    await sql.query(`insert into s3_garbage (file, due) select unnest($1::uuid[]), now() + ${KEEP_READ}`, [files])
}

/** Returns the ETag of an object, computed from those of its parts. */
export const multipartEtag = (parts: readonly Pick<Part, 'etag'>[]): string => {
  const hash = createHash('md5')
  for (const { etag } of parts) hash.update(Buffer.from(etag, 'hex'))
  return `${hash.digest('hex')}-${parts.length}`
}

function checkClaim(
  { checksum, checksumType, size }: CompletedClaim,
  real: { checksum: ObjectHead['checksum']; size: number },
): void {
  const wrong = (message: string) => new S3Error('InvalidRequest', message)
  if (size !== undefined && size !== real.size)
    throw wrong(
      `The provided 'x-amz-mp-object-size' header value ${size} does not match what was computed: ${real.size}`,
    )
  if (checksumType !== undefined && checksumType !== real.checksum?.type)
    throw wrong(`The upload does not have the checksum type ${checksumType}`)
  if (checksum === undefined) return
  if (checksum.name !== real.checksum?.name)
    throw wrong(`Checksum Type mismatch occurred: the parts have no checksums of the type ${checksum.name}`)
  if (checksum.value !== real.checksum.value)
    throw new S3Error(
      'BadDigest',
      `The ${checksum.name.toUpperCase()} you specified did not match the calculated checksum.`,
    )
}

/** Returns the named parts in order. Throws if one is missing, out of order or too small. */
function chosen(there: readonly Part[], named: readonly NamedPart[]): Part[] {
  const byNumber = new Map(there.map((part) => [part.n, part]))
  const parts = named.map(({ n, etag, checksum }, at) => {
    if (at > 0 && n <= named[at - 1]!.n)
      throw new S3Error(
        'InvalidPartOrder',
        'The list of parts was not in ascending order. Parts must be ordered by part number.',
      )
    const part = byNumber.get(n)
    if (!part || part.etag !== etag || (checksum !== undefined && part.checksum !== checksum))
      throw new S3Error(
        'InvalidPart',
        `Part ${n} could not be found. It may not have been uploaded, or its ETag does not match.`,
      )
    return part
  })
  const small = parts.slice(0, -1).find(({ size }) => size < LEAST_PART_BYTES)
  if (small) throw new S3Error('EntityTooSmall', `Part ${small.n} is smaller than the minimum of 5 MiB`)
  return parts
}

export const isChecksumName = (text: string): text is ChecksumName => checksumNames.some((it) => it === text)
