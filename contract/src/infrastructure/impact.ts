import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { Id, Time } from '../core/names'
import { SaidBody } from '../core/problems'

/* What stops if one thing fails now. Overview, nodes, locations and maintenance show the same answer. */

/** `tier`: the disks that hold data of a tier. `database`: the database of the platform. */
export const ImpactKind = z.enum(['node', 'rack', 'row', 'room', 'tier', 'database'])
export type ImpactKind = z.infer<typeof ImpactKind>

/**
 * `stays`: goes on. `interrupted`: stops until the thing is back, and nothing is lost. `lost`: cannot be used again.
 * `unknown`: a cloud decides, and does not report it.
 */
export const ImpactResult = z.enum(['stays', 'interrupted', 'lost', 'unknown'])
export type ImpactResult = z.infer<typeof ImpactResult>

/** A sentence in English, and its key with values for translation. */
const Sentence = z.object({ message: z.string(), said: SaidBody })
export type Sentence = z.infer<typeof Sentence>

export const Impact = Sentence.extend({ result: ImpactResult })
export type Impact = z.infer<typeof Impact>

/** The parts that an impact is told for, in the order of the table. */
export const impactParts = ['data', 'machines', 'management', 'exports'] as const
export type ImpactPart = (typeof impactParts)[number]

/** What happens if this fails now. */
export const ImpactRow = z.object({
  kind: ImpactKind,
  id: z.string(),
  name: z.string(),
  data: Impact,
  machines: Impact,
  management: Impact,
  exports: Impact,
  /** What would make the impact smaller. */
  help: z.array(Sentence),
})
export type ImpactRow = z.infer<typeof ImpactRow>

export const impact = endpoints({
  view: {
    verb: 'GET',
    path: '/api/v2/infrastructure/impact',
    needs: read('nodes'),
    summary: 'Get what stops if a node, a rack, a row, a room, the disks of a tier or the database fails now',
    query: z.strictObject({ kind: ImpactKind.optional(), id: Id.optional() }),
    reply: z.object({ counted_at: Time, rows: z.array(ImpactRow) }),
  },
})
