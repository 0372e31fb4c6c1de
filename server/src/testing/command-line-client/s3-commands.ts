import type { Exchange } from './client'
import { type Command, v2, problem } from './shapes'

const service = { s3_enabled: 'b', state: 's', endpoint: 's?', protocol: 's?', region: 's' } as const

/** Every command on a cluster first looks up the cluster: there must be exactly one. */
const cluster: Exchange = {
  ...{ send: `GET ${v2}/clusters`, status: 200, shape: [{ id: 's', name: 's', nodes: [{ id: 's', host: 's' }] }] },
  ...{ keep: { cluster: '0.id' }, equals: { length: 1, '0.nodes.0.host': '{host}' } },
}
const show = (state: string): Exchange => ({
  ...{ send: 'GET /api/v3/{cluster}/s3', status: 200, shape: service },
  equals: { state, s3_enabled: state === 'healthy' },
})
const refused = (send: string, body?: unknown, field?: string): Exchange => ({
  ...{ send, status: 422, shape: problem, ...(body !== undefined && { body }) },
  equals: { 'error.err_code': 'unsupported', ...(field && { [`error.fields.${field}.length`]: 1 }) },
})

/** Deployment request as sent by the client. The server runs object storage itself and refuses these settings. */
const deployment = {
  ...{ nodes: [{ id: '{node}', priv_net_if: 'eth0' }], s3gw_domain: 's3.example', s3gw_count: '1', tier: 0 },
  ...{ redundancy: { type: 'raid6', m: 1, n: 0 }, failure_domain: 'host', n_os: 1, n_ns: 1 },
  protocol: { scheme: 'https', password: null, gen_cert: true },
}

/** The installation's object storage: the command group `service s3`. */
export const s3Commands: readonly Command[] = [
  {
    command: 'service s3 show',
    as: 'operator',
    exchanges: [
      cluster,
      show('healthy'),
      { send: 'GET /api/v3/elsewhere/s3', status: 404, shape: problem },
      { send: `GET ${v2}/{cluster}/s3/users`, status: 200, shape: { data: ['o'], is_truncated: 'b' } },
    ],
  },
  {
    command: 'service s3 create: available without settings, refused with them',
    as: 'operator',
    exchanges: [
      cluster,
      { send: `DELETE ${v2}/s3service`, status: 204 },
      show('absent'),
      { ...refused(`POST ${v2}/{cluster}/s3`, deployment, 'nodes'), asForm: true },
      show('absent'),
      { ...{ send: `POST ${v2}/elsewhere/s3`, body: {}, asForm: true }, status: 404, shape: problem },
      { ...{ send: `POST ${v2}/{cluster}/s3`, body: { colour: 'red' }, asForm: true }, status: 400, shape: problem },
      { ...{ send: `POST ${v2}/{cluster}/s3`, body: {}, asForm: true }, status: 201, shape: service },
      show('healthy'),
    ],
  },
  {
    command: 'service s3 update, node add, change, release',
    as: 'operator',
    exchanges: [
      cluster,
      { ...refused(`PUT ${v2}/{cluster}/s3`, { tier: '1', s3gw_count: '2' }, 's3gw_count'), asForm: true },
      refused(`POST ${v2}/{cluster}/s3/nodes/assign`, { nodes: deployment.nodes, s3gw_count: 2 }, 'nodes'),
      refused(`POST ${v2}/{cluster}/s3/nodes/change`, { nodes: deployment.nodes }, 'nodes'),
      refused(`POST ${v2}/{cluster}/s3/nodes/release`, { nodes: ['{node}'] }, 'nodes'),
      { send: `POST ${v2}/elsewhere/s3/nodes/release`, body: { nodes: [] }, status: 404, shape: problem },
      show('healthy'),
    ],
  },
  {
    command: 'service s3 replication list, show, show token, add, delete',
    as: 'operator',
    exchanges: [
      cluster,
      ...['self-site', 'self-site-token', 'sites', 'sites/one'].map((it) =>
        refused(`GET ${v2}/{cluster}/s3/geo/${it}`),
      ),
      refused(`POST ${v2}/{cluster}/s3/geo/sites`, { token: 'x' }),
      refused(`DELETE ${v2}/{cluster}/s3/geo/sites/one`),
    ],
  },
  {
    command: 'service s3 for a user who is not an operator',
    as: 'member',
    exchanges: [
      { send: `GET ${v2}/clusters`, status: 403, shape: problem },
      { send: 'GET /api/v3/{cluster}/s3', status: 403, shape: problem },
      { ...{ send: `POST ${v2}/{cluster}/s3`, body: {}, asForm: true }, status: 403, shape: problem },
      { send: `GET ${v2}/{cluster}/s3/geo/sites`, status: 403, shape: problem },
    ],
  },
]
