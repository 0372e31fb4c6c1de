import { setTimeout as pause } from 'node:timers/promises'

/*
 * A simple OpenStack client for tests. It creates and deletes test objects and reads the actual state of the cloud
 * independently of the engine's client, which may be under test.
 */

/** URL and credentials of a cloud. */
export interface CloudAccess {
  authUrl: string
  username: string
  password: string
  userDomain: string
  projectName: string
  projectDomain: string
  region: string | null
}

const serviceTypes = {
  identity: ['identity'],
  compute: ['compute'],
  image: ['image'],
  network: ['network'],
  volume: ['volumev3', 'block-storage'],
  placement: ['placement'],
  'load-balancer': ['load-balancer'],
  'key-manager': ['key-manager'],
} as const
export type PlainService = keyof typeof serviceTypes

/** API versions whose response formats the tests expect. */
const microversions: Partial<Record<PlainService, string>> = {
  compute: 'compute 2.93',
  volume: 'volume 3.59',
  placement: 'placement 1.18',
}

export interface PlainClient {
  userId: string
  projectId: string
  /** Whether the catalogue contains the service. */
  has(service: PlainService): boolean
  /** The token, for tests that verify which token is sent. */
  token: string
  /** Requests `path` below the versioned root of the service and returns the JSON body. Throws `RefusedByCloud`. */
  call<Answer>(service: PlainService, verb: string, path: string, body?: unknown): Promise<Answer>
  /** Uploads bytes with PUT. */
  upload(service: PlainService, path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>
  /** Returns all rows of all pages of a list. `key`: name of the list in the response. */
  list<Row>(service: PlainService, path: string, key: string): Promise<Row[]>
}

export class RefusedByCloud extends Error {
  readonly status: number
  constructor(what: string, status: number, text: string) {
    super(`${what} was answered with ${status}: ${text.slice(0, 500)}`)
    this.name = 'RefusedByCloud'
    this.status = status
  }
}

interface TokenAnswer {
  token: {
    user: { id: string }
    project: { id: string }
    catalog: { type: string; endpoints: { interface: string; region_id: string; url: string }[] }[]
  }
}

async function answerOf(response: Response, what: string): Promise<unknown> {
  const text = await response.text()
  if (!response.ok) throw new RefusedByCloud(what, response.status, text)
  return text === '' ? undefined : JSON.parse(text)
}

/** Signs in with a password and project scope. */
export async function signInPlainly(access: CloudAccess): Promise<PlainClient> {
  const identityRoot = access.authUrl.replace(/\/$/, '').replace(/\/v3$/, '') + '/v3'
  const response = await fetch(`${identityRoot}/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      auth: {
        identity: {
          methods: ['password'],
          password: {
            user: { name: access.username, password: access.password, domain: { name: access.userDomain } },
          },
        },
        scope: { project: { name: access.projectName, domain: { name: access.projectDomain } } },
      },
    }),
  })
  const { token: about } = (await answerOf(response, `signing in as ${access.username}`)) as TokenAnswer
  const token = response.headers.get('x-subject-token') ?? ''
  const has = (service: PlainService) => about.catalog.some(({ type }) => type === service)
  const roots: Record<PlainService, string> = {
    identity: identityRoot,
    compute: endpoint(about, 'compute', access.region),
    image: `${endpoint(about, 'image', access.region)}/v2`,
    network: `${endpoint(about, 'network', access.region)}/v2.0`,
    volume: endpoint(about, 'volume', access.region),
    placement: endpoint(about, 'placement', access.region),
    // not every cloud has these services
    'load-balancer': has('load-balancer') ? `${endpoint(about, 'load-balancer', access.region)}/v2.0` : '',
    'key-manager': has('key-manager') ? `${endpoint(about, 'key-manager', access.region)}/v1` : '',
  }

  async function call<Answer>(service: PlainService, verb: string, path: string, body?: unknown): Promise<Answer> {
    const version = microversions[service]
    const reply = await fetch(path.startsWith('http') ? path : `${roots[service]}${path}`, {
      method: verb,
      headers: {
        'x-auth-token': token,
        ...(version && { 'openstack-api-version': version }),
        ...(body !== undefined && { 'content-type': contentType(service, verb) }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return (await answerOf(reply, `${verb} ${service} ${path}`)) as Answer
  }

  async function upload(service: PlainService, path: string, body: Uint8Array<ArrayBuffer>): Promise<void> {
    const headers = { 'x-auth-token': token, 'content-type': 'application/octet-stream' }
    await answerOf(await fetch(`${roots[service]}${path}`, { method: 'PUT', headers, body }), `PUT ${service} ${path}`)
  }

  return {
    userId: about.user.id,
    projectId: about.project.id,
    has,
    token,
    call,
    upload,
    async list<Row>(service: PlainService, path: string, key: string) {
      const rows: Row[] = []
      let next: string | undefined = path
      while (next !== undefined) {
        const page: Record<string, unknown> = await call(service, 'GET', next)
        rows.push(...(page[key] as Row[]))
        next = nextPage(page, key, roots[service])
      }
      return rows
    },
  }
}

const contentType = (service: PlainService, verb: string) =>
  service === 'image' && verb === 'PATCH' ? 'application/openstack-images-v2.1-json-patch' : 'application/json'

const unversioned: readonly PlainService[] = ['network', 'image', 'load-balancer', 'key-manager']

function endpoint({ catalog }: TokenAnswer['token'], service: PlainService, region: string | null): string {
  const names: readonly string[] = serviceTypes[service]
  const found = catalog
    .filter(({ type }) => names.includes(type))
    .flatMap(({ endpoints }) => endpoints)
    .find((it) => it.interface === 'public' && (region === null || it.region_id === region))
  if (!found) throw new Error(`the catalogue has no ${service}`)
  return found.url.replace(/\/$/, '').replace(unversioned.includes(service) ? /\/v[12](\.0)?$/ : /$^/, '')
}

/**
 * Returns the URL of the next page: in `KEY_links` for compute, volumes and networks, in `next` or `links.next` for
 * other services.
 */
function nextPage(page: Record<string, unknown>, key: string, root: string): string | undefined {
  const links = page[`${key}_links`] as { rel: string; href: string }[] | undefined
  const href = links?.find(({ rel }) => rel === 'next')?.href
  const next = href ?? page['next'] ?? (page['links'] as { next?: string | null } | undefined)?.next
  if (typeof next !== 'string') return undefined
  return next.startsWith('/') ? `${new URL(root).origin}${next}` : next
}

/** Polls until `look` returns true. Throws after `seconds`; `what` describes the condition in the message. */
export async function waitUntil(what: string, look: () => Promise<boolean>, seconds = 180): Promise<void> {
  const end = Date.now() + seconds * 1000
  while (!(await look())) {
    if (Date.now() > end) throw new Error(`waited ${seconds} s in vain for ${what}`)
    await pause(500)
  }
}

/** Whether a request fails with 404; rethrows other errors. */
export const isGone = (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => false,
    (error: unknown) => {
      if (error instanceof RefusedByCloud && error.status === 404) return true
      throw error
    },
  )
