import { createHash } from 'node:crypto'
import http from 'node:http'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { S3_REGION } from '@mainstay/contract/object-storage/s3-service'
import {
  CreateBucketCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutBucketPolicyCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startS3, type S3Bench } from './clients/client'
import {
  BOUNDARY,
  bodyOf,
  FORM_TYPE,
  postTo,
  signedBy2,
  signedBy4,
  soon,
  type Answer,
  type Field,
} from './clients/form-client'

/* Form uploads from web pages, as sent by browsers and common clients. */

let bench: S3Bench
let s3: S3Client
let signer: { accessKey: string; secretKey: string; userId: string }
const [Bucket, Open] = ['forms', 'forms-for-all']
beforeAll(async () => {
  bench = await startS3()
  const made = await bench.client('project-member')
  ;({ s3 } = made)
  signer = made
  for (const name of [Bucket, Open]) await s3.send(new CreateBucketCommand({ Bucket: name }))
  const Statement = [{ Effect: 'Allow', Principal: '*', Action: 's3:PutObject', Resource: `arn:aws:s3:::${Open}/*` }]
  await s3.send(new PutBucketPolicyCommand({ Bucket: Open, Policy: JSON.stringify({ Statement }) }))
})
afterAll(() => bench.close())

interface Ways {
  bucket?: string
  type?: string
  atOnce?: number
}
const post = (body: Buffer, { bucket = Bucket, ...ways }: Ways = {}): Promise<Answer> =>
  postTo(`${bench.endpoint}/${bucket}`, body, ways)
const send = (fields: readonly Field[], ways?: Ways) => post(bodyOf(fields), ways)
/** Status and error code. */
const outcome = async (fields: readonly Field[], ways?: Ways) => {
  const { status, code } = await send(fields, ways)
  return code === undefined ? String(status) : `${status} ${code}`
}

const conditions = (): unknown[] => [
  { bucket: Bucket },
  ['starts-with', '$key', 'foo'],
  ['starts-with', '$Content-Type', 'text/plain'],
  ['content-length-range', 0, 1024],
]
const by2 = (document: unknown) => signedBy2(signer, document)
const by4 = (wanted: readonly unknown[], now?: Date) => signedBy4(signer, wanted, now)
const plain: Field[] = [
  ['key', 'foo.txt'],
  ['Content-Type', 'text/plain'],
]
const file: Field = ['file', 'bar', 'bar.txt']
const anySize = () => by2({ expiration: soon(), conditions: conditions().slice(0, 3) })
const signed = (more: unknown[] = []) => by2({ expiration: soon(), conditions: [...conditions(), ...more] })
const object = (Key: string) => s3.send(new HeadObjectCommand({ Bucket, Key }))
const content = async (Key: string, bucket = Bucket) =>
  (await s3.send(new GetObjectCommand({ Bucket: bucket, Key }))).Body!.transformToString()
const files = async () => {
  const names = await readdir(path.join(bench.server.folder, 'engine', 's3', 'blobs'), { recursive: true })
  return names.filter((name) => name.includes('/')).sort()
}
const keys = async () => ((await s3.send(new ListObjectsV2Command({ Bucket }))).Contents ?? []).map(({ Key }) => Key)

it.each([1, 7, 1000, 64 * 1024])('stores a form sent %i bytes at a time, with either signature', async (atOnce) => {
  expect(await outcome([...plain, ...signed(), file], { atOnce })).toBe('204')
  expect(await content('foo.txt')).toBe('bar')
  expect(await outcome([...plain, ...by4(conditions()), ['file', 'by 4', 'x']], { atOnce })).toBe('204')
  expect(await content('foo.txt')).toBe('by 4')
})

