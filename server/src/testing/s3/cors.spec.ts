import {
  CreateBucketCommand,
  DeleteBucketCorsCommand,
  GetBucketCorsCommand,
  PutBucketCorsCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  type CORSRule,
  type S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { refused, type S3Bench, startS3 } from './clients/client'

/* CORS headers for pages from other origins. */

let bench: S3Bench
let s3: S3Client
let stranger: S3Client
const Bucket = 'cors-rules'
beforeAll(async () => {
  bench = await startS3()
  s3 = (await bench.client('project-member')).s3
  stranger = (await bench.client('other-member')).s3
  await s3.send(new CreateBucketCommand({ Bucket }))
  await s3.send(new PutObjectCommand({ Bucket, Key: 'open', Body: 'bytes' }))
  const Resource = `arn:aws:s3:::${Bucket}/open`
  const Statement = [{ Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource }]
  await s3.send(new PutBucketPolicyCommand({ Bucket, Policy: JSON.stringify({ Statement }) }))
})
afterAll(() => bench.close())

const set = (CORSRules: CORSRule[]) => s3.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }))
const get = async (client = s3) => (await client.send(new GetBucketCorsCommand({ Bucket }))).CORSRules
const rule = (more: Partial<CORSRule> = {}): CORSRule => ({
  AllowedMethods: ['GET'],
  AllowedOrigins: ['https://a.example'],
  ...more,
})

const many = (count: number) => Array.from({ length: count }, (_, at) => `X-Header-${at}`)

/** Status, error code and CORS headers of a response. */
async function ask(method: string, key: string, headers: Record<string, string>) {
  const answer = await fetch(`${bench.endpoint}/${Bucket}${key}`, { method, headers })
  const told = [...answer.headers].filter(([name]) => name.startsWith('access-control-'))
  const text = await answer.text()
  return {
    status: answer.status,
    code: /<Code>(\w+)</.exec(text)?.[1],
    vary: answer.headers.get('vary'),
    ...Object.fromEntries(told.map(([name, value]) => [name.slice('access-control-'.length), value])),
  }
}
const preflight = (origin: string, method: string, more: Record<string, string> = {}, key = '/open') =>
  ask('OPTIONS', key, { origin, 'access-control-request-method': method, ...more })
const VARY = 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method'

it('keeps a bucket’s rules until they are replaced or removed', async () => {
  expect(await refused(get())).toBe('NoSuchCORSConfiguration')
  const rules: CORSRule[] = [
    {
      ID: 'first',
      AllowedMethods: ['GET', 'PUT', 'POST', 'DELETE', 'HEAD'],
      AllowedOrigins: ['https://*.example', '*'],
      AllowedHeaders: ['*'],
      ExposeHeaders: ['ETag', 'x-amz-meta-a'],
      MaxAgeSeconds: 600,
    },
    rule(),
  ]
  await set(rules)
  expect(await get()).toEqual(rules)
  await set(Array.from({ length: 100 }, () => rule()))
  expect(await get()).toHaveLength(100)
  for (const [wrong, code] of [
    [Array.from({ length: 101 }, () => rule()), 'InvalidRequest'],
    [[], 'MalformedXML'],
    [[rule({ AllowedMethods: [] })], 'MalformedXML'],
    [[rule({ AllowedOrigins: [] })], 'MalformedXML'],
    [[rule({ MaxAgeSeconds: -1 })], 'MalformedXML'],
    [[rule({ AllowedMethods: ['OPTIONS'] })], 'InvalidRequest'],
    [[rule({ AllowedMethods: ['get'] })], 'InvalidRequest'],
    [[rule({ AllowedOrigins: ['https://*.*.example'] })], 'InvalidRequest'],
    [[rule({ AllowedHeaders: ['x-*-*'] })], 'InvalidRequest'],
    [[rule({ AllowedHeaders: many(101) })], 'InvalidRequest'],
    [[rule({ ExposeHeaders: ['x-*'] })], 'InvalidRequest'],
    [[rule({ ExposeHeaders: ['no header'] })], 'InvalidRequest'],
    [[rule({ ID: 'x'.repeat(256) })], 'InvalidRequest'],
  ] as [CORSRule[], string][])
    expect([JSON.stringify(wrong).slice(0, 200), await refused(set(wrong))]).toEqual([
      JSON.stringify(wrong).slice(0, 200),
      code,
    ])
  expect(await get()).toHaveLength(100)
  expect(await refused(get(stranger))).toBe('AccessDenied')
  expect(await refused(stranger.send(new DeleteBucketCorsCommand({ Bucket })))).toBe('AccessDenied')
  await s3.send(new DeleteBucketCorsCommand({ Bucket }))
  expect(await refused(get())).toBe('NoSuchCORSConfiguration')
})

