import { paramNames, type Endpoint } from '@mainstay/contract/core/endpoint'
import { placementCarriers } from '@mainstay/contract/compute/placements'
import { levelPaths } from '@mainstay/contract/infrastructure/location-rules'
import { examplesOf, filledIn, kindsIn } from '@mainstay/contract/core/example'
import { flavors } from '@mainstay/contract/compute/flavors'
import { session } from '@mainstay/contract/identity/session'
import { parentFields } from '@mainstay/contract/core/kind'
import { methodsAllow } from '@mainstay/contract/core/abilities'
import { resourceList, type Resource } from '@mainstay/contract/resources'
import type * as z from 'zod'
import type { TestServer } from './start-server'
import type { PersonaName } from './personas'

/** Values of path parameters that are not IDs. */
export const pathWords: Readonly<Record<string, readonly string[]>> = {
  carrier: placementCarriers,
  level: Object.values(levelPaths),
}

/** Kinds that have a row in every test world, so that examples may reference them. */
const ofTheWorld = new Set(['flavor'])

interface Made {
  kind: string
  id: string
}

/** Puts a mark into all free-text fields in a body. */
function marked(body: Record<string, unknown>, schema: z.ZodType, mark: string): Record<string, unknown> {
  const fields = 'shape' in schema ? (schema.shape as Record<string, z.ZodType>) : {}
  const texts = { name: mark, description: mark, tags: [mark], metadata: { text: mark } }
  const free = Object.entries(texts).filter(([name, text]) => fields[name]?.safeParse(text).success)
  return { ...body, ...Object.fromEntries(free) }
}

const depthOf = ({ kind }: Resource) => (kind ? parentFields(kind).length : 0)

/**
 * Creates one row, with this name, of each kind that the user may create in their project. Uses the first example of
 * each call that requires no other rows. Omits kinds that are not created with JSON (images).
 */
export async function createSamples(server: TestServer, who: PersonaName, name: string): Promise<Made[]> {
  const flavor = (await server.call(flavors.list, { as: who })).data[0]!.id
  const { permissions, scope } = await server.call(session.meta, { as: who })
  const made: Made[] = []
  // parents before their children
  const byDepth = resourceList.toSorted(([, a], [, b]) => depthOf(a) - depthOf(b))
  for (const [, { kind, calls }] of byDepth) {
    const call: Endpoint | undefined = calls['create']
    if (!kind || !call?.body || typeof call.needs !== 'object') continue
    if (!methodsAllow(permissions[call.needs.resource]?.methods, call.needs.ability)) continue
    if ('project_id' in kind.entity.shape && scope.kind !== 'project') continue
    const example = examplesOf(call.body).find((it) => kindsIn(it).every((named) => ofTheWorld.has(named)))
    if (!example) continue
    const body = marked(filledIn(example, () => flavor) as Record<string, unknown>, call.body, name)
    const parent = kind.parent && made.find((it) => it.kind === kind.parent!.kind.name)
    // without the right to create domains, the test server uses the user's own domain
    if (kind.parent && !parent && kind.parent.kind.owns === undefined) continue
    const words = paramNames(call.path).flatMap((name) => (pathWords[name] ? [[name, pathWords[name][0]!]] : []))
    const params = { ...Object.fromEntries(words), ...(kind.parent && parent && { [kind.parent.field]: parent.id }) }
    const { id } = (await server.call(call, { as: who, params, body } as never)) as { id: string }
    made.push({ kind: kind.name, id })
  }
  return made
}