it('stores a large file unchanged, even if its content resembles the boundary', async () => {
  const large = Buffer.alloc(3 * 1024 * 1024, `foo\r\n--${BOUNDARY.slice(0, -1)}\r\n\r\n`)
  const wide = [...conditions().slice(0, 3), ['content-length-range', 4096, 5 * 1024 * 1024]]
  const fields: Field[] = [...plain, ...by4(wide), ['file', large, 'x'], ['submit', 'ignored']]
  const { status, headers } = await send(fields, { atOnce: 100_000 })
  const etag = `"${createHash('md5').update(large).digest('hex')}"`
  expect([status, headers.etag]).toEqual([204, etag])
  expect((await object('foo.txt')).ETag).toBe(etag)
})

it('stores the metadata from form fields, regardless of the case of their names', async () => {
  const tagging = '<Tagging><TagSet><Tag><Key>a</Key><Value>b c</Value></Tag></TagSet></Tagging>'
  const md5 = createHash('md5').update('bar').digest('base64')
  const named: Field[] = [
    ['kEy', 'foo/${filename}'],
    ['Content-Type', 'text/plain; charset=utf-8'],
    ['Cache-Control', 'max-age=5'],
    ['X-Amz-Meta-Place', 'Zürich ${filename}'],
    ['tagging', tagging],
    ['content-MD5', md5],
    ['x-ignore-this', 'field'],
  ]
  const starts = ['Cache-Control', 'X-AMZ-meta-place', 'tagging', 'Content-MD5'].map((it) => [
    'StArTs-WiTh',
    `$${it}`,
    '',
  ])
  const fields: Field[] = [...named, ...signed(starts), ['file', 'bar', 'C:\\folder\\né.txt']]
  expect(await outcome(fields)).toBe('204')
  const { ContentType, CacheControl, Metadata } = await object('foo/né.txt')
  expect([ContentType, CacheControl]).toEqual(['text/plain; charset=utf-8', 'max-age=5'])
  expect(Buffer.from(Metadata!['place']!, 'latin1').toString('utf8')).toBe('Zürich né.txt')
  const { TagSet } = await s3.send(new GetObjectTaggingCommand({ Bucket, Key: 'foo/né.txt' }))
  expect(TagSet).toEqual([{ Key: 'a', Value: 'b c' }])
  // repeated fields are joined with commas; without a file name, the variable is not replaced
  const twice: Field[] = [
    ['key', 'foo${filename}'],
    ['x-amz-meta-a', '1'],
    ['x-amz-meta-a', '2'],
    ['Content-Type', 'text/plain'],
  ]
  expect(await outcome([...twice, ...signed([{ 'x-amz-meta-a': '1,2' }]), ['file', 'bar']])).toBe('204')
  expect((await object('foo${filename}')).Metadata).toEqual({ a: '1,2' })
})

it('responds to the browser as the form requests', async () => {
  const ask = (more: Field[]) => send([['key', 'a b/é'], ...more, file], { bucket: Open })
  const etag = `"${createHash('md5').update('bar').digest('hex')}"`
  const location = `${bench.endpoint}/${Open}/a%20b%2F%C3%A9`
  for (const [status, expected] of [
    ['200', 200],
    ['204', 204],
    ['404', 204],
    ['', 204],
  ] as const) {
    const answer = await ask([['success_action_status', status]])
    expect([answer.status, answer.text, answer.headers.etag, answer.headers.location]).toEqual([
      expected,
      '',
      etag,
      location,
    ])
  }
  const made = await ask([['success_action_status', '201']])
  expect([made.status, made.headers.etag, made.headers.location]).toEqual([201, etag, location])
  expect(made.text).toBe(
    '<?xml version="1.0" encoding="UTF-8"?>\n<PostResponse>' +
      `<Location>${location}</Location><Bucket>${Open}</Bucket><Key>a b/é</Key>` +
      `<ETag>${etag.replaceAll('"', '&#34;')}</ETag></PostResponse>`,
  )
  const added = `bucket=${Open}&key=a+b%2F%C3%A9&etag=${encodeURIComponent(etag)}`
  for (const [url, expected] of [
    ['https://page.example/done', `https://page.example/done?${added}`],
    ['https://page.example/done?a=1#end', `https://page.example/done?a=1&${added}#end`],
  ] as const) {
    const answer = await ask([
      ['success_action_redirect', url],
      ['success_action_status', '200'],
    ])
    expect([answer.status, answer.headers.location]).toEqual([303, expected])
  }
  for (const url of ['/relative', 'javascript:alert(1)', 'https://', 'page.example'])
    expect((await ask([['success_action_redirect', url]])).status).toBe(204)
})

