import * as fc from 'fast-check'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { allEndpoints, allKinds } from '@mainstay/contract/resources'
import { flavors } from '@mainstay/contract/compute/flavors'
import { ANY_PARENT, fillPath, paramNames, type Endpoint } from '@mainstay/contract/core/endpoint'
import { ProblemBody } from '@mainstay/contract/core/problems'
import { isServedAt } from '@mainstay/contract/panels'
import { arbitraryOf, hostileText, hostileTexts, seldom } from './arbitrary'
import { createSamples, pathWords } from './create-samples'
import { knownIds, type KnownIds } from './known-ids'
import { singleFaultBodies } from './single-fault-bodies'
import type { PersonaName } from './personas'
import { startServer, type TestServer } from './start-server'
import { rounds, seedOr } from '../../../tools/lib/tier.mjs'

/*
 * Sends every call of the contract as every user, with bodies, queries, headers and paths that are generated from the
 * schemas and then damaged. Every response must conform to the contract: it is never a 5xx, and errors have the
 * standard format.
 */

/** About four requests per call in the gate; the target is 20 000 across all roles. */
const REQUESTS = rounds({ gate: 1_900, all: 20_000, long: 200_000 })
const SEED = seedOr(20_261_121)
const AT_ONCE = 12

const people: (PersonaName | 'nobody' | 'forged')[] = [
  'superuser',
  'viewer',
  'compute-operator',
  'domain-admin',
  'domain-admin@alpha-one',
  'project-member',
  'project-admin',
  'service-account',
  'other-member',
  'nobody',
  'forged',
]

interface Shot {
  name: string
  endpoint: Endpoint
  who: (typeof people)[number]
  path: string
  headers: Record<string, string>
  body: string | undefined
}

let server: TestServer
const agent = new Agent({ connections: AT_ONCE, pipelining: 1 })
beforeAll(async () => {
  server = await startServer({ world: 'demo' })
  await furnishAll()
})
afterAll(async () => {
  await agent.destroy()
  await server.close()
})

let flavorId = ''
const names = ['one', 'two', 'three']
/** Adds three objects of each kind to the test world, in one project in each domain. */
async function furnishAll(): Promise<void> {
  flavorId = (await server.call(flavors.list, { as: 'superuser' })).data[0]!.id
  for (const who of ['project-member', 'other-member', 'superuser'] as const)
    for (const name of names) await createSamples(server, who, name)
}

/** Restricts header values to characters that a client can send. */
const asHeader = (value: unknown) =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).replace(/[^\x20-\x7e\xa0-\xff]/g, '?').trim()
/** A path cannot contain lone surrogates. */
const wellFormed = (text: string) => text.replace(/\p{Surrogate}/gu, '?')

/** Half of the calls come from users who may do most, so that they get past the check of permissions. */
const caller = fc.oneof(fc.constantFrom('superuser' as const, 'project-member' as const), fc.constantFrom(...people))

function shotsOf(name: string, endpoint: Endpoint, words: fc.Arbitrary<string>, known: KnownIds): fc.Arbitrary<Shot> {
  const ids = known.below(endpoint.path)
  const nested = known.nested(endpoint.path)
  const none = fc.constant(undefined)
  const filters = Object.keys(
    Object.values(allKinds).find((it) => name.startsWith(it.name))?.filters ?? { name: 1, status: 1 },
  )
  const query = endpoint.query
    ? fc.dictionary(
        fc.oneof(
          fc.constantFrom(
            'limit',
            'marker',
            'sort',
            'search',
            'with_count',
            'params',
            'ip_address',
            'size',
            ...filters,
          ),
          hostileText,
        ),
        fc.oneof(
          words,
          hostileText,
          fc.constantFrom('name:desc', '5', 'in:ACTIVE,ERROR', 'gte:x', 'any:None', 'in:1,5000000,x'),
          fc.constantFrom('{"usage":true}', '{"__proto__":1}', '{"params":"{}"}', '[1]', '{"a":[1]}'),
        ),
        { maxKeys: 4 },
      )
    : fc.dictionary(hostileText, hostileText, { maxKeys: 1 })
  const oddHeaders = fc.dictionary(
    fc.constantFrom(
      'if-match',
      'x-request-id',
      'content-type',
      'accept',
      'origin',
      'sec-fetch-site',
      'x-requested-with',
      'cookie',
      'range',
    ),
    hostileText.map(asHeader),
    { maxKeys: 2 },
  )
  const headers = endpoint.headers ? arbitraryOf(endpoint.headers, words) : fc.constant({})
  return fc
    .record({
      who: caller,
      params: fc.tuple(
        ...paramNames(endpoint.path).map((param) =>
          fc.oneof(
            { weight: 6, arbitrary: fc.constantFrom(...(pathWords[param] ?? ids)) },
            { weight: 1, arbitrary: words },
          ),
        ),
      ),
      // the IDs of a row and its actual parent, which random values would almost never match
      place: nested.length > 0 ? fc.oneof(fc.constant({}), fc.constantFrom(...nested)) : fc.constant({}),
      query,
      headers,
      odd: seldom(oddHeaders, {}),
      body: endpoint.body
        ? fc.oneof(arbitraryOf(endpoint.body, words), ...singleFaultBodies(name, endpoint, known.of, flavorId, words))
        : endpoint.bytes === 'in'
          ? fc.string({ maxLength: 600 })
          : none,
      raw: seldom(fc.constantFrom('{', '[1', '\u0000', '{"a":'.repeat(400), '"x"'), undefined),
    })
    .map(({ who, params, place, query, headers, odd, body, raw }) => {
      const values: Record<string, string> = {
        ...Object.fromEntries(paramNames(endpoint.path).map((param, at) => [param, (params[at] ?? '') || ANY_PARENT])),
        ...place,
      }
      const search = new URLSearchParams(
        Object.entries(query).map(([key, value]) => [wellFormed(key), wellFormed(value)]),
      ).toString()
      const sent =
        raw ??
        (body === undefined ? undefined : typeof body === 'string' && endpoint.bytes ? body : JSON.stringify(body))
      return {
        name,
        endpoint,
        who,
        path:
          fillPath(
            endpoint.path,
            Object.fromEntries(Object.entries(values).map(([key, value]) => [key, wellFormed(value)])),
          ) + (search ? `?${search}` : ''),
        headers: {
          ...(sent !== undefined && {
            'content-type': endpoint.bytes ? 'application/octet-stream' : 'application/json',
          }),
          ...Object.fromEntries(
            Object.entries(Object(headers) as Record<string, unknown>).map(([key, value]) => [
              key.replace(/[^\w-]/g, '') || 'x-odd',
              asHeader(value),
            ]),
          ),
          ...odd,
        },
        body: sent,
      }
    })
}

