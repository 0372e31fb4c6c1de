import { notFound, Problem } from '@mainstay/contract/core/problems'
import { CLUSTER_ID } from '@mainstay/contract/infrastructure/clusters'
import { s3Cluster, s3Deployment, s3Replication } from '@mainstay/contract/object-storage/s3-cluster'
import { serve } from '../../http/serve'
import { makeAvailable, viewService } from './s3-service.routes'

/* Object storage as command-line clients of this family ask for it: what is true of it here, and clear refusals of the rest. */

function checkCluster({ cluster }: { cluster: string }): void {
  if (cluster !== CLUSTER_ID) throw notFound()
}

const NOT_CHOSEN =
  'Object storage runs where this installation was set up for it. Its nodes, tiers, redundancy, gateways and addresses are not ' +
  'chosen by a call: set MAINSTAY_S3_PORT or MAINSTAY_RGW_ENDPOINT of the server'
const NOT_REPLICATED = 'Object storage is not replicated to other sites by this installation'

const fieldsOf = (body: object): Record<string, string[]> =>
  Object.fromEntries(Object.keys(body).map((name) => [name, [NOT_CHOSEN]]))

/** Refuses whoever asks for it, if they name the cluster. */
const refuse =
  (message: string) =>
  ({ params, body }: { params: { cluster: string }; body?: object | undefined }): never => {
    checkCluster(params)
    throw new Problem('unsupported', message, message === NOT_CHOSEN ? { fields: fieldsOf(body ?? {}) } : {})
  }

export const s3ClusterRoutes = serve(
  s3Cluster,
  {
    async view({ params }, tools) {
      checkCluster(params)
      return viewService(tools)
    },
    async create({ params, body }, tools) {
      if (Object.keys(body).length > 0) return refuse(NOT_CHOSEN)({ params, body })
      checkCluster(params)
      return makeAvailable(tools)
    },
  },
  { about: 's3_service' },
)

const notChosen = refuse(NOT_CHOSEN)
export const s3DeploymentRoutes = serve(
  s3Deployment,
  { change: notChosen, assignNodes: notChosen, changeNodes: notChosen, releaseNodes: notChosen },
  { about: 's3_service' },
)

const notReplicated = refuse(NOT_REPLICATED)
export const s3ReplicationRoutes = serve(
  s3Replication,
  {
    ...{ selfSite: notReplicated, selfSiteToken: notReplicated, sites: notReplicated },
    ...{ addSite: notReplicated, site: notReplicated, deleteSite: notReplicated },
  },
  { about: 's3_service' },
)
