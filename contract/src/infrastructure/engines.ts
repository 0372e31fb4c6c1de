import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { Time } from '../core/names'

/** A part of the platform or of an engine's cloud, and whether it answers. */
export const EnginePart = z.object({
  /** `database`, `tasks`, `files`; of this machine `compute`, `storage`, `object-storage`; of a cloud `compute`, `images`, `volumes`, `networks`, `identity`, `notifications`. */
  name: z.string(),
  reachable: z.boolean(),
  /** Why not, for operators. */
  message: z.string().nullable(),
  since: Time,
})
export type EnginePart = z.infer<typeof EnginePart>

/** Rows of a cloud that could not be read; lists show what was known of them before. */
export const UnreadableRows = z.object({
  /** Their kind, or the name of their list in the cloud's answers. */
  kind: z.string(),
  count: z.number().int(),
  /** Some of them; `id` is null where not even that could be read. `fault` says which field is not as expected. */
  rows: z.array(z.object({ id: z.string().nullable(), fault: z.string() })),
})

/** An engine, and how closely the index follows it. */
export const EngineState = z.object({
  /** What it is for, by the first of its areas: `compute`, `storage`, `object-storage`. */
  name: z.string(),
  /** What it is: `embedded`, or the name of the cloud's software. */
  engine: z.string(),
  /** `record`: the index is its own record. `feed`: the index follows a cloud. */
  view: z.enum(['record', 'feed']),
  /** The server that follows it now; null where nothing has to be followed, or nobody does. */
  holder: z.string().nullable(),
  /** How changes are heard of. */
  by: z.enum(['notifications', 'polling']).nullable(),
  parts: z.array(EnginePart),
  /** What it lacks on its host and what to do about it, for operators. */
  problems: z.array(z.string()),
  unreadable: z.array(UnreadableRows),
  /** How old the oldest thing is that lists may still show; null before the first full read. */
  lag_ms: z.number().nullable().describe('milliseconds'),
  /** When everything was read last. */
  read_at: Time.nullable(),
})
export type EngineState = z.infer<typeof EngineState>

/** The Node that runs the server, and whether it still gets security updates. */
export const NodeSupport = z.object({
  version: z.string(),
  /** A date: `2027-04-30`; null where it is not known. */
  supported_until: z.string().nullable(),
  is_supported: z.boolean(),
})
export type NodeSupport = z.infer<typeof NodeSupport>

export const engines = endpoints({
  list: {
    verb: 'GET',
    path: '/api/v2/platform/engines',
    needs: read('engines'),
    summary: 'The engines, and how closely lists follow them',
    reply: z.object({ data: z.array(EngineState) }),
  },
  parts: {
    verb: 'GET',
    path: '/api/v2/platform/parts',
    needs: read('engines'),
    summary: 'The parts of the platform: which of them work, and since when and why others do not',
    /** `has_dashboards`: whether `/grafana/login` leads somewhere. */
    reply: z.object({ data: z.array(EnginePart), node: NodeSupport, has_dashboards: z.boolean() }),
  },
})
