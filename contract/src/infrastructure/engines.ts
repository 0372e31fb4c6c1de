import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { Time } from '../core/names'

/** A component of the platform or of the cloud behind an engine, and whether it is reachable. */
export const EnginePart = z.object({
  /**
   * Platform: `database`, `tasks`, `files`. This host: `compute`, `storage`, `object-storage`. A cloud: `compute`,
   * `images`, `volumes`, `networks`, `identity`, `notifications`.
   */
  name: z.string(),
  reachable: z.boolean(),
  /** Message that tells operators why it is not reachable. */
  message: z.string().nullable(),
  since: Time,
})
export type EnginePart = z.infer<typeof EnginePart>

/** Objects in a cloud that could not be read. Lists show their last known state. */
export const UnreadableRows = z.object({
  /** Kind of the rows, or the name of their list in the cloud's API. */
  kind: z.string(),
  count: z.number().int(),
  /** Examples of these objects. `id` is null if the ID could not be read either. `fault` names the unexpected field. */
  rows: z.array(z.object({ id: z.string().nullable(), fault: z.string() })),
})

/** An engine, and how closely the index follows it. */
export const EngineState = z.object({
  /** First area that the engine serves: `compute`, `storage`, `object-storage`. */
  name: z.string(),
  /** `embedded`, or the name of the cloud software. */
  engine: z.string(),
  /** `record`: the index is the source of truth. `feed`: the index follows a cloud. */
  view: z.enum(['record', 'feed']),
  /** Server that currently follows the cloud; null if there is none or none is required. */
  holder: z.string().nullable(),
  /** How changes are detected. */
  by: z.enum(['notifications', 'polling']).nullable(),
  parts: z.array(EnginePart),
  /** Messages that tell operators which requirements the host does not meet, and what to do. */
  problems: z.array(z.string()),
  unreadable: z.array(UnreadableRows),
  /** Maximum age of the data in lists; null before the first full sync. */
  lag_ms: z.number().nullable().describe('In milliseconds.'),
  /** Time of the last full sync. */
  read_at: Time.nullable(),
})
export type EngineState = z.infer<typeof EngineState>

/** The Node.js version that runs the server, and whether it still gets security updates. */
export const NodeSupport = z.object({
  version: z.string(),
  /** Date such as `2027-04-30`; null if unknown. */
  supported_until: z.string().nullable(),
  is_supported: z.boolean(),
})
export type NodeSupport = z.infer<typeof NodeSupport>

export const engines = endpoints({
  list: {
    verb: 'GET',
    path: '/api/v2/platform/engines',
    needs: read('engines'),
    summary: 'List the engines. Includes how closely the lists follow each engine.',
    reply: z.object({ data: z.array(EngineState) }),
  },
  parts: {
    verb: 'GET',
    path: '/api/v2/platform/parts',
    needs: read('engines'),
    summary:
      'List the parts of the platform. Includes whether each part works, since when, and the error if it does not.',
    /** `has_dashboards`: whether `/grafana/login` is available. */
    reply: z.object({ data: z.array(EnginePart), node: NodeSupport, has_dashboards: z.boolean() }),
  },
})
