import { problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { Service } from './service-client'
import type { Endpoint } from './catalogue'
import { createCache } from './cache'
import { invalidResponse } from './problems'
import type { Answer } from './retry'

/** Range of versions that a service supports. */
export interface Offer {
  least: string
  most: string
}

const WireVersion = z.object({
  id: z.string(),
  version: z.string().nullish(),
  max_version: z.string().nullish(),
  min_version: z.string().nullish(),
})
const WireVersions = z.union([
  z.object({ version: WireVersion }).transform(({ version }) => [version]),
  z.object({ versions: z.array(WireVersion) }).transform(({ versions }) => versions),
])

/** Services with microversions, and their names in the version header. */
const headerNames: Partial<Record<Service, string>> = { compute: 'compute', volume: 'volume', placement: 'placement' }
const majors: Record<Service, string> = {
  identity: '3',
  compute: '2',
  image: '2',
  network: '2',
  volume: '3',
  placement: '1',
  'load-balancer': '2',
  'key-manager': '1',
}

/** Versions are cached only for a limited time, because the cloud may be upgraded while the server is running. */
const keptMs = 600_000
const mostKept = 100

function parts(version: string): [number, number] {
  const [major = NaN, minor = 0] = version.split('.').map(Number)
  return [major, minor]
}
/** Whether a version has the same major version as `least` and is not older: 2.10 is newer than 2.9. */
export function isAtLeast(version: string, least: string): boolean {
  const [major, minor] = parts(version)
  const [leastMajor, leastMinor] = parts(least)
  return major === leastMajor && minor >= leastMinor
}

/** Returns the URL where a service lists its versions: the versioned root or one level above it. */
export function versionsUrl({ service, versionRoot }: Endpoint): URL {
  const above = versionRoot.slice(0, versionRoot.lastIndexOf('/'))
  if (service === 'image') return new URL(`${above}/versions`)
  if (service === 'network' || service === 'load-balancer' || service === 'key-manager') return new URL(`${above}/`)
  return new URL(service === 'identity' ? versionRoot : `${versionRoot}/`)
}

/** Parses a version list; null if it does not include the major version that this client supports. */
export function offerIn(service: Service, answer: Answer): Offer | null {
  let versions
  try {
    versions = WireVersions.parse(JSON.parse(answer.text))
  } catch (cause) {
    throw invalidResponse(service, answer, 'an invalid list of versions', cause)
  }
  const offers = versions
    .map(({ id, version, max_version, min_version }) => {
      const most = version || max_version || id.replace(/^v/, '')
      return { most, least: min_version || most }
    })
    .filter(({ most }) => parts(most)[0] === Number(majors[service]))
  if (offers.length === 0) return null
  const most = offers.reduce((best, one) => (isAtLeast(one.most, best.most) ? one : best))
  // services without microversions list every version that they support
  const least = offers.reduce((best, one) => (isAtLeast(best.least, one.least) ? one : best))
  return { most: most.most, least: least.least }
}

/** Returns the microversion header, if the service uses one. Throws if the cloud does not support the version. */
export function versionHeader(service: Service, needed: string, offer: Offer | null): Record<string, string> {
  if (!offer || !isAtLeast(offer.most, needed) || !isAtLeast(needed, offer.least)) {
    const data = { service, needed, offered: offer }
    throw offer
      ? problem('core.needs_version', { needed, service, least: offer.least, most: offer.most }, { data })
      : problem('core.needs_versions', { needed, service }, { data })
  }
  const name = headerNames[service]
  return name ? { 'openstack-api-version': `${name} ${needed}` } : {}
}

export interface Versions {
  /** Returns the versions of a service, from the cache or fetched with `ask`. */
  of(endpoint: Endpoint, ask: (url: URL) => Promise<Answer>): Promise<Offer | null>
}

export function createVersions(): Versions {
  const known = createCache<Offer | null>(mostKept, () => Date.now() + keptMs)
  return {
    of: (endpoint, ask) =>
      known.get(endpoint.versionRoot, async () => offerIn(endpoint.service, await ask(versionsUrl(endpoint)))),
  }
}
