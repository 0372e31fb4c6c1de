import { problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { Service } from './service-client'

/** As the identity service tells it. What is broken in one entry does not spoil the others. */
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

/** Which of the cloud's endpoints this engine uses. */
export interface EndpointOptions {
  region?: string
  interface?: 'public' | 'internal' | 'admin'
  /** Addresses in place of those of the catalogue. */
  overrides?: Partial<Record<Service, string>>
}

/** Types by preference: https://service-types.openstack.org/service-types.json and what clouds had before it. */
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

/** Version that this client speaks: what it is called in an address, and which names of it are accepted there. */
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

/** The address of a service, without a slash at its end, and its version's own address. */
export interface Endpoint {
  service: Service
  /** What paths of calls are appended to: `https://cloud/volume/v3/PROJECT`. */
  root: string
  /** Up to the version, where the service tells of itself: `https://cloud/volume/v3`. */
  versionRoot: string
}

function addressOf(service: Service, text: string): URL {
  if (/\$\(|%\(/.test(text)) throw broken(service, 'an address has a gap that was not filled in')
  if (/[\s\\]/.test(text) || !URL.canParse(text)) throw broken(service, 'an address cannot be read')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw broken(service, 'an address is not one of HTTP')
  if (url.username || url.password) throw broken(service, 'an address holds a password')
  if (url.search || url.hash) throw broken(service, 'an address holds more than a path')
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
  // the volume service wants to be told the project in its address
  if (service === 'volume' && below.length === 0 && projectId) below.push(projectId)
  return { service, versionRoot, root: [versionRoot, ...below].join('/') }
}

const isOldVolume = (service: Service, url: string) => service === 'volume' && /\/v[12](\/|$)/.test(url)

/** Where a service is, or null where the catalogue does not have it. Throws a Problem where it has it but of no use. */
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
  if (!one) throw broken(service, `it has no ${door} address`)
  if (regions.size > 1) {
    const known = [...regions].join(', ')
    throw problem('core.several_regions', { known })
  }
  return endpointAt(service, one.url, projectId)
}

/** Where the identity service is, from the address in the configuration: with or without `/v3`. */
export const identityEndpoint = (authUrl: string): Endpoint => endpointAt('identity', authUrl, null)
