import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { S3Client, type S3ServiceException } from '@aws-sdk/client-s3'
import * as s3 from '@aws-sdk/client-s3'
import { flavors } from '@mainstay/contract/compute/flavors'
import { fillPath, paramNames, type Endpoint } from '@mainstay/contract/core/endpoint'
import { identityProviders } from '@mainstay/contract/identity/identity-providers'
import { S3_PROXY_PATH } from '@mainstay/contract/object-storage/s3-proxy'
import { allEndpoints, allKinds } from '@mainstay/contract/resources'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { needs } from '../../../../tools/lib/vitest/host-features'
import { limits } from '../../limits'
import { signIn } from '../api-client'
import { jsonSchemaOf } from '../arbitrary'
import { createSamples } from '../create-samples'
import { knownIds, type KnownIds } from '../known-ids'
import { largestBodies } from './largest'
import { browser } from '../outside/provider-fixture'
import { assertionXml, makeSamlKey, responseXml, SAML_ISSUER } from '../outside/saml-response'
import { PASSWORD } from '../personas'
import { testDatabase, type TestDatabase } from '../postgres/postgres'
import { hostileRequests } from '../s3/hostile-requests'
import { removeData, startProgram, type ServerProgram } from '../server-program'
import { startServer } from '../start-server'

/*
 * Limits how long one request can block the server for everyone else, measured as CPU time of the main thread in one
 * turn of its event loop. Every call receives the largest input that it accepts, both anonymously and from a project
 * member, on all three ports.
 */

/** Maximum duration of a turn in milliseconds. */
const MOST_MS = 50
/** Maximum length of a stream in bytes. */
const STREAM_BYTES = 1024 * 1024

/** Calls that may take longer, with their limit in milliseconds and the reason. */
const dearer: Record<string, { ms: number; why: string }> = {}

const names = ['one', 'two', 'three']
const Bucket = 'priced'
let program: ServerProgram
let database: TestDatabase
let known: KnownIds
let token = ''
let endpoint = ''
let providerId = ''
let client: S3Client

beforeAll(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-price-'))
  database = await testDatabase()
  // a server in this process creates the data; a separate one serves it later
  const maker = await startServer({ world: 'demo', keep: { folder, databaseUrl: database.url } })
  await maker.call(flavors.list, { as: 'superuser' })
  for (const who of ['project-member', 'other-member'] as const)
    for (const name of names) await createSamples(maker, who, name)
  const provider = await maker.call(identityProviders.create, {
    as: 'domain-admin',
    body: {
      ...{ name: 'The company', protocol: 'saml', issuer: SAML_ISSUER, certificates: [makeSamlKey().cert] },
      ...{ sso_url: 'https://saml.company.example/sso', mapping: { claims: { name: 'sub' } } },
    },
  })
  providerId = provider.id
  known = await knownIds(maker, names)
  const { user, domain } = maker.cast.people['project-member']
  const port = maker.tools.ports['object-storage']
  await port.account({ user_id: user.id, domain_id: domain.id }, true)
  const key = await port.createKey(user.id, null)
  await maker.close()

  const probe = new URL('./longest-turn.mjs', import.meta.url).href
  program = await startProgram({
    ...{ folder, world: 'demo' },
    environment: { DATABASE_URL: database.url, NODE_OPTIONS: `--import ${probe}` },
  })
  const who = { username: user.name, password: PASSWORD, domain: 'alpha', project: 'alpha-one' }
  const member = await signIn(program.url, who)
  token = member.token
  endpoint = (await member.call(allEndpoints.s3Service.view)).endpoint!
  client = new S3Client({
    ...{ endpoint, region: 'us-east-1', forcePathStyle: true, maxAttempts: 1 },
    credentials: { accessKeyId: key.acc_key, secretAccessKey: key.sec_key },
  })
  await client.send(new s3.CreateBucketCommand({ Bucket }))
  // allow everything for objects whose key begins with `wall`, so that no request is refused early
  const Statement = [{ Effect: 'Allow', Principal: '*', Action: 's3:*', Resource: `arn:aws:s3:::${Bucket}/wall*` }]
  await client.send(new s3.PutBucketPolicyCommand({ Bucket, Policy: JSON.stringify({ Statement }) }))
  await client.send(new s3.PutObjectCommand({ Bucket, Key: 'wall', Body: 'x' }))
}, 300_000)
afterAll(async () => {
  client.destroy()
  await program.stop()
  await removeData(program.folder)
  await database.drop()
})

