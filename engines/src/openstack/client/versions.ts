import { problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { Service } from './service-client'
import type { Endpoint } from './catalogue'
import { createCache } from './cache'
import { invalidResponse } from './problems'
import type { Answer } from './retry'

/** Versions that a service takes. */
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

/** Services that take a microversion with each call, by the name that they have in its header. */
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

/** A cloud may be brought up to date while we run. */
const keptMs = 600_000
const mostKept = 100

function parts(version: string): [number, number] {
  const [major = NaN, minor = 0] = version.split('.').map(Number)
  return [major, minor]
}
/** Whether a version is at least another one: 2.10 is more than 2.9. */
export function isAtLeast(version: string, least: string): boolean {
  const [major, minor] = parts(version)
  const [leastMajor, leastMinor] = parts(least)
  return major === leastMajor && minor >= leastMinor
}

/** Where a service tells of its versions: some where the version is, some above it. */
export function versionsUrl({ service, versionRoot }: Endpoint): URL {
  const above = versionRoot.slice(0, versionRoot.lastIndexOf('/'))
  if (service === 'image') return new URL(`${above}/versions`)
  if (service === 'network' || service === 'load-balancer' || service === 'key-manager') return new URL(`${above}/`)
  return new URL(service === 'identity' ? versionRoot : `${versionRoot}/`)
}

/** What a service tells of its versions; null where it has none of the kind that this client speaks. */
export function offerIn(service: Service, answer: Answer): Offer | null {
  let versions
  try {
    versions = WireVersions.parse(JSON.parse(answer.text))
  } catch (cause) {
    throw invalidResponse(service, answer, 'what it says of its versions', cause)
  }
  const offers = versions
    .map(({ id, version, max_version, min_version }) => {
      const most = version || max_version || id.replace(/^v/, '')
      return { most, least: min_version || most }
    })
    .filter(({ most }) => parts(most)[0] === Number(majors[service]))
  if (offers.length === 0) return null
  const most = offers.reduce((best, one) => (isAtLeast(one.most, best.most) ? one : best))
  // services without microversions list every version that they take
  const least = offers.reduce((best, one) => (isAtLeast(best.least, one.least) ? one : best))
  return { most: most.most, least: least.least }
}

/** The header that asks for a version, none where the service takes none. Refuses what the cloud does not offer. */
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
  /** What a service offers, from memory or by `ask`. */
  of(endpoint: Endpoint, ask: (url: URL) => Promise<Answer>): Promise<Offer | null>
}

export function createVersions(): Versions {
  const known = createCache<Offer | null>(mostKept, () => Date.now() + keptMs)
  return {
    of: (endpoint, ask) =>
      known.get(endpoint.versionRoot, async () => offerIn(endpoint.service, await ask(versionsUrl(endpoint)))),
  }
}
