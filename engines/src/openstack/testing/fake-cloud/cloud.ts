import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Service } from '../../client/service-client'
import { pageOfRows } from './lists'
import { fakeKeystone, type FakeFederation, type FakePeople, type FakeToken } from './keystone'

/** A request that a service received. */
export interface Received {
  service: Service
  verb: string
  /** Path without the service's version, such as `/servers/detail`. */
  path: string
  /** Path parameters of the route, such as `:id`. */
  params: Record<string, string>
  query: URLSearchParams
  headers: IncomingMessage['headers']
  bytes: Buffer
  /** The parsed JSON body; undefined if it is not JSON. */
  body: unknown
  /** The caller and their scope; null without a valid token. */
  token: FakeToken | null
}

/** Response from a route; the status is 200 by default. `body` is sent as JSON, `text` unchanged. */
export interface Reply {
  status?: number
  headers?: Record<string, string>
  body?: unknown
  text?: string | Buffer
}
export type Answerer = (request: Received) => Reply | Promise<Reply>

export interface FakeCloud {
  /** Keystone URL for the client. */
  authUrl: string
  /** Versioned URLs of the services, without a project ID. */
  endpoints: Record<Service, string>
  /** Contents of the catalogue; tests may corrupt it. */
  catalogue: unknown[]
  /** Maximum microversions; tests may lower them. */
  microversions: { compute: string; volume: string; placement: string }
  /** Adds a route; `:name` matches any path segment. The most recent matching route wins. */
  on(service: Service, verb: string, path: string, answer: Answerer): void
  /**
   * Adds a list that is paginated like the service's own lists, with `limit`, `marker` and the service's link format.
   */
  list(service: Service, path: string, key: string, rows: readonly { id: string }[], mostRows?: number): void
  /** All received requests, newest last. */
  received: Received[]
  /** Expires all tokens that were issued so far. */
  expireTokens(): void
  /** Issues an unscoped token, as a sign-in through an identity provider does. */
  handOver(userId: string, federation: FakeFederation): string
  close(): Promise<void>
}

const roots: Record<Service, string> = {
  identity: '/identity/v3',
  compute: '/compute/v2.1',
  image: '/image/v2',
  network: '/network/v2.0',
  volume: '/volume/v3',
  placement: '/placement',
  'load-balancer': '/load-balancer/v2.0',
  'key-manager': '/key-manager/v1',
}
const services = Object.keys(roots) as Service[]
/** Services that not every cloud has. */
export type OptionalService = 'load-balancer' | 'key-manager'

const readAll = async (request: IncomingMessage) => {
  const parts: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts)
}
const parsed = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

function paramsOf(route: string, path: string): Record<string, string> | null {
  const [wanted, given] = [route.split('/'), path.split('/')]
  if (wanted.length !== given.length) return null
  const params: Record<string, string> = {}
  for (const [index, step] of wanted.entries()) {
    const own = decodeURIComponent(given[index] ?? '')
    if (step.startsWith(':')) params[step.slice(1)] = own
    else if (step !== own) return null
  }
  return params
}

const refused = (status: number, message: string): Reply => ({ status, body: { error: { code: status, message } } })

/**
 * Starts an HTTP server that acts as a cloud, with expiring tokens, a catalogue and versions. Tests add all other
 * routes. https://docs.openstack.org/api-ref/
 */
