import * as z from 'zod'
import { create, parentNames, read, remove, update, type Needs } from './endpoint'
import { parentFields, type Kind } from './kind'
import { Several } from './names'
import { page, PageQuery } from './lists/paging'

/** Names of the standard calls of a kind. */
export type CrudName = 'list' | 'create' | 'view' | 'update' | 'delete' | 'deleteSeveral'
export const crudNames: ReadonlySet<string> = new Set<CrudName>([
  ...(['list', 'create', 'view', 'update', 'delete', 'deleteSeveral'] as const),
])

/** Which standard calls a kind has, and how they differ from the default. */
interface CrudOptions {
  /**
   * Path of the list; rows are one level below it. For a kind with a parent, the path names the parent:
   * `/api/v2/nodes/:node_id/disks`.
   */
  path: `/${string}`
  /** Singular with its article, and plural, for use in summaries: `['a volume', 'volumes']`. */
  called: readonly [one: string, many: string]
  /** Body of the create call. If omitted, there is no create call. */
  draft?: z.ZodType
  /** Body of the update call. If omitted, there is no update call. */
  change?: z.ZodType
  /** Adds a delete call. */
  delete?: true
  /** Adds a call that deletes up to 100 rows; use a bulk run for more. */
  deleteSeveral?: true
  /** Calls that return 202 with the row in progress while a task completes the work. */
  accepted?: readonly ('create' | 'delete')[]
  /** Summaries that replace the default ones. */
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

/** Calls that `crud` creates for the given options. */
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

/** Throws if a path does not name the parents of a kind, or at least its direct parent. */
function checkParents(kind: Kind, path: string): void {
  const named = parentNames(path)
  const known = parentFields(kind)
  if (named.length === 0 ? known.length === 0 : known.slice(-named.length).join() === named.join()) return
  throw new Error(`The path ${path} of the kind ${kind.name} has to name its parents: ${known.join(', ') || 'none'}`)
}

/**
 * Creates the standard calls of a kind: list and view, and the create, update and delete calls that the options add.
 * They require the kind's permissions. Rows of a kind with a parent are listed, viewed, changed and created within the
 * parent named in the path.
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
      summary: summaries.view ?? `Get ${one}`,
      reply: entity,
    },
    update: {
      verb: 'PATCH',
      path: rowPath,
      needs: update(item),
      summary: summaries.update ?? `Update ${one}`,
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
        `Delete multiple ${many}. Objects that cannot be deleted are kept; the error lists them with the reasons.`,
      body: Several,
      reply: z.void(),
    },
  }
  // checked by key, because the console's initial bundle contains no schemas
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
