import { S3Error, noSuchBucket } from '../../errors'
import { asHeader } from '../../signature/as-header'
import { MOST_OBJECT_BYTES } from '../body'
import { addressOf, type S3Call } from '../call'
import { MOST_INLINE } from '../content'
import { storeObject } from '../object-operations'
import { answer, type Operation } from '../operations'
import { readTags } from '../settings/tags'
import { readXml, writeBareXml } from '../xml'
import { checkFormPolicy, readFormPolicy, type SizeRange } from './form-policy'
import { verifyForm } from './form-signer'
import { MOST_FIELD_BYTES, readForm, type Form } from './read-form'

/* Browser uploads with an HTML form (POST object). */

/** Fields in which `${filename}` is not replaced. */
const verbatim = new Set(['policy', 'signature', 'x-amz-signature'])

/** Returns the fields, with `${filename}` replaced by the file's name if it has one. */
function expanded({ fields, fileName }: Form): Map<string, string> {
  return new Map(
    [...fields].map(([name, value]) => [
      name,
      fileName === undefined || verbatim.has(name) ? value : value.replaceAll('${filename}', () => fileName),
    ]),
  )
}

const plainHeaders = new Set([
  ...['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'content-md5', 'content-type'],
  'expires',
])
/** Fields that do not become headers: signature fields, and headers that do not apply to form uploads. */
const notHeaders =
  /^x-amz-(algorithm|credential|date|signature|security-token|content-sha256|decoded-content-length|trailer|copy-source.*)$/

/** Returns the headers of an equivalent PUT request. */
function headersOf(fields: ReadonlyMap<string, string>): S3Call['headers'] {
  const headers = [...fields]
    .filter(([name]) => plainHeaders.has(name) || (name.startsWith('x-amz-') && !notHeaders.test(name)))
    .map(([name, value]) => asHeader(name, value))
  const [acl, tagging] = [fields.get('acl'), fields.get('tagging')]
  if (acl !== undefined) headers.push(asHeader('x-amz-acl', acl))
  if (tagging) {
    const tags = readTags(readXml(tagging), 'object').map(({ key, value }) => [key, value])
    headers.push(['x-amz-tagging', new URLSearchParams(tags).toString()])
  }
  return Object.fromEntries(headers)
}

/** Fails with an `S3Error` if the file is smaller or larger than the policy allows. */
async function* bounded(bytes: AsyncIterable<Buffer>, { least, most }: SizeRange): AsyncGenerator<Buffer> {
  let passed = 0
  for await (const part of bytes) {
    passed += part.length
    if (passed > most)
      throw new S3Error('EntityTooLarge', `Your proposed upload exceeds the maximum allowed size, ${most} bytes`)
    yield part
  }
  if (passed < least)
    throw new S3Error('EntityTooSmall', `Your proposed upload is smaller than the minimum allowed size, ${least} bytes`)
}

/**
 * Returns a lower bound for the size of a file of unknown length. Reads ahead to detect small files, which are stored
 * inline.
 */
async function begun(bytes: AsyncGenerator<Buffer>, announced: number): Promise<NonNullable<S3Call['form']>> {
  const first: Buffer[] = []
  let size = 0
  while (size <= MOST_INLINE) {
    const next = await bytes.next()
    if (next.done) break
    first.push(next.value)
    size += next.value.length
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* first
    yield* bytes
  }
  // the other parts of the form take up at most 2 × MOST_FIELD_BYTES
  return { bytes: all(), atLeast: size <= MOST_INLINE ? size : Math.max(size, announced - 2 * MOST_FIELD_BYTES) }
}

/** Returns the size of the request in bytes. Throws unless the request is a form of acceptable size. */
function checkHead({ headers, signed }: S3Call): number {
  if (signed) throw new S3Error('InvalidArgument', 'A form is signed by its policy, not by a header or in the query')
  if (!/^multipart\/form-data\s*(;|$)/i.test(headers['content-type']?.trim() ?? ''))
    throw new S3Error('PreconditionFailed', 'Bucket POST must be of the enclosure-type multipart/form-data')
  const length = headers['content-length']
  if (length === undefined || !/^\d{1,15}$/.test(length))
    throw new S3Error('MissingContentLength', 'You must provide the Content-Length HTTP header.')
  if (Number(length) > MOST_OBJECT_BYTES + 2 * MOST_FIELD_BYTES)
    throw new S3Error('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size')
  return Number(length)
}

/** Returns the URL to redirect to after the upload, or null if it is missing or not an HTTP URL. */
function redirectOf(fields: ReadonlyMap<string, string>, made: Record<string, string>): string | null {
  const text = fields.get('success_action_redirect') ?? fields.get('redirect')
  if (text === undefined || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return null
  const url = new URL(text)
  const added = new URLSearchParams(made).toString()
  url.search = url.search === '' ? added : `${url.search}&${added}`
  return url.href
}

export const postObject: Operation = async (call, store) => {
  const announced = checkHead(call)
  const bucket = await store.buckets.find(call.bucket!)
  if (!bucket) throw noSuchBucket()
  if (call.isWaiting) call.response.writeContinue()
  const form = await readForm(call.body, call.headers['content-type'] ?? '')
  const fields = expanded(form)
  const key = fields.get('key')
  if (!key || key.includes('\0'))
    throw new S3Error(
      'InvalidArgument',
      "Bucket POST must contain a field named 'key'.  If it is specified, please check the order of the fields.",
    )
  let userId: string | null = null
  const signed = await verifyForm(
    fields,
    async (accessKey) => {
      const found = await store.accounts.signatory(accessKey)
      userId = found?.userId ?? null
      return found?.secret ?? null
    },
    { acceptsV2: store.signatureV2 },
  )
  const sizes = signed
    ? checkFormPolicy(readFormPolicy(fields.get('policy')!), fields, bucket.name)
    : { least: 0, most: MOST_OBJECT_BYTES }
  const headers = headersOf(fields)
  const put: S3Call = { ...call, key, query: [], headers, isWaiting: false, signed, userId }
  const stored = await storeObject({ ...put, form: await begun(bounded(form.bytes, sizes), announced) }, store)

  const made = { bucket: bucket.name, key, etag: stored['etag']! }
  const redirect = redirectOf(fields, made)
  if (redirect !== null) {
    await answer(call, 303, { ...stored, location: redirect })
    return
  }
  const location = addressOf(call, made)
  const status = fields.get('success_action_status')
  if (status === '201') {
    const names = { Location: location, Bucket: bucket.name, Key: key, ETag: made.etag }
    await answer(call, 201, { ...stored, location }, writeBareXml('PostResponse', names))
  } else await answer(call, status === '200' ? 200 : 204, { ...stored, location })
}