it('stores an unsigned form only if anonymous users may write', async () => {
  expect(await outcome([['key', 'anybody'], file], { bucket: Open })).toBe('204')
  expect(await content('anybody', Open)).toBe('bar')
  expect(await outcome([['key', 'anybody'], file])).toBe('403 AccessDenied')
  const [, , policy] = signed()
  expect(await outcome([['key', 'foo.txt'], policy!, file])).toBe('403 AccessDenied')
  // an unknown key is refused, not treated as anonymous
  expect(await outcome([...plain, ['AWSAccessKeyId', 'foo'], ...signed().slice(1), file], { bucket: Open })).toBe(
    '403 InvalidAccessKeyId',
  )
  expect(await outcome([['key', 'a'], file], { bucket: 'nobodys-bucket' })).toBe('404 NoSuchBucket')
})

const policies: [string, unknown, string][] = [
  ['has expired', { expiration: '2020-01-01T00:00:00Z', conditions: conditions() }, '403 AccessDenied'],
  [
    'has a time with an offset',
    { expiration: '2100-01-01T00:00:00+02:00', conditions: conditions() },
    '400 InvalidPolicyDocument',
  ],
  ['has no time', { conditions: conditions() }, '400 InvalidPolicyDocument'],
  ['has no conditions', { expiration: '2100-01-01T00:00:00Z' }, '400 InvalidPolicyDocument'],
  [
    'has its field names in capitals',
    { EXPIRATION: '2100-01-01T00:00:00Z', CONDITIONS: conditions() },
    '400 InvalidPolicyDocument',
  ],
  ['is a list', [], '400 InvalidPolicyDocument'],
]
const conditioned: [string, unknown[], string][] = [
  ['an empty condition', [{}], '400 InvalidPolicyDocument'],
  ['two conditions in one object', [{ key: 'foo.txt', acl: 'private' }], '400 InvalidPolicyDocument'],
  ['a number as a value', [{ key: 5 }], '400 InvalidPolicyDocument'],
  ['an unknown operator', [['ends-with', '$key', 'txt']], '400 InvalidPolicyDocument'],
  ['a condition without an operator', [[]], '400 InvalidPolicyDocument'],
  ['a condition without a field', [['eq', 'key', 'foo.txt']], '403 AccessDenied'],
  ['a different value', [['eq', '$key', 'FOO.txt']], '403 AccessDenied'],
  ['a different prefix', [['starts-with', '$key', 'bar']], '403 AccessDenied'],
  ['a field that is missing', [['starts-with', '$x-amz-meta-foo', 'bar']], '403 AccessDenied'],
  ['one bound', [['content-length-range', 0]], '400 InvalidPolicyDocument'],
  ['a bound below 0', [['content-length-range', -1, 5]], '400 InvalidPolicyDocument'],
  ['a bound that is not a number', [['content-length-range', 'test', '10']], '403 AccessDenied'],
  ['too small a bound', [['content-length-range', 0, 2]], '400 EntityTooLarge'],
  ['too large a bound', [['content-length-range', '4', '10']], '400 EntityTooSmall'],
]
it.each([
  ...policies,
  ...conditioned.map(([what, more, expected]): [string, unknown, string] => [
    `has ${what}`,
    { expiration: '2100-01-01T00:00:00Z', conditions: [...conditions(), ...more] },
    expected,
  ]),
])('stores nothing if the policy %s', async (_, document, expected) => {
  const before = await keys()
  expect(await outcome([['key', 'foo-refused'], plain[1]!, ...by2(document), file])).toBe(expected)
  expect(await keys()).toEqual(before)
})

