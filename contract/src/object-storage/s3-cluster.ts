import * as z from 'zod'
import { create, endpoints, read, remove, update } from '../core/endpoint'
import { S3Service } from './s3-service'

/*
 * Object storage at the paths used by command-line clients of this API family. The server reports its state and enables
 * it. Other calls of that family, such as deploying object storage on chosen nodes or replicating it to other sites,
 * are refused with `unsupported`.
 */

const path = '/api/v2/:cluster/s3'
const resource = 's3_service'

const said = z.unknown().optional()

/**
 * Deployment settings that those clients send. None of these settings can be chosen here, so any value is refused with
 * an error message.
 */
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
    summary: 'Get the state and the endpoint of object storage. Same as `GET /api/v2/s3service`.',
    reply: S3Service,
  },
  create: {
    verb: 'POST',
    path,
    needs: create(resource),
    summary:
      'Enable object storage. Same as `POST /api/v2/s3service`. Deployment settings are refused. Also accepts ' +
      'multipart/form-data.',
    body: S3Deployment.meta({ examples: [{}] }),
    reply: S3Service,
    status: 201,
    takesForm: true,
  },
})

const Anything = z.looseObject({})

const notChosen = { summary: 'Change the nodes and tiers of object storage. Not supported.', reply: z.void() }
const notReplicated = { summary: 'Replicate object storage to other sites. Not supported.', reply: z.void() }
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
