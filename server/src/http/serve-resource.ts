import type { Endpoint } from '@mainstay/contract/core/endpoint'
import type { CrudName } from '@mainstay/contract/core/crud'
import type { Kind } from '@mainstay/contract/core/kind'
import { isPlain, resourceList } from '@mainstay/contract/resources'
import type { AnyPlainPort, PlainPort, PlainPorts } from '@mainstay/engines/ports/plain'
import type { ProjectScope, Scope } from '@mainstay/engines/ports/scope'
import { inProject } from '../session/in-project'
import type { Tools } from '../tools'
import { deleteEach } from './rows/delete-each'
import { parentIn, requireParent, viewIn } from './rows/parents'
import { readFrom, serve, type Handlers, type LooseCall, type Served } from './serve'

type Calls = Record<string, Endpoint>
type Read = 'list' | 'view'
type Others<Table, Known> = Exclude<keyof Table, Known>

interface ResourceOf<Table> {
  kind: Kind
  calls: Table
}

type ChoosePort<Table, Own> = (tools: Tools) => PlainPort<Table, Own>

/** A read-only resource needs no port, and one with only standard commands needs only a port. */
type Rest<Table> = [Others<Table, Read>] extends [never]
  ? []
  : [Others<Table, CrudName>] extends [never]
    ? [port: ChoosePort<Table, never>]
    : [never]

/** Rejects handlers for unknown calls. */
type OnlyCallsOf<Table, Own> = { [Name in keyof Own]: Name extends keyof Table ? unknown : never }

/**
 * Binds the calls of a resource to handlers: list and view read the index, standard commands go to an engine's port,
 * and `own` contains the rest. Does not compile if a call has no handler or the port lacks a command.
 *
 * If the kind has a parent, the port receives the ID of the row's parent before the row's own ID. The server has
 * checked both; the engine checks them again in its transaction.
 *
 * A project scope is required to create a row that belongs to a project, or to change a row of a kind that is visible
 * only to its owner.
 */
export function serveResource<Table extends Calls>(resource: ResourceOf<Table>, ...rest: Rest<Table>): Served[]
export function serveResource<
  Table extends Calls,
  const Own extends Partial<Handlers<Table>> & Pick<Handlers<Table>, Others<Table, CrudName>>,
>(resource: ResourceOf<Table>, port: ChoosePort<Table, keyof Own>, own: Own & OnlyCallsOf<Table, Own>): Served[]
export function serveResource(
  resource: ResourceOf<Calls>,
  port: (tools: Tools) => unknown = () => undefined,
  own: object = {},
): Served[] {
  return serveLoosely(resource, port, own)
}

function serveLoosely({ kind, calls }: ResourceOf<Calls>, port: (tools: Tools) => unknown, own: object = {}): Served[] {
  const portOf = (tools: Tools) => port(tools) as AnyPlainPort
  const makes = 'project_id' in kind.entity.shape ? inProject : asItIs
  const changes = kind.visibility === 'owner' ? inProject : asItIs
  /** Arguments that identify the row: the ID of its parent, if the kind has one, and its own ID. */
  const placeOf = async ({ scope, params }: LooseCall, tools: Tools): Promise<string[]> => {
    const id = params['id']!
    if (!kind.parent) return [id]
    const row = await viewIn(kind, scope!, { ...params, id }, tools)
    return [row[kind.parent.field] as string, row.id]
  }
  const usual: Record<CrudName, (call: LooseCall, tools: Tools) => unknown> = {
    ...(readFrom(kind) as unknown as Record<Read, Served['handle']>),
    async create({ scope, params, body }, tools) {
      const place = kind.parent ? [await requireParent(kind, scope!, params, tools)] : []
      return portOf(tools).create(makes(scope!), ...place, body)
    },
    update: async (call, tools) =>
      portOf(tools).update(changes(call.scope!), ...(await placeOf(call, tools)), call.body),
    delete: async (call, tools) => portOf(tools).delete(changes(call.scope!), ...(await placeOf(call, tools))),
    async deleteSeveral(call, tools) {
      await parentIn(kind, call.scope!, call.params, tools)
      const { uuids } = call.body as { uuids: string[] }
      await deleteEach(uuids, (id) => handlers.delete({ ...call, params: { ...call.params, id } }, tools))
    },
  }
  const handlers = { ...usual, ...own }
  return serve(calls, handlers, { kind })
}

/** Passes on any scope; `inProject` is used where the port requires a project. */
const asItIs = (scope: Scope): ProjectScope => scope as ProjectScope

/** Serves the plain resources of an area. The area's port provides their commands under the resource names. */
export function servePlain<const Area extends string>(area: Area, port: (tools: Tools) => PlainPorts<Area>): Served[] {
  return resourceList.flatMap(([name, resource]) => {
    if (resource.area !== area || !isPlain(resource)) return []
    const portOf = (tools: Tools) => (port(tools) as Record<string, unknown>)[name]
    return serveLoosely(resource as ResourceOf<Calls>, portOf)
  })
}