let asked = 0
/** Returns the longest turn of the server since the previous call, in milliseconds. */
async function longestTurn(): Promise<number> {
  process.kill(program.pid, 'SIGUSR2')
  const pattern = new RegExp(`longest turn ${++asked}: (\\S+) ms`)
  return vi.waitFor(() => Number(pattern.exec(program.said().slice(-4000))![1]), { interval: 2 })
}

/** The requests for one call. They are measured one by one only if they are too expensive together. */
interface Priced {
  name: string
  requests: { what: string; send: () => Promise<unknown> }[]
}

/**
 * Returns the most expensive request for a call, or null if all are cheap. Repeats the measurement, because one turn
 * may include garbage collection.
 */
async function dearest({ requests }: Priced): Promise<{ what: string; ms: number } | null> {
  await longestTurn()
  for (const { send } of requests) await send()
  if ((await longestTurn()) <= MOST_MS) return null
  let most: { what: string; ms: number } | null = null
  for (const { what, send } of requests) {
    let ms = Infinity
    for (let tries = 3; ms > MOST_MS && tries > 0; tries--) {
      await send()
      ms = Math.min(ms, await longestTurn())
    }
    if (ms > MOST_MS && ms > (most?.ms ?? 0)) most = { what, ms }
  }
  return most
}

/** Describes the calls that exceed their limit. */
async function tooDear(calls: readonly Priced[]): Promise<string[]> {
  const faults: string[] = []
  for (const call of calls) {
    const found = await dearest(call)
    if (found && found.ms > (dearer[call.name]?.ms ?? MOST_MS))
      faults.push(`${call.name}: ${found.ms.toFixed(0)} ms for ${found.what}`)
  }
  return faults
}

const send = async (url: string, init: RequestInit): Promise<void> => {
  // a request refused before it is read may reset the connection
  await fetch(url, { redirect: 'manual', ...init }).then(
    (answer) => answer.arrayBuffer(),
    () => undefined,
  )
}

/** Strings of 12 000 characters in each part of a URL. Headers and the URL together are limited to 16 KiB. */
const longQueries = (call: string): string[] => {
  const filters = Object.keys(Object.values(allKinds).find((it) => call.startsWith(`${it.name}s.`))?.filters ?? {})
  const many = Array.from({ length: 1200 }, (_, at) => `v${at}`).join(',')
  return [
    ...['a', '%25', '_%25', '%CC%88', '%5C'].map((text) => `search=${text.repeat(Math.floor(12_000 / text.length))}`),
    `sort=${many}`,
    `params=${encodeURIComponent(`{"filters":{"name":"${'a'.repeat(8000)}"}}`)}`,
    `params=${encodeURIComponent('['.repeat(3000))}`,
    Array.from({ length: 1500 }, (_, at) => `q${at}=1`).join('&'),
    ...['name', 'status', ...filters].map((filter) => `${filter}=in:${many}`),
  ]
}

/** The requests that one caller makes for a call of the contract. */
function requestsOf(name: string, call: Endpoint, url: string, as: string | null): Priced {
  const ids = known.below(call.path)
  const params = Object.fromEntries(paramNames(call.path).map((param, at) => [param, ids[at % ids.length] ?? '-']))
  const target = url + fillPath(call.path, params)
  const signed: Record<string, string> = as === null ? {} : { 'x-auth-token': as }
  const bytes = call.needs === 'public' ? limits.body.publicBytes : limits.body.signedInBytes
  const json = { ...signed, 'content-type': 'application/json' }
  const headers = Object.keys(call.headers ? (jsonSchemaOf(call.headers).properties ?? {}) : {})
  const requests = [
    ...largestBodies(call, bytes, known.of).map((body, at) => ({
      what: `body ${at}, ${body.slice(0, 60)}… (${body.length})`,
      send: () => send(target, { method: call.verb, headers: json, body }),
    })),
    ...(call.bytes === 'in'
      ? ['0', 'a', btoa('name')].map((value) => ({
          what: `a stream, headers ${value}`,
          send: () =>
            send(target, {
              method: call.verb,
              headers: {
                ...signed,
                'content-type': 'application/octet-stream',
                ...Object.fromEntries(headers.map((header) => [header, value])),
              },
              body: randomBytes(STREAM_BYTES),
            }),
        }))
      : []),
    ...(call.query || call.verb === 'GET'
      ? longQueries(name).map((query) => ({
          what: query.slice(0, 60),
          send: () => send(`${target}?${query}`, { method: call.verb, headers: signed }),
        }))
      : []),
  ]
  const plain = { what: 'nothing', send: () => send(target, { method: call.verb, headers: signed }) }
  return { name: `${as === null ? 'nobody' : 'member'} ${name}`, requests: requests.length > 0 ? requests : [plain] }
}

