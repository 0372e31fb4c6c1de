import { says } from '@mainstay/contract/core/said'
import { problemOf, problemOfFields } from '@mainstay/contract/core/problems'
import { s3Cluster, s3Deployment, s3Replication } from '@mainstay/contract/object-storage/s3-cluster'
import { serve } from '../../http/serve'
import type { Tools } from '../../tools'
import { requireCluster } from '../infrastructure/clusters.service'
import { makeAvailable, viewService } from './s3-service.routes'

/* Object storage calls of command-line clients. Calls that do not apply to this product are refused with a reason. */

/** Creates a handler that refuses calls with a reason, or with `not_found` if they name an unknown cluster. */
const refuse =
  (key: 'objectStorage.not_chosen_here' | 'objectStorage.no_replication') =>
  ({ params, body }: { params: { cluster: string }; body?: object | undefined }, tools: Tools): never => {
    requireCluster(tools, params.cluster)
    const said = says(key)
    const isChoice = key === 'objectStorage.not_chosen_here'
    const fields = Object.fromEntries(Object.keys(body ?? {}).map((name) => [name, [said]]))
    throw isChoice ? problemOfFields('unsupported', fields, said) : problemOf(said)
  }

export const s3ClusterRoutes = serve(
  s3Cluster,
  {
    async view({ params }, tools) {
      requireCluster(tools, params.cluster)
      return viewService(tools)
    },
    async create({ params, body }, tools) {
      if (Object.keys(body).length > 0) return refuse('objectStorage.not_chosen_here')({ params, body }, tools)
      requireCluster(tools, params.cluster)
      return makeAvailable(tools)
    },
  },
  { about: 's3_service' },
)

const notChosen = refuse('objectStorage.not_chosen_here')
export const s3DeploymentRoutes = serve(
  s3Deployment,
  { change: notChosen, assignNodes: notChosen, changeNodes: notChosen, releaseNodes: notChosen },
  { about: 's3_service' },
)

const notReplicated = refuse('objectStorage.no_replication')
export const s3ReplicationRoutes = serve(
  s3Replication,
  {
    ...{ selfSite: notReplicated, selfSiteToken: notReplicated, sites: notReplicated },
    ...{ addSite: notReplicated, site: notReplicated, deleteSite: notReplicated },
  },
  { about: 's3_service' },
)
