import * as z from 'zod'
import { create, endpoints, read, remove, update } from '../core/endpoint'
import { S3Service } from './s3-service'

/*
 * Object storage under the addresses that command-line clients of this family use. The server answers whether it is there, and
 * makes it available. It refuses what has no meaning here with `unsupported`: clients of that family deploy object storage on
 * chosen nodes of a cluster and replicate it to other sites.
 */

const path = '/api/v2/:cluster/s3'
const resource = 's3_service'

const said = z.unknown().optional()

/** How those clients describe a deployment. Nothing of it is chosen here, and whoever says it is told so. */
export const S3Deployment = z.strictObject({
  ...{
    nodes: said,
    s3gw_domain: said,
    s3gw_count: said,
    n_os: said,
    n_ns: said,
    np: said,
    ignore_ram_reservation: said,
  },
  ...{
    tier: said,
    redundancy: said,
    failure_domain: said,
    metadata_policy: said,
    protocol: said,
    cert: said,
    key: said,
  },
})

export const s3Cluster = endpoints({
  view: {
    verb: 'GET',
    path: '/api/v3/:cluster/s3',
    needs: read(resource),
    summary: 'Whether there is object storage, and where programs reach it; as `GET /api/v2/s3service`',
    reply: S3Service,
  },
  create: {
    verb: 'POST',
    path,
    needs: create(resource),
    summary:
      'Makes object storage available, as `POST /api/v2/s3service`; refuses settings of a deployment. Also as multipart/form-data',
    body: S3Deployment.meta({ examples: [{}] }),
    reply: S3Service,
    status: 201,
    takesForm: true,
  },
})

const Anything = z.looseObject({})

const notChosen = { summary: 'Refused: nodes and tiers of object storage are not chosen here', reply: z.void() }
const notReplicated = { summary: 'Refused: object storage is not replicated to other sites', reply: z.void() }
const body = Anything

export const s3Deployment = endpoints({
  change: { verb: 'PUT', path, needs: update(resource), body, takesForm: true, ...notChosen },
  assignNodes: { verb: 'POST', path: `${path}/nodes/assign`, needs: update(resource), body, ...notChosen },
  changeNodes: { verb: 'POST', path: `${path}/nodes/change`, needs: update(resource), body, ...notChosen },
  releaseNodes: { verb: 'POST', path: `${path}/nodes/release`, needs: update(resource), body, ...notChosen },
})
export const s3Replication = endpoints({
  selfSite: { verb: 'GET', path: `${path}/geo/self-site`, needs: read(resource), ...notReplicated },
  selfSiteToken: { verb: 'GET', path: `${path}/geo/self-site-token`, needs: read(resource), ...notReplicated },
  sites: { verb: 'GET', path: `${path}/geo/sites`, needs: read(resource), ...notReplicated },
  addSite: { verb: 'POST', path: `${path}/geo/sites`, needs: create(resource), body, ...notReplicated },
  site: { verb: 'GET', path: `${path}/geo/sites/:id`, needs: read(resource), ...notReplicated },
  deleteSite: { verb: 'DELETE', path: `${path}/geo/sites/:id`, needs: remove(resource), ...notReplicated },
})