// these calls would end the caller's session or account for the rest of the run
const endsSession = new Set(['session.logout', 'session.logoutAtProvider', 'account.endOtherSessions'])
const calls = Object.entries(allEndpoints).flatMap(([resource, table]) =>
  Object.entries(table as Record<string, Endpoint>).map(([name, call]) => [`${resource}.${name}`, call] as const),
)

const options = { timeout: 1_800_000, ...needs('scheduling statistics') }

test.each(['self-service', 'admin'] as const)(
  'no call on the %s port blocks the event loop',
  options,
  async (panel) => {
    const url = panel === 'admin' ? program.adminUrl : program.url
    const anonymous = calls.filter(([, { needs: right }]) => right === 'public')
    const members = calls.filter(([name]) => !endsSession.has(name))
    const faults = await tooDear([
      ...anonymous.map(([name, call]) => requestsOf(name, call, url, null)),
      ...members.map(([name, call]) => requestsOf(name, call, url, token)),
    ])
    expect(faults.join('\n')).toBe('')
    // the member must still be signed in
    expect((await fetch(`${url}/api/v2/meta`, { headers: { 'x-auth-token': token } })).status).not.toBe(401)
  },
)

test('no SAML response blocks the event loop', options, async () => {
  const acs = `${program.url}/auth/landing/saml/default`
  const said = { acs, audience: `${acs}/metadata`, requestId: '_r', sub: 'x' }
  const elements = (count: number) =>
    responseXml(said, assertionXml(said).replace('</saml:Assertion>', `${'<a/>'.repeat(count)}</saml:Assertion>`))
  const texts: Record<string, string> = {
    'many elements': elements(limits.samlResponse.tags / 2 - 30),
    'too many elements': elements(50_000),
    'deep elements': '<a>'.repeat(60_000),
    'many attributes': `<a ${Array.from({ length: 20_000 }, (_, at) => `a${at}="b"`).join(' ')}/>`,
    'long text': responseXml(said, `<b>${'a'.repeat(250_000)}</b>`),
    entities: `<a>${'&amp;'.repeat(50_000)}</a>`,
    'document type': `<!DOCTYPE a [${'<!ENTITY b "bb">'.repeat(10_000)}]><a/>`,
    'no document': '<'.repeat(250_000),
  }
  const requests = Object.entries(texts).map(([what, xml]) => ({
    what,
    async send() {
      const one = browser()
      const { address } = await one.begin(providerId, program.url)
      const RelayState = new URL(address).searchParams.get('RelayState') ?? ''
      await one.follow(await one.post(acs, { SAMLResponse: Buffer.from(xml).toString('base64'), RelayState }))
    },
  }))
  const fields = Array.from({ length: 30_000 }, (_, at) => `f${at}=1`).join('&')
  const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  for (const to of [acs, `${program.url}/auth/landing`])
    requests.push({ what: 'a form with many fields', send: () => send(to, { ...form, body: fields }) })
  expect((await tooDear([{ name: 'samlResponse', requests }])).join('\n')).toBe('')
})