it('accepts sizes at the limits, and a list of types if all of them are allowed', async () => {
  expect(await outcome([...plain, ...signed([['content-length-range', 3, '3']]), file])).toBe('204')
  const typed = (type: string) => outcome([['key', 'foo'], ['Content-Type', type], ...signed(), file])
  expect(await typed('text/plain,text/plain2')).toBe('204')
  expect(await typed('text/plain,text/html')).toBe('403 AccessDenied')
})

it('stores nothing if the form differs from what was signed', async () => {
  const before = await keys()
  const key: Field = ['key', 'foo-refused']
  const of2 = signed()
  const of4 = by4(conditions())
  const change = (fields: Field[], name: string, to: (value: string) => string) =>
    fields.map((it): Field => (it[0] === name ? [name, to(String(it[1]))] : it))
  const without = (fields: Field[], name: string) => fields.filter(([it]) => it !== name)
  const day = 24 * 60 * 60_000
  for (const [fields, expected] of [
    [change(of2, 'signature', (it) => it.split('').toReversed().join('')), '403 SignatureDoesNotMatch'],
    [change(of2, 'policy', (it) => it.slice(0, -4)), '403 SignatureDoesNotMatch'],
    [change(of2, 'AWSAccessKeyId', (it) => `${it}x`), '403 InvalidAccessKeyId'],
    [without(of2, 'signature'), '400 InvalidArgument'],
    [without(of2, 'policy'), '400 InvalidArgument'],
    [
      change(of4, 'x-amz-signature', (it) => it.replace(/.$/, (end) => (end === '0' ? '1' : '0'))),
      '403 SignatureDoesNotMatch',
    ],
    [change(of4, 'x-amz-credential', (it) => it.replace(S3_REGION, 'us-west-9')), '403 SignatureDoesNotMatch'],
    [change(of4, 'x-amz-credential', () => 'broken'), '400 InvalidArgument'],
    [change(of4, 'x-amz-algorithm', () => 'AWS4-HMAC-SHA1'), '400 InvalidArgument'],
    [change(of4, 'x-amz-date', () => 'yesterday'), '400 InvalidArgument'],
    [without(of4, 'x-amz-algorithm'), '400 InvalidArgument'],
    [without(of4, 'x-amz-signature'), '400 InvalidArgument'],
    [by4(conditions(), new Date(Date.now() - 8 * day)), '403 AccessDenied'],
    [by4(conditions(), new Date(Date.now() + day)), '403 AccessDenied'],
    [by4(conditions().slice(1)), '403 AccessDenied'],
    [[...of4, ['x-amz-meta-more', 'x'] as Field], '403 AccessDenied'],
  ] as [Field[], string][])
    expect([fields, await outcome([key, plain[1]!, ...fields, file])]).toEqual([fields, expected])
  // a policy applies only to its own bucket, regardless of the bucket that the form names
  expect(await outcome([...plain, ['bucket', Bucket], ...of2, file], { bucket: Open })).toBe('403 AccessDenied')
  expect(await keys()).toEqual(before)
})