export async function startFakeCloud(
  people: Partial<FakePeople> = {},
  more: readonly OptionalService[] = [],
): Promise<FakeCloud> {
  const routes: { service: Service; verb: string; path: string; answer: Answerer }[] = []
  const received: Received[] = []
  const microversions = { compute: '2.93', volume: '3.70', placement: '1.39' }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const endpoints = Object.fromEntries(services.map((one) => [one, `${origin}${roots[one]}`])) as Record<
    Service,
    string
  >
  const catalogue: unknown[] = []
  const keystone = fakeKeystone(people, catalogue)

  const on: FakeCloud['on'] = (service, verb, path, respond) => {
    routes.unshift({ service, verb, path, answer: respond })
  }

  async function replyTo(call: Received): Promise<Reply> {
    if (call.service === 'identity' && call.path === '/auth/tokens') return keystone.answer(call)
    // browsers open these pages without a token
    const isPage = call.service === 'identity' && call.path.startsWith('/auth/OS-FEDERATION/')
    if (call.token === null && !isPage) return refused(401, 'The request you have made requires authentication.')
    for (const route of routes) {
      if (route.service !== call.service || route.verb !== call.verb) continue
      const params = paramsOf(route.path, call.path)
      if (params) return route.answer({ ...call, params })
    }
    return { status: 404, body: { itemNotFound: { code: 404, message: 'The resource could not be found.' } } }
  }

  /** Some services list their versions above the versioned root. */
  const told: Record<string, object> = {
    '/image/versions': { versions: ['v2.15', 'v2.7', 'v2.0'].map((id) => ({ id, status: 'SUPPORTED' })) },
    '/network/': { versions: [{ id: 'v2.0', status: 'CURRENT' }] },
    '/load-balancer/': { versions: ['v2.26', 'v2.0'].map((id) => ({ id, status: 'SUPPORTED' })) },
  }

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const url = new URL(request.url ?? '/', origin)
    const service = services.find((one) => url.pathname.startsWith(roots[one])) ?? 'identity'
    const bytes = await readAll(request).catch(() => null)
    if (!bytes) return
    const below = url.pathname.slice(roots[service].length)
    const call: Received = {
      service,
      verb: request.method ?? '',
      // the volume service has the project ID in its URLs
      path: service === 'volume' ? below.replace(/^\/[^/]+(?=\/)/, '') : below,
      params: {},
      query: url.searchParams,
      headers: request.headers,
      bytes,
      body: parsed(bytes),
      token: keystone.tokenOf(request.headers['x-auth-token']),
    }
    received.push(call)
    const versions = told[url.pathname]
    const { status = 200, headers = {}, body, text } = versions ? { body: versions } : await replyTo(call)
    response.writeHead(status, {
      'content-type': 'application/json',
      'x-openstack-request-id': `req-${randomUUID()}`,
      ...headers,
    })
    response.end(text ?? (body === undefined ? '' : JSON.stringify(body)))
  }

  const cloud: FakeCloud = {
    authUrl: endpoints.identity,
    endpoints,
    catalogue,
    microversions,
    on,
    received,
    list: (service, path, key, rows, mostRows = 1000) =>
      on(service, 'GET', path, ({ query }) => ({
        body: pageOfRows({ service, key, rows, query, mostRows, href: `${endpoints[service]}${path}` }),
      })),
    expireTokens: keystone.expireTokens,
    handOver: keystone.handOver,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  catalogue.push(
    ...catalogueAt(endpoints),
    ...more.map((service) => catalogueEntry(service, rootOf(endpoints[service]))),
  )
  offerVersions(cloud)
  return cloud
}

const rootOf = (endpoint: string) => endpoint.replace(/\/v[\d.]+$/, '')

/** As in real clouds, some URLs have no version, and the URL of the volume service contains the project ID. */
const catalogueAt = (endpoints: Record<Service, string>) =>
  [
    ['identity', endpoints.identity],
    ['compute', endpoints.compute],
    ['image', endpoints.image.replace('/v2', '')],
    ['network', endpoints.network.replace('/v2.0', '')],
    ['volumev3', `${endpoints.volume}/PROJECT`],
    ['placement', endpoints.placement],
  ].map(([type, url]) => catalogueEntry(type!, url!))

const catalogueEntry = (type: string, url: string) => ({
  ...{ type, name: type },
  endpoints: [{ interface: 'public', region: 'RegionOne', region_id: 'RegionOne', url }],
})

function offerVersions({ on, microversions }: FakeCloud) {
  on('compute', 'GET', '/', () => ({
    body: { version: { id: 'v2.1', status: 'CURRENT', version: microversions.compute, min_version: '2.1' } },
  }))
  on('volume', 'GET', '/', () => ({
    body: { versions: [{ id: 'v3.0', status: 'CURRENT', version: microversions.volume, min_version: '3.0' }] },
  }))
  on('placement', 'GET', '/', () => ({
    body: { versions: [{ id: 'v1.0', status: 'CURRENT', max_version: microversions.placement, min_version: '1.0' }] },
  }))
}