it('answers unsigned preflight requests', async () => {
  const origin = 'https://a.example'
  expect(await ask('OPTIONS', '/open', {})).toMatchObject({ status: 400, code: 'BadRequest' })
  expect(await ask('OPTIONS', '/open', { origin })).toMatchObject({ status: 400, code: 'BadRequest' })
  const none = { status: 403, code: 'AccessForbidden', vary: null }
  expect(await preflight(origin, 'GET')).toEqual(none)
  await set([
    rule({ AllowedHeaders: ['X-Amz-Meta-*', 'content-type'], ExposeHeaders: ['ETag'], MaxAgeSeconds: 60 }),
    rule({ AllowedMethods: ['PUT', 'DELETE'] }),
  ])
  const allowed = {
    ...{ status: 200, vary: VARY, 'allow-origin': origin, 'allow-credentials': 'true', 'allow-methods': 'GET' },
    ...{ 'expose-headers': 'ETag', 'max-age': '60' },
  }
  expect(await preflight(origin, 'GET')).toEqual(allowed)
  const headers = { 'access-control-request-headers': 'Content-Type, x-amz-meta-a' }
  expect(await preflight(origin, 'GET', headers)).toEqual({
    ...allowed,
    'allow-headers': 'content-type, x-amz-meta-a',
  })
  expect(await preflight(origin, 'DELETE')).toMatchObject({ status: 200, 'allow-methods': 'PUT, DELETE' })
  expect(await preflight(origin, 'GET', {}, '')).toEqual(allowed)
  expect(await preflight(origin, 'GET', {}, '/never/there')).toEqual(allowed)
  expect(await preflight(origin, 'GET', {}, `-of-nobody`)).toEqual(none)
  expect(await preflight(origin, 'POST')).toEqual(none)
  expect(await preflight('https://b.example', 'GET')).toEqual(none)
  expect(await preflight(origin, 'GET', { 'access-control-request-headers': 'x-amz-acl' })).toEqual(none)
  expect(await preflight(origin, 'PUT', headers)).toEqual(none)
})

it('accepts up to 100 headers in a preflight and in a rule', async () => {
  await set([rule({ AllowedHeaders: [...many(99), 'x-amz-*'] })])
  const asked = (names: string[]) =>
    preflight('https://a.example', 'GET', { 'access-control-request-headers': names.join(',') })
  expect(await asked([...many(99), 'X-Amz-Date'])).toMatchObject({ status: 200 })
  expect(await asked([...many(99), 'x-other'])).toMatchObject({ status: 403, code: 'AccessForbidden' })
  expect(await asked([...many(99), 'x-amz-date', 'x-amz-acl'])).toMatchObject({ status: 403, code: 'AccessForbidden' })
})

it.each([
  ['*', '*', undefined],
  ['https://a.example', 'https://a.example', 'true'],
  ['https://*.example', 'https://a.example', 'true'],
  ['https://b.example', undefined, undefined],
])('allows credentials only if the rule names the origin: %s', async (allowed, told, credentials) => {
  await set([rule({ AllowedOrigins: [allowed] })])
  const origin = 'https://a.example'
  const said = { 'allow-origin': told, 'allow-credentials': credentials, vary: told === undefined ? null : VARY }
  const pick = ({ vary, ...it }: Record<string, unknown>) => ({
    ...{ 'allow-origin': it['allow-origin'], 'allow-credentials': it['allow-credentials'], vary },
  })
  expect(pick(await preflight(origin, 'GET'))).toEqual(said)
  expect(pick(await ask('GET', '/open', { origin }))).toEqual(said)
})

it.each([
  ['*suffix', ['foo.suffix', 'suffix'], ['foo.bar', 'foo.suffix.get']],
  ['start*end', ['startend', 'start1end'], ['0start12end', 'start', 'starend']],
  ['prefix*', ['prefix', 'prefix.suffix'], ['bla.prefix']],
])('matches any characters with one * in %s', async (pattern, alike, unlike) => {
  await set([rule({ AllowedOrigins: [pattern] })])
  for (const origin of alike)
    expect(await ask('GET', '/open', { origin })).toMatchObject({ status: 200, 'allow-origin': origin })
  for (const origin of unlike) expect(await ask('GET', '/open', { origin })).toEqual({ status: 200, vary: null })
})

it('also adds CORS headers to errors, and adds none if no rule matches', async () => {
  const origin = 'https://a.example'
  await set([rule({ ExposeHeaders: ['x-amz-request-id'], MaxAgeSeconds: 5 }), rule({ AllowedMethods: ['PUT'] })])
  const read = { 'allow-origin': origin, 'allow-methods': 'GET', 'expose-headers': 'x-amz-request-id', 'max-age': '5' }
  expect(await ask('GET', '/open', { origin })).toMatchObject({ status: 200, ...read })
  expect(await ask('GET', '/private', { origin })).toMatchObject({ status: 403, code: 'AccessDenied', ...read })
  expect(await ask('PUT', '/private', { origin })).toMatchObject({ status: 403, 'allow-methods': 'PUT' })
  // the method may also be given as in a preflight
  const as = (method: string) => ask('PUT', '/private', { origin, 'access-control-request-method': method })
  expect(await as('GET')).toMatchObject({ status: 403, ...read })
  expect(await as('DELETE')).toEqual({ status: 403, code: 'AccessDenied', vary: null })
  expect(await ask('HEAD', '/open', { origin })).toEqual({ status: 200, vary: null })
  expect(await ask('GET', '/open', {})).toEqual({ status: 200, vary: null })
})
