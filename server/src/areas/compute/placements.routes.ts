import { placementCarriers, type PlacementCarrier } from '@mainstay/contract/compute/placements'
import { notFound } from '@mainstay/contract/core/problems'
import { resources } from '@mainstay/contract/resources'
import { serveResource } from '../../http/serve-resource'
import { createPlacement } from './placements.service'

/** Parses the carrier type in the path. Throws `not_found` for an unknown type. */
function carrierOf(step: string): PlacementCarrier {
  const carrier = placementCarriers.find((it) => it === step)
  if (!carrier) throw notFound()
  return carrier
}

export const placementRoutes = serveResource(resources.placements, ({ ports }) => ports.compute.placements, {
  create: ({ scope, body }, tools) => createPlacement(scope, body, tools),
  assign: ({ scope, params, body }, { ports }) =>
    ports.compute.placements.assign(scope, params.id, carrierOf(params.carrier), body.ids),
  withdraw: ({ scope, params }, { ports }) =>
    ports.compute.placements.withdraw(scope, params.id, carrierOf(params.carrier), params.carrier_id),
})
