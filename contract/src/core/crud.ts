import * as z from 'zod'
import { create, parentNames, read, remove, update, type Needs } from './endpoint'
import { parentFields, type Kind } from './kind'
import { Several } from './names'
import { page, PageQuery } from './lists/paging'

/** The usual calls of a kind, by their names. */
export type CrudName = 'list' | 'create' | 'view' | 'update' | 'delete' | 'deleteSeveral'
export const crudNames: ReadonlySet<string> = new Set<CrudName>([
  ...(['list', 'create', 'view', 'update', 'delete', 'deleteSeveral'] as const),
])

/** Which of the usual calls a kind has, and what differs from the usual of them. */
interface CrudOptions {
  /** Of the list; a row is below it. Of a kind with a parent it names the parent: `/api/v2/nodes/:node_id/disks`. */
  path: `/${string}`
  /** In sentences: `['a volume', 'volumes']`. */
  called: readonly [one: string, many: string]
  /** What one is made of; without it there is no call to make one. */
  draft?: z.ZodType
  /** What of one may be changed; without it there is no call to change one. */
  change?: z.ZodType
  /** Whether one can be deleted. */
  delete?: true
  /** Whether several can be deleted by one call, at most 100; more are a bulk run. */
  deleteSeveral?: true
  /** Calls that answer 202 with the row on its way, while a task does the rest. */
  accepted?: readonly ('create' | 'delete')[]
  /** Where the usual sentence does not say all. */
  summaries?: Partial<Record<CrudName, string>>
}

interface OneCall<Verb, Path, Reply> {
  verb: Verb
  path: Path
  needs: Needs
  summary: string
  reply: Reply
}
type RowPath<Path extends string> = `${Path}/:id`

/** The calls that follow from the options. */
type Crud<Entity extends z.ZodObject, Options extends CrudOptions, Path extends string, Accepted> = {
  list: OneCall<'GET', Path, ReturnType<typeof page<Entity>>> & { query: typeof PageQuery }
  view: OneCall<'GET', RowPath<Path>, Entity>
} & (Options extends { draft: infer Draft }
  ? { create: OneCall<'POST', Path, Entity> & { body: Draft; status: 201 | 202 } }
  : unknown) &
  (Options extends { change: infer Change }
    ? { update: OneCall<'PATCH', RowPath<Path>, Entity> & { body: Change } }
    : unknown) &
  (Options extends { delete: true }
    ? { delete: OneCall<'DELETE', RowPath<Path>, 'delete' extends Accepted ? Entity : z.ZodVoid> }
    : unknown) &
  (Options extends { deleteSeveral: true }
    ? { deleteSeveral: OneCall<'DELETE', Path, z.ZodVoid> & { body: typeof Several } }
    : unknown)
type CallsOf<Entity extends z.ZodObject, Options extends CrudOptions> = Crud<
  Entity,
  Options,
  Options['path'],
  Options extends { accepted: readonly (infer Name)[] } ? Name : never
>

/** Throws where a path does not name the parents of a kind: its own one at least. */
function checkParents(kind: Kind, path: string): void {
  const named = parentNames(path)
  const known = parentFields(kind)
  if (named.length === 0 ? known.length === 0 : known.slice(-named.length).join() === named.join()) return
  throw new Error(`The path ${path} of the kind ${kind.name} has to name its parents: ${known.join(', ') || 'none'}`)
}

/**
 * The usual calls of a kind: list and view, and those to make, change and delete one where the options say so. Rights
 * are the kind's own. A kind with a parent is listed, viewed and changed within the parent that the path names, and made
 * in it.
 */
export function crud<Entity extends z.ZodObject, const Options extends CrudOptions>(
  kind: Kind<Entity>,
  options: Options,
): { [Name in keyof CallsOf<Entity, Options>]: CallsOf<Entity, Options>[Name] } {
  const {
    entity,
    permissions: { collection, item },
  } = kind
  const {
    path,
    called: [one, many],
    accepted = [],
    summaries = {},
  } = options
  const rowPath = `${path}/:id`
  checkParents(kind, path)
  const calls = {
    list: {
      verb: 'GET',
      path,
      needs: read(collection),
      summary: summaries.list ?? `List ${many}`,
      query: PageQuery,
      reply: page(entity),
    },
    create: {
      verb: 'POST',
      path,
      needs: create(collection),
      summary: summaries.create ?? `Create ${one}`,
      body: options.draft,
      status: accepted.includes('create') ? 202 : 201,
      reply: entity,
    },
    view: {
      verb: 'GET',
      path: rowPath,
      needs: read(item),
      summary: summaries.view ?? `Read ${one}`,
      reply: entity,
    },
    update: {
      verb: 'PATCH',
      path: rowPath,
      needs: update(item),
      summary: summaries.update ?? `Change ${one}`,
      body: options.change,
      reply: entity,
    },
    delete: {
      verb: 'DELETE',
      path: rowPath,
      needs: remove(item),
      summary: summaries.delete ?? `Delete ${one}`,
      ...(accepted.includes('delete') && { status: 202 }),
      reply: accepted.includes('delete') ? entity : z.void(),
    },
    deleteSeveral: {
      verb: 'DELETE',
      path,
      needs: remove(item),
      summary:
        summaries.deleteSeveral ??
        `Delete several ${many}. Those that cannot be deleted stay, and the answer says which and why`,
      body: Several,
      reply: z.void(),
    },
  }
  // looked for by name: the console's first pages have the calls without their schemas
  const asks: Record<CrudName, boolean> = {
    list: true,
    view: true,
    create: 'draft' in options,
    update: 'change' in options,
    delete: 'delete' in options,
    deleteSeveral: 'deleteSeveral' in options,
  }
  const names = (Object.keys(calls) as CrudName[]).filter((name) => asks[name])
  return Object.fromEntries(names.map((name) => [name, calls[name]])) as never
}
