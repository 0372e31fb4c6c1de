import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { CreateBucketCommand, GetObjectCommand, HeadObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startS3, type S3Bench } from '../clients/client'

/* Forms created with standard tools: boto3 signs the policy, and curl sends the form. */

/** Asynchronous, because the server runs in this process. */
const run = promisify(execFile)

const versions = { 'version 2': 's3', 'version 4': 's3v4' } as const
type Version = keyof typeof versions
type Keys = readonly [accessKey: string, secretKey: string]
type Client = Awaited<ReturnType<S3Bench['client']>>
interface Form {
  url: string
  fields: Record<string, string>
}

const [Bucket, Other] = ['forms-of-strangers', 'forms-of-strangers-2']
const LEAST = 10
const MOST = 100_000
let bench: S3Bench
let own: Client
let folder = ''
/** Forms to post, by signature version. */
const forms = new Map<string, Form>()
const formOf = (name: 'good' | 'expired' | 'of others' | 'by a wrong secret', version: Version): Form => ({
  ...forms.get(`${name} ${version}`)!,
})

beforeAll(async () => {
  bench = await startS3()
  own = await bench.client('project-member')
  const other = await bench.client('other-member')
  for (const name of [Bucket, Other]) await own.s3.send(new CreateBucketCommand({ Bucket: name }))
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-forms-'))
  await writeFile(path.join(folder, 'fitting.txt'), 'what fits\r\n--\r\n')
  await writeFile(path.join(folder, 'large'), Buffer.alloc(MOST, 'x'))
  await writeFile(path.join(folder, 'too large'), Buffer.alloc(MOST + 1, 'x'))
  await writeFile(path.join(folder, 'too small'), Buffer.alloc(LEAST - 1, 'x'))

  const asked = {
    ...{ Bucket, Key: 'incoming/${filename}', ExpiresIn: 600 },
    Fields: { 'Content-Type': 'text/plain', 'x-amz-meta-colour': 'blue', success_action_status: '201' },
    Conditions: [
      ['starts-with', '$key', 'incoming/'],
      ['eq', '$Content-Type', 'text/plain'],
      { 'x-amz-meta-colour': 'blue' },
      { success_action_status: '201' },
      ['content-length-range', LEAST, MOST],
    ],
  }
  const keysOf = ({ accessKey, secretKey }: Client): Keys => [accessKey, secretKey]
  const wanted = (Object.keys(versions) as Version[]).flatMap((version) =>
    Object.entries({
      good: { keys: keysOf(own), asked },
      expired: { keys: keysOf(own), asked: { ...asked, ExpiresIn: -1 } },
      'of others': { keys: keysOf(other), asked },
      'by a wrong secret': { keys: [own.accessKey, other.secretKey], asked },
    }).map(([name, form]) => ({ name: `${name} ${version}`, form: { ...form, version: versions[version] } })),
  )
  const env = { PATH: '/usr/bin:/bin', HOME: folder, ENDPOINT: bench.endpoint, AWS_EC2_METADATA_DISABLED: 'true' }
  const signing = run('/usr/bin/python3', [path.join(import.meta.dirname, 'sign_forms.py')], { env })
  signing.child.stdin!.end(JSON.stringify(wanted.map(({ form }) => form)))
  const signed = JSON.parse((await signing).stdout) as Form[]
  for (const [at, { name }] of wanted.entries()) forms.set(name, signed[at]!)
}, 120_000)
afterAll(async () => {
  await bench.close()
  await rm(folder, { recursive: true, force: true })
})

/** Posts a form with a file, using curl. Returns the status and the error code. */
async function post({ url, fields }: Form, file = 'fitting.txt'): Promise<string> {
  const given = Object.entries(fields).flatMap(([name, value]) => ['--form-string', `${name}=${value}`])
  const format = ['--silent', '--max-time', '60', '--write-out', '\n%{http_code}']
  const { stdout } = await run('/usr/bin/curl', [...format, ...given, '--form', `file=@${file}`, url], {
    ...{ cwd: folder, env: {} },
  })
  const code = /<Code>(\w+)</.exec(stdout)?.[1]
  return [stdout.split('\n').at(-1), ...(code === undefined ? [] : [code])].join(' ')
}
const changed = (form: Form, fields: Record<string, string>): Form => ({
  ...form,
  fields: { ...form.fields, ...fields },
})
function without(form: Form, name: string): Form {
  const { [name]: gone, ...fields } = form.fields
  if (gone === undefined) throw new Error(`boto3 gives no field ${name}`)
  return { ...form, fields }
}
const stored = async () => {
  const blobs = await readdir(path.join(bench.server.folder, 'engine', 's3', 'blobs'), { recursive: true })
  const keys: string[] = []
  for (const name of [Bucket, Other])
    for (const { Key } of (await own.s3.send(new ListObjectsV2Command({ Bucket: name }))).Contents ?? [])
      keys.push(Key!)
  return { keys, blobs: blobs.filter((name) => name.includes('/')).toSorted() }
}

it.each(Object.keys(versions) as Version[])('curl posts a form signed by boto3 with %s', async (version) => {
  const form = formOf('good', version)
  expect(await post(form)).toBe('201')
  const [Key, large] = ['incoming/fitting.txt', 'incoming/large']
  const { Body, ContentType, Metadata } = await own.s3.send(new GetObjectCommand({ Bucket, Key }))
  expect(await Body!.transformToString()).toBe('what fits\r\n--\r\n')
  expect([ContentType, Metadata]).toEqual(['text/plain', { colour: 'blue' }])
  expect(await post(form, 'large')).toBe('201')
  expect((await own.s3.send(new HeadObjectCommand({ Bucket, Key: large }))).ContentLength).toBe(MOST)
})

it.each(Object.keys(versions) as Version[])(
  'stores nothing if a form signed with %s violates a condition, has expired, or belongs to another user',
  async (version) => {
    const good = formOf('good', version)
    const before = await stored()
    const signature = version === 'version 2' ? 'signature' : 'x-amz-signature'
    const cases: [what: string, answer: Promise<string>, expected: string][] = [
      ['another bucket', post({ ...good, url: good.url.replace(Bucket, Other) }), '403 AccessDenied'],
      ['another beginning', post(changed(good, { key: 'elsewhere/a.txt' })), '403 AccessDenied'],
      ['too many bytes', post(good, 'too large'), '400 EntityTooLarge'],
      ['too few bytes', post(good, 'too small'), '400 EntityTooSmall'],
      ['over', post(formOf('expired', version)), '403 AccessDenied'],
      ['a changed field', post(changed(good, { 'x-amz-meta-colour': 'red' })), '403 AccessDenied'],
      ['another type', post(changed(good, { 'Content-Type': 'text/html' })), '403 AccessDenied'],
      ['an added field', post(changed(good, { 'x-amz-meta-size': 'small' })), '403 AccessDenied'],
      ['a removed field', post(without(good, 'x-amz-meta-colour')), '403 AccessDenied'],
      ['no signature', post(without(good, signature)), '400 InvalidArgument'],
      [
        'another policy',
        post(changed(good, { policy: formOf('expired', version).fields['policy']! })),
        '403 SignatureDoesNotMatch',
      ],
      ['a wrong secret', post(formOf('by a wrong secret', version)), '403 SignatureDoesNotMatch'],
      ['keys of another tenant', post(formOf('of others', version)), '403 AccessDenied'],
    ]
    for (const [what, answer, expected] of cases) expect([what, await answer]).toEqual([what, expected])
    expect(await stored()).toEqual(before)
  },
)
