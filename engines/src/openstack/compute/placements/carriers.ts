import type { PlacementCarrier } from '@mainstay/contract/compute/placements'
import { Problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { ServiceClient } from '../../client/service-client'
import type { Engine } from '../../engine'
import { unlessGone } from '../../read-each'
import { flavorReader } from '../flavors/shape'
import { patchType, type PatchStep } from '../images/change'
import { imageReader, WireImage } from '../images/shape'
import { nodeReader, ProviderTraits, readProviderTraits } from '../nodes/shape'
import { required, traitProperty, traitVersion } from '../traits'

/** How traits are stored on one type of object. All calls are idempotent. */
interface CarrierCalls {
  isThere(cloud: ServiceClient, id: string): Promise<boolean>
  give(cloud: ServiceClient, id: string, trait: string): Promise<void>
  /** Succeeds if the object no longer exists. */
  take(cloud: ServiceClient, id: string, trait: string): Promise<void>
}

export const carriersOf = (engine: Engine): Record<PlacementCarrier, CarrierCalls> => ({
  nodes: {
    isThere: async (cloud, id) => (await unlessGone(readProviderTraits(cloud, id))) !== null,
    give: (cloud, id, trait) => changeNode(engine, cloud, id, (traits) => [...new Set([...traits, trait])]),
    take: (cloud, id, trait) => changeNode(engine, cloud, id, (traits) => traits.filter((it) => it !== trait)),
  },
  images: {
    isThere: async (cloud, id) => (await unlessGone(readImage(cloud, id))) !== null,
    give: (cloud, id, trait) => changeImage(engine, cloud, id, { op: 'add', path: stepPath(trait), value: required }),
    async take(cloud, id, trait) {
      if (traitProperty(trait) in (await readImage(cloud, id)))
        await changeImage(engine, cloud, id, { op: 'remove', path: stepPath(trait) })
    },
  },
  flavors: {
    isThere: async (cloud, id) => (await unlessGone(flavorReader.one(cloud, id))) !== null,
    async give(cloud, id, trait) {
      const body = { extra_specs: { [traitProperty(trait)]: required } }
      await cloud.send('POST', 'compute', specsPath(id), z.void(), { body })
      await engine.refresh(flavorReader, id)
    },
    async take(cloud, id, trait) {
      const path = `${specsPath(id)}/${encodeURIComponent(traitProperty(trait))}`
      await unlessGone(cloud.send('DELETE', 'compute', path, z.void()))
      await engine.refresh(flavorReader, id)
    },
  },
})

const mostAttempts = 5

/**
 * Replaces all traits of a node, based on the generation that was read. After a concurrent change, reads again and
 * retries.
 */
async function changeNode(engine: Engine, cloud: ServiceClient, id: string, change: (traits: string[]) => string[]) {
  for (let attempt = 1; ; attempt++) {
    const { traits, resource_provider_generation } = await readProviderTraits(cloud, id)
    const body = { resource_provider_generation, traits: change(traits) }
    const path = `/resource_providers/${encodeURIComponent(id)}/traits`
    try {
      await cloud.send('PUT', 'placement', path, ProviderTraits, { version: traitVersion, body })
      break
    } catch (error) {
      const wasQuicker = error instanceof Problem && error.data['status'] === 409
      if (!wasQuicker || attempt === mostAttempts) throw error
    }
  }
  await engine.refresh(nodeReader, id)
}

const specsPath = (id: string) => `/flavors/${encodeURIComponent(id)}/os-extra_specs`
const stepPath = (trait: string) => `/${traitProperty(trait)}`
const imagePath = (id: string) => `/images/${encodeURIComponent(id)}`
const readImage = (cloud: ServiceClient, id: string) => cloud.get('image', imagePath(id), WireImage)

async function changeImage(engine: Engine, cloud: ServiceClient, id: string, step: PatchStep): Promise<void> {
  await cloud.send('PATCH', 'image', imagePath(id), z.void(), { headers: patchType, body: [step] })
  await engine.refresh(imageReader, id)
}
