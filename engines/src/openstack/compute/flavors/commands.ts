import { Problem, fieldProblem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { FlavorsPort } from '../../../ports/compute'
import type { Engine } from '../../engine'
import { unlessGone } from '../../read-each'
import { flavorReader, flavorVersion, WireFlavor } from './shape'

export const flavorCommands = (engine: Engine): FlavorsPort => ({
  async create(scope, { name, vcpus, ram, swap }) {
    const cloud = await engine.as(scope)
    // disks are separate volumes
    const flavor = { name, vcpus, ram, swap, disk: 0, 'os-flavor-access:is_public': true }
    const made = await cloud
      .send('POST', 'compute', '/flavors', z.object({ flavor: WireFlavor }), {
        version: flavorVersion,
        body: { flavor },
      })
      .catch((error: unknown) => {
        const isTaken = error instanceof Problem && error.data['status'] === 409
        throw isTaken ? fieldProblem('name', 'compute.flavor_name_taken') : error
      })
    return engine.refresh(flavorReader, made.flavor.id)
  },

  async delete(scope, id) {
    const cloud = await engine.as(scope)
    await cloud.send('DELETE', 'compute', `/flavors/${encodeURIComponent(id)}`, z.void())
    await unlessGone(engine.refresh(flavorReader, id))
  },
})
