import * as z from 'zod'
import { create, read, remove, update, type Needs } from './endpoint'
import type { Kind } from './kind'
import { page, PageQuery } from './paging'

/** The usual calls of a kind, by their names. */
export type CrudName = 'list' | 'create' | 'view' | 'update' | 'delete'
export const crudNames: ReadonlySet<string> = new Set<CrudName>(['list', 'create', 'view', 'update', 'delete'])

/** Which of the usual calls a kind has, and what differs from the usual of them. */
interface CrudOptions {
  /** Of the list; a row is below it. */
  path: `/${string}`
  /** In sentences: `['a volume', 'volumes']`. */
  called: readonly [one: string, many: string]
  /** What one is made of; without it there is no call to make one. */
  draft?: z.ZodType
  /** What of one may be changed; without it there is no call to change one. */
  change?: z.ZodType
  /** Whether one can be deleted. */
  delete?: true
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
    : unknown)
type CallsOf<Entity extends z.ZodObject, Options extends CrudOptions> = Crud<
  Entity,
  Options,
  Options['path'],
  Options extends { accepted: readonly (infer Name)[] } ? Name : never
>

/**
 * The usual calls of a kind: list and view, and those to make, change and delete one where the options say so. Rights
 * are the kind's own.
 */
export function crud<Entity extends z.ZodObject, const Options extends CrudOptions>(
  { entity, permissions: { collection, item } }: Kind<Entity>,
  options: Options,
): { [Name in keyof CallsOf<Entity, Options>]: CallsOf<Entity, Options>[Name] } {
  const {
    path,
    called: [one, many],
    accepted = [],
    summaries = {},
  } = options
  const rowPath = `${path}/:id`
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
  }
  // looked for by name: the console's first pages have the calls without their schemas
  const asks: Record<CrudName, boolean> = {
    list: true,
    view: true,
    create: 'draft' in options,
    update: 'change' in options,
    delete: 'delete' in options,
  }
  const names = (Object.keys(calls) as CrudName[]).filter((name) => asks[name])
  return Object.fromEntries(names.map((name) => [name, calls[name]])) as never
}