async function fire(shot: Shot): Promise<{ status: number; text: string }> {
  const token = shot.who === 'nobody' ? null : shot.who === 'forged' ? 'f'.repeat(43) : await server.signIn(shot.who)
  const url = isServedAt('self-service', shot.endpoint) ? server.url : server.adminUrl
  const { statusCode, body } = await request(`${url}${shot.path}`, {
    dispatcher: agent,
    method: shot.endpoint.verb,
    headers: { ...shot.headers, ...(token !== null && { 'x-auth-token': token }) },
    body: shot.endpoint.verb === 'GET' ? null : (shot.body ?? null),
  })
  return { status: statusCode, text: await body.text() }
}

/** Returns what is wrong with a response, or null. */
function faultOf({ endpoint }: Shot, status: number, text: string): string | null {
  if (status >= 500) return `${status} ${text.slice(0, 300)}`
  if (status >= 400) {
    const read = ProblemBody.safeParse(parsed(text))
    return read.success ? null : `${status} with another body than a problem: ${text.slice(0, 200)}`
  }
  if (endpoint.bytes === 'out' || text === '') return null
  const read = endpoint.reply.safeParse(parsed(text))
  return read.success ? null : `a reply that is not the contract's: ${read.error.message.slice(0, 300)}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// These calls would sign the caller out, or end its other sessions, for the rest of the run.
const ownSessionOnly = new Set(['session.logout', 'session.logoutAtProvider', 'account.endOtherSessions'])

it(
  'answers any input without an internal error',
  { timeout: rounds({ gate: 600_000, all: 1_200_000, long: 7_200_000 }) },
  async () => {
    const known = await knownIds(server, names)
    const words = fc.oneof(fc.constantFrom(...known.all), fc.constantFrom(...hostileTexts), hostileText)
    const calls = Object.entries(allEndpoints).flatMap(([resource, table]) =>
      Object.entries(table as Record<string, Endpoint>).map(
        ([name, endpoint]) => [`${resource}.${name}`, endpoint] as const,
      ),
    )
    const each = Math.ceil(REQUESTS / calls.length)
    // a seed for each call, so that not all calls come from the same few users
    const shots = calls.flatMap(([name, endpoint], at) =>
      fc
        .sample(shotsOf(name, endpoint, words, known), { numRuns: each, seed: SEED + at })
        .map((shot): Shot => (ownSessionOnly.has(name) ? { ...shot, who: 'forged' } : shot)),
    )
    // Interleaves the calls in a fixed order.
    const mixed = shots.map((shot, at) => [(at * 7919) % shots.length, shot] as const).sort((a, b) => a[0] - b[0])

    // Sign in before the first wrong password: too many of them would lock everyone out for a while.
    for (const who of people) if (who !== 'nobody' && who !== 'forged') await server.signIn(who)
    const faults: string[] = []
    const statuses: Record<string, number> = {}
    let next = 0
    const worker = async (): Promise<void> => {
      while (next < mixed.length && faults.length < 20) {
        const shot = mixed[next++]![1]
        const { status, text } = await fire(shot)
        statuses[status] = (statuses[status] ?? 0) + 1
        const fault = faultOf(shot, status, text)
        if (fault)
          faults.push(
            `${shot.name} as ${shot.who}: ${shot.endpoint.verb} ${shot.path.slice(0, 200)} ${(shot.body ?? '').slice(0, 200)}\n    ${fault}`,
          )
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    expect(faults.join('\n')).toBe('')
    expect(mixed.length).toBeGreaterThanOrEqual(REQUESTS)
    // At least some requests were not refused early.
    expect(statuses[200] ?? 0).toBeGreaterThan(REQUESTS / 50)
    expect(statuses[202] ?? 0).toBeGreaterThan(10)
  },
)