it('refuses invalid forms and leaves neither an object nor a file behind', async () => {
  const [before, stored] = [await keys(), await files()]
  const body = bodyOf([...plain, ...signed(), file])
  const whole = Buffer.from('x'.repeat(100_000))
  const large = (more: Field[]) => [['key', 'foo-large'] as Field, plain[1]!, ...more, ...anySize()]
  const cases: [string, Promise<Answer>, string][] = [
    ['another type', post(body, { type: 'text/html' }), 'PreconditionFailed'],
    ['a form of another type', post(body, { type: 'application/x-www-form-urlencoded' }), 'PreconditionFailed'],
    ['no boundary', post(body, { type: 'multipart/form-data' }), 'MalformedPOSTRequest'],
    ['another boundary', post(body, { type: 'multipart/form-data; boundary=x' }), 'MalformedPOSTRequest'],
    ['nothing', post(Buffer.alloc(0)), 'MalformedPOSTRequest'],
    ['no end', post(bodyOf([...plain, ...signed(), file]).subarray(0, -BOUNDARY.length - 4)), 'MalformedPOSTRequest'],
    [
      'no end of a large file',
      post(bodyOf([...large([]), ['file', whole, 'x']]).subarray(0, -100)),
      'MalformedPOSTRequest',
    ],
    ['no file', send([...plain, ...signed()]), 'InvalidArgument'],
    ['two files', send([...large([]), ['file', whole, 'x'], ['file', 'y', 'y']]), 'InvalidArgument'],
    ['no key', send([['Content-Type', 'text/plain'], ...signed(), file]), 'InvalidArgument'],
    [
      'a key after the file',
      send([['Content-Type', 'text/plain'], ...signed(), file, ['key', 'foo']]),
      'InvalidArgument',
    ],
    ['an empty key', send([['key', ''], ...signed(), file]), 'InvalidArgument'],
    ['too long a key', send([['key', `foo${'x'.repeat(1022)}`], plain[1]!, ...signed(), file]), 'KeyTooLongError'],
    [
      'too long fields',
      send([...plain, ['x-ignore-this', 'x'.repeat(20 * 1024)], file]),
      'MaxPostPreDataLengthExceeded',
    ],
    [
      'too many fields before the file',
      post(Buffer.concat([Buffer.alloc(30_000), body])),
      'MaxPostPreDataLengthExceeded',
    ],
    [
      'another hash',
      send([...large([['Content-MD5', createHash('md5').digest('base64')]]), ['file', whole, 'x']]),
      'AccessDenied',
    ],
    ['a broken header', send([['key', 'a'], ['x-amz-meta-a', 'a\r\nb'], file], { bucket: Open }), 'InvalidArgument'],
    ['a broken name', send([['key', 'a'], ['x-amz-meta-é', 'b'], file], { bucket: Open }), 'InvalidArgument'],
    ['broken tags', send([['key', 'a'], ['tagging', 'not-xml'], file], { bucket: Open }), 'MalformedXML'],
    [
      'a hash of other data',
      send([['key', 'a'], ['content-md5', createHash('md5').digest('base64')], file], { bucket: Open }),
      'BadDigest',
    ],
    [
      'another checksum',
      send([...large([['x-amz-checksum-sha256', createHash('sha256').digest('base64')]]), ['file', whole, 'x']]),
      'BadDigest',
    ],
  ]
  for (const [what, answer, code] of cases) expect([what, (await answer).code]).toEqual([what, code])
  expect([await keys(), await files()]).toEqual([before, stored])
})

it('leaves neither an object nor a file after an interrupted form', async () => {
  const { hostname, port } = new URL(bench.endpoint)
  const body = bodyOf([['key', 'foo-broken'], plain[1]!, ...anySize(), ['file', 'x'.repeat(100_000), 'x']])
  const before = await files()
  const request = http.request({
    ...{ hostname, port, method: 'POST', path: `/${Bucket}`, agent: false },
    headers: { 'content-type': FORM_TYPE, 'content-length': body.length },
  })
  request.on('error', () => undefined)
  request.write(body.subarray(0, 50_000))
  await expect.poll(files).toHaveLength(before.length + 1)
  request.destroy()
  await expect.poll(files).toEqual(before)
  expect(await keys()).not.toContain('foo-broken')
})

it('counts form uploads towards the quota, exact to the byte', async () => {
  const port = bench.server.tools.ports['object-storage']
  const { usage } = (await port.account({ user_id: signer.userId, domain_id: 'alpha' }, false))!
  const sized = (size: number) =>
    outcome([['key', 'foo-quota'], plain[1]!, ...anySize(), ['file', 'x'.repeat(size), 'x']])
  await port.updateAccount(signer.userId, { quota: usage.size + 150_000 })
  expect(await sized(150_001)).toBe('403 QuotaExceeded')
  expect(await sized(400_000)).toBe('403 QuotaExceeded')
  expect(await sized(150_000)).toBe('204')
  await port.updateAccount(signer.userId, { quota: null })
})
