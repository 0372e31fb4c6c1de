import { Problem } from '@mainstay/contract/core/problems'
import { describe, expect, test } from 'vitest'
import { type Catalogue, endpointOf, identityEndpoint, readCatalogue, WireCatalogue } from './catalogue'
import type { Service } from './service-client'

const entry = (type: string, url: string, region = 'RegionOne', door = 'public'): Catalogue[number] => ({
  type,
  url,
  region,
  interface: door,
})
const rootOf = (service: Service, ...entries: Catalogue) => endpointOf(service, entries, {}, 'p1')?.root
const refusalOf = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    expect(error).toBeInstanceOf(Problem)
    return error as Problem
  }
  throw new Error('It was accepted')
}

test.each<[Service, string, string, string]>([
  ['compute', 'compute', 'http://c:8774/v2.1', 'http://c:8774/v2.1'],
  ['compute', 'compute', 'https://cloud/compute/v2.1/', 'https://cloud/compute/v2.1'],
  ['compute', 'compute', 'https://cloud/compute/v2.1/p1', 'https://cloud/compute/v2.1/p1'],
  ['compute', 'compute', 'https://cloud/compute', 'https://cloud/compute/v2.1'],
  ['image', 'image', 'http://c:9292', 'http://c:9292/v2'],
  ['image', 'image', 'http://c:9292/v2/', 'http://c:9292/v2'],
  ['network', 'network', 'http://c:9696/', 'http://c:9696/v2.0'],
  ['network', 'network', 'http://c/networking/v2.0', 'http://c/networking/v2.0'],
  ['volume', 'volumev3', 'http://c:8776/v3/p1', 'http://c:8776/v3/p1'],
  ['volume', 'block-storage', 'http://c:8776/v3', 'http://c:8776/v3/p1'],
  ['volume', 'block-store', 'http://c:8776', 'http://c:8776/v3/p1'],
  ['placement', 'placement', 'http://c:8778/', 'http://c:8778'],
  ['placement', 'placement', 'http://c/placement', 'http://c/placement'],
])('finds the %s service of type %s at %s', (service, type, url, root) => {
  expect(rootOf(service, entry(type, url))).toBe(root)
})

test('uses the newest volume service type and ignores v1 and v2 endpoints', () => {
  const old = entry('volume', 'http://old/v1/p1')
  const second = entry('volumev2', 'http://old/v2/p1')
  expect(rootOf('volume', old, second, entry('volumev3', 'http://new/v3/p1'))).toBe('http://new/v3/p1')
  expect(endpointOf('volume', [old, second], {}, 'p1')).toBeNull()
})

test('takes the identity endpoint from the configuration', () => {
  for (const url of ['http://k:5000', 'http://k:5000/', 'http://k:5000/v3', 'http://k:5000/v3/'])
    expect(identityEndpoint(url).root).toBe('http://k:5000/v3')
  expect(identityEndpoint('https://cloud/identity').root).toBe('https://cloud/identity/v3')
})

test('selects endpoints by region and interface, and prefers configured URLs to the catalogue', () => {
  const catalogue = [
    entry('compute', 'http://one.public', 'one'),
    entry('compute', 'http://one.internal', 'one', 'internal'),
    entry('compute', 'http://two.public', 'two'),
  ]
  const root = (doors: Parameters<typeof endpointOf>[2]) => endpointOf('compute', catalogue, doors, null)?.root
  expect(root({ region: 'two' })).toBe('http://two.public/v2.1')
  expect(root({ region: 'one', interface: 'internal' })).toBe('http://one.internal/v2.1')
  expect(root({ region: 'three' })).toBeUndefined()
  expect(root({ overrides: { compute: 'http://proxy/nova' } })).toBe('http://proxy/nova/v2.1')
  expect(refusalOf(() => root({})).message).toContain('one, two')
  expect(refusalOf(() => root({ region: 'two', interface: 'internal' })).message).toContain('no internal address')
})

describe('a malformed or hostile catalogue', () => {
  test.each([
    ['not an address', 'an address is not valid'],
    ['http://c:8774/v2.1/$(project_id)s', 'an unresolved placeholder'],
    ['http://c:8774/v2.1/%(tenant_id)s', 'an unresolved placeholder'],
    ['file:///etc/passwd', 'does not use HTTP'],
    ['http://user:word@c:8774/', 'contains a password'],
    ['http://c:8774/v2.1?x=', 'more than a path'],
    ['//c:8774/v2.1', 'an address is not valid'],
    ['', 'an address is not valid'],
  ])('rejects the URL "%s" with a reason', (url, words) => {
    const problem = refusalOf(() => rootOf('compute', entry('compute', url)))
    expect(problem).toMatchObject({ code: 'engine_unavailable', data: { service: 'compute' } })
    expect(problem.message).toContain(words)
  })

  test('names the required version if the catalogue has a different one', () => {
    expect(refusalOf(() => rootOf('compute', entry('compute', 'http://c/v2/p1'))).message).toContain('v2.1')
    expect(refusalOf(() => rootOf('image', entry('image', 'http://c/v1'))).code).toBe('unsupported')
  })

  test('keeps the valid entries', () => {
    const wire = [
      null,
      { type: 7, endpoints: [] },
      { type: 'image', endpoints: 'none' },
      { type: 'compute', endpoints: [{ interface: 'public' }, { interface: 'public', url: 'http://c', region: 'R' }] },
    ]
    expect(readCatalogue(WireCatalogue.parse(wire))).toEqual([entry('compute', 'http://c', 'R')])
    expect(readCatalogue(WireCatalogue.parse({ no: 'list' }))).toEqual([])
  })
})
