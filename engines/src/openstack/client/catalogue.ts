import { problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { Service } from './service-client'

/** The catalogue as Keystone sends it. A malformed entry is skipped without affecting the others. */
export const WireCatalogue = z
  .array(
    z
      .object({
        type: z.string(),
        endpoints: z
          .array(
            z
              .object({
                interface: z.string(),
                url: z.string(),
                region: z.string().nullish(),
                region_id: z.string().nullish(),
              })
              .nullable()
              .catch(null),
          )
          .catch([]),
      })
      .nullable()
      .catch(null),
  )
  .catch([])
export type Catalogue = { type: string; interface: string; region: string | null; url: string }[]

export const readCatalogue = (wire: z.output<typeof WireCatalogue>): Catalogue =>
  wire.flatMap((entry) =>
    (entry?.endpoints ?? []).flatMap((endpoint) =>
      entry && endpoint
        ? [
            {
              type: entry.type,
              interface: endpoint.interface,
              region: endpoint.region_id ?? endpoint.region ?? null,
              url: endpoint.url,
            },
          ]
        : [],
    ),
  )

/** Options that select the endpoints to use. */
export interface EndpointOptions {
  region?: string
  interface?: 'public' | 'internal' | 'admin'
  /** URLs that override those in the catalogue. */
  overrides?: Partial<Record<Service, string>>
}

/**
 * Service types in order of preference, from https://service-types.openstack.org/service-types.json and from older
 * releases.
 */
const types: Record<Service, readonly string[]> = {
  identity: ['identity'],
  compute: ['compute'],
  image: ['image'],
  network: ['network'],
  volume: ['block-storage', 'volumev3', 'block-store', 'volume'],
  placement: ['placement'],
  'load-balancer': ['load-balancer'],
  'key-manager': ['key-manager'],
}

/**
 * The API version that this client supports: its path segment, and the version segments accepted in a catalogue URL.
 */
const versions: Record<Service, { path: string; spoken: RegExp } | null> = {
  identity: { path: 'v3', spoken: /^v3$/ },
  compute: { path: 'v2.1', spoken: /^v2\.1$/ },
  image: { path: 'v2', spoken: /^v2(\.\d+)?$/ },
  network: { path: 'v2.0', spoken: /^v2\.0$/ },
  volume: { path: 'v3', spoken: /^v3$/ },
  placement: null,
  'load-balancer': { path: 'v2.0', spoken: /^v2(\.0)?$/ },
  'key-manager': { path: 'v1', spoken: /^v1$/ },
}
const isVersion = /^v\d+(\.\d+)?$/

const name = (service: Service) => `the ${service} service`
const broken = (service: Service, what: string) =>
  problem(
    'core.wrong_catalogue',
    { name: name(service), what },
    { data: { service, status: null, cloud_request_id: null } },
  )

/** URLs of a service, without a trailing slash. */
export interface Endpoint {
  service: Service
  /** Base URL for request paths: `https://cloud/volume/v3/PROJECT`. */
  root: string
  /** Base URL up to the version, for version discovery: `https://cloud/volume/v3`. */
  versionRoot: string
}

function addressOf(service: Service, text: string): URL {
  if (/\$\(|%\(/.test(text)) throw broken(service, 'an address contains an unresolved placeholder')
  if (/[\s\\]/.test(text) || !URL.canParse(text)) throw broken(service, 'an address is not valid')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw broken(service, 'an address does not use HTTP or HTTPS')
  if (url.username || url.password) throw broken(service, 'an address contains a password')
  if (url.search || url.hash) throw broken(service, 'an address contains more than a path')
  return url
}

function endpointAt(service: Service, text: string, projectId: string | null): Endpoint {
  const url = addressOf(service, text)
  const steps = url.pathname.split('/').filter(Boolean)
  const version = versions[service]
  if (!version) {
    const root = [url.origin, ...steps].join('/')
    return { service, root, versionRoot: root }
  }
  const at = steps.findLastIndex((step) => isVersion.test(step))
  if (at < 0) steps.push(version.path)
  const found = at < 0 ? steps.length - 1 : at
  if (!version.spoken.test(steps[found] ?? '')) {
    throw problem(
      'core.wrong_version',
      { path: version.path, name: name(service), found: steps[found] ?? '' },
      { data: { service, needed: version.path } },
    )
  }
  const versionRoot = [url.origin, ...steps.slice(0, found + 1)].join('/')
  const below = steps.slice(found + 1)
  // Cinder expects the project ID in the URL
  if (service === 'volume' && below.length === 0 && projectId) below.push(projectId)
  return { service, versionRoot, root: [versionRoot, ...below].join('/') }
}

const isOldVolume = (service: Service, url: string) => service === 'volume' && /\/v[12](\/|$)/.test(url)

/**
 * Returns the endpoint for a service, or null if the service is not in the catalogue. Throws a Problem if its entry is
 * unusable.
 */
export function endpointOf(
  service: Service,
  catalogue: Catalogue,
  { region, interface: door = 'public', overrides = {} }: EndpointOptions,
  projectId: string | null,
): Endpoint | null {
  const override = overrides[service]
  if (override) return endpointAt(service, override, projectId)
  const ofType = types[service]
    .map((type) => catalogue.filter((entry) => entry.type === type && !isOldVolume(service, entry.url)))
    .find((entries) => entries.length > 0)
  if (!ofType) return null
  const here = ofType.filter((entry) => region === undefined || entry.region === region)
  if (here.length === 0) return null
  const regions = new Set(here.map((entry) => entry.region))
  const one = here.find((entry) => entry.interface === door)
  if (!one) throw broken(service, `no ${door} address is listed`)
  if (regions.size > 1) {
    const known = [...regions].join(', ')
    throw problem('core.several_regions', { known })
  }
  return endpointAt(service, one.url, projectId)
}

/** Returns the Keystone endpoint for the configured URL, with or without `/v3`. */
export const identityEndpoint = (authUrl: string): Endpoint => endpointAt('identity', authUrl, null)
