import * as fc from 'fast-check'
import type { Endpoint } from '@mainstay/contract/core/endpoint'
import { examplesOf, filledIn } from '@mainstay/contract/core/example'
import { hostileValue } from './arbitrary'

/**
 * Generates bodies with exactly one invalid field, which random values would almost never produce. Uses the contract's
 * examples, in the preferred form and in tolerated spellings.
 */
export function singleFaultBodies(
  name: string,
  endpoint: Endpoint,
  idOf: (kind: string) => string,
  flavor: string,
  words: fc.Arbitrary<string>,
): fc.Arbitrary<unknown>[] {
  const preferred = examplesOf(endpoint.body).map((example) => {
    const body = filledIn(example, idOf) as object
    return { ...body, ...(endpoint.body!.safeParse(body).data as object | undefined) }
  })
  const disk = { source_type: 'blank', volume_size: '1', delete_on_termination: 'true' }
  const card = { network_id: flavor, mac_addr: '52:54:00:12:34:56', fixed_ips: ['10.20.0.77'] }
  const tolerated: Record<string, object> = {
    'instances.create': {
      ...{ name: 'made-by-chance', flavor, networks: [card], volumes: [disk], count: '1', ha_enabled: 'true' },
      ...{ config_drive: false, uefi: 'false' },
    },
    'instances.attachInterface': { ...card, spoofing_protection: 'true', security_groups: [] },
    'instances.updateInterface': { fixed_ips: ['10.20.0.78'], spoofing_protection: 'true' },
    'instances.attachVolume': { uuid: flavor, delete_on_termination: 'true' },
    'instances.reset': { state: 'ACTIVE' },
    'instances.update': { ha_enabled: 'False' },
    'images.update': { visibility: 'shared', min_disk: '1', protected: 'false' },
    'flavors.create': { name: 'made-by-chance', vcpus: '1', ram: '128', swap: '0' },
    'placements.create': { name: 'made-by-chance', nodes: [], images: [], flavors: [flavor] },
    'placements.assign': { flavors: [flavor] },
    'volumes.create': { name: 'made-by-chance', size: '1', network_install: 'false', imageRef: null },
    'volumes.update': { no_placements: true, bootable: 'true' },
    'volumes.extend': { size: '3' },
  }
  const right = [...preferred, ...(tolerated[name] ? [tolerated[name]] : [])]
  return right.map((body) => {
    // an empty body has no field to damage
    if (Object.keys(body).length === 0) return fc.constant(body)
    const bent = fc
      .constantFrom(...Object.keys(body))
      .chain((field) =>
        fc.oneof(hostileValue, fc.array(hostileValue), words).map((value) => ({ ...body, [field]: value })),
      )
    const bentInside = hostileValue.map((value) => bendInside(body, value))
    return fc.oneof(fc.constant(body), bent, bentInside)
  })
}

/** Replaces the fields of objects in the lists of a body. */
const bendInside = (body: object, value: unknown): object =>
  Object.fromEntries(
    Object.entries(body).map(([name, inner]: [string, unknown]) => [
      name,
      Array.isArray(inner)
        ? inner.map((item: unknown) =>
            typeof item === 'object' && item !== null
              ? Object.fromEntries(
                  Object.keys(item).map((field, at) => [field, at % 2 === 0 ? value : (item as never)[field]]),
                )
              : value,
          )
        : inner,
    ]),
  )
