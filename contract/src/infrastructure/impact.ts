import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { Id, Time } from '../core/names'
import { SaidBody } from '../core/problems'

/*
 * Impact of a single failure at the current time. The pages for the overview, nodes, locations and maintenance show the
 * same result.
 */

/** `tier`: all disks that hold data of a tier. `database`: the platform's database. */
export const ImpactKind = z.enum(['node', 'rack', 'row', 'room', 'tier', 'database'])
export type ImpactKind = z.infer<typeof ImpactKind>

/**
 * `stays`: keeps working. `interrupted`: unavailable until the failed part is repaired, without data loss. `lost`:
 * permanently unusable. `unknown`: depends on a cloud that does not report it.
 */
export const ImpactResult = z.enum(['stays', 'interrupted', 'lost', 'unknown'])
export type ImpactResult = z.infer<typeof ImpactResult>

/** A sentence in English, and its key with values for translation. */
const Sentence = z.object({ message: z.string(), said: SaidBody })
export type Sentence = z.infer<typeof Sentence>

export const Impact = Sentence.extend({ result: ImpactResult })
export type Impact = z.infer<typeof Impact>

/** The parts of an installation whose impact is reported, in the order of the table. */
export const impactParts = ['data', 'machines', 'management', 'exports'] as const
export type ImpactPart = (typeof impactParts)[number]

/** Impact of the failure of one object. */
export const ImpactRow = z.object({
  kind: ImpactKind,
  id: z.string(),
  name: z.string(),
  data: Impact,
  machines: Impact,
  management: Impact,
  exports: Impact,
  /** Advice on how to reduce the impact. */
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