/** The most expensive bucket configurations that a member can create. */
const dearBuckets = (): Record<string, object> => {
  const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))
  const to = { Bucket }
  const policy = (...Statement: object[]) =>
    new s3.PutBucketPolicyCommand({ ...to, Policy: JSON.stringify({ Statement }).slice(0, 20_480) })
  const allow = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject' }
  return {
    'a policy of many resources': policy({
      ...allow,
      Resource: many(100, (at) => `arn:aws:s3:::${Bucket}/*${at}*a*a*b`),
    }),
    'a policy of one long pattern': policy({
      ...{ ...allow, Resource: `arn:aws:s3:::${Bucket}/*` },
      Condition: { StringLike: { 'aws:Referer': [`*${'a*'.repeat(300)}b`] } },
    }),
    '1 000 keys to delete': new s3.DeleteObjectsCommand({
      ...to,
      Delete: { Objects: many(1000, (at) => ({ Key: `wall${'a'.repeat(1000)}${at}` })) },
    }),
    '100 rules of other sites': new s3.PutBucketCorsCommand({
      ...to,
      CORSConfiguration: {
        CORSRules: many(100, (at) => ({
          ...{ AllowedMethods: ['GET', 'PUT'], AllowedOrigins: [`https://*.a${at}.example`, '*'] },
          AllowedHeaders: many(15, (header) => `x-*-${header}`),
        })),
      },
    }),
    '1 000 rules of a lifecycle': new s3.PutBucketLifecycleConfigurationCommand({
      ...to,
      LifecycleConfiguration: {
        Rules: many(1000, (at) => ({
          ...{ ID: `rule-${at}`, Status: 'Enabled', Expiration: { Days: at + 1 }, Filter: { Prefix: `p${at}/` } },
        })),
      },
    }),
    '50 tags of a bucket': new s3.PutBucketTaggingCommand({
      ...to,
      Tagging: { TagSet: many(50, (at) => ({ Key: `k${at}`.padEnd(128, 'k'), Value: 'v'.repeat(256) })) },
    }),
    'an upload of 10 000 parts': new s3.CompleteMultipartUploadCommand({
      ...{ ...to, Key: 'wall', UploadId: 'none' },
      MultipartUpload: { Parts: many(10_000, (at) => ({ PartNumber: at + 1, ETag: `"${'a'.repeat(32)}"` })) },
    }),
  }
}

test('no anonymous, signed or console request to object storage blocks the event loop', options, async () => {
  const asSession = { 'x-auth-token': token, authorization: 'AWS4-HMAC-SHA256 Credential=session' }
  const doors: Record<string, [string, Record<string, string>]> = {
    nobody: [endpoint, {}],
    session: [`${program.url}${S3_PROXY_PATH}`, asSession],
  }
  const header = (length: number, name: (at: number) => string) => Array.from({ length }, (_, at) => name(at)).join(',')
  const big: [string, string, RequestInit][] = [
    ['GET', '/wall', { headers: { referer: 'a'.repeat(12_000) } }],
    ['GET', `/wall${'a'.repeat(1020)}`, {}],
    [
      'OPTIONS',
      '/wall',
      {
        headers: {
          ...{ origin: 'https://a.example', 'access-control-request-method': 'GET' },
          'access-control-request-headers': header(3000, (at) => `h${at.toString(36)}`),
        },
      },
    ],
    ['PUT', '/wall-bytes', { body: randomBytes(STREAM_BYTES) }],
    ['GET', `?${Array.from({ length: 2500 }, (_, at) => `q${at}`).join('&')}`, {}],
    [
      'GET',
      '/wall',
      {
        headers: {
          authorization: `AWS4-HMAC-SHA256 Credential=a/20260101/r/s3/aws4_request, SignedHeaders=${'a;'.repeat(5000)}, Signature=b`,
        },
      },
    ],
    ['GET', '/wall', { headers: { authorization: `AWS ${'a'.repeat(10_000)}:b` } }],
  ]
  const through = (set: string): Priced[] =>
    Object.entries(doors).map(([who, [door, headers]]) => ({
      name: `s3 by ${who}, ${set}`,
      requests: [
        ...hostileRequests(Bucket).map(([method, at, more, body]) => ({
          what: `${method} ${at.slice(0, 60)} ${JSON.stringify(more ?? {}).slice(0, 60)} ${(body ?? '').slice(0, 60)}`,
          send: () =>
            send(`${door}/${Bucket}${at}`, {
              method,
              headers: { ...headers, ...more },
              ...(body !== undefined && { body }),
            }),
        })),
        ...big.map(([method, at, init]) => ({
          what: `${method} ${at.slice(0, 60)} (large)`,
          send: () =>
            send(`${door}/${Bucket}${at}`, {
              ...init,
              method,
              headers: { ...headers, ...(init.headers as Record<string, string>) },
            }),
        })),
      ],
    }))
  const faults = await tooDear(through('plain bucket'))
  for (const [what, command] of Object.entries(dearBuckets())) {
    // refused requests must also be cheap
    const make = () => client.send(command as s3.PutObjectCommand).catch((error: S3ServiceException) => error.name)
    faults.push(...(await tooDear([{ name: `s3 by member, ${what}`, requests: [{ what, send: make }] }])))
    faults.push(...(await tooDear(through(what))))
  }
  expect(faults.join('\n')).toBe('')
})
