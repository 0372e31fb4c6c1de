import { ANY_DOMAIN } from '@mainstay/contract/identity/any-domain'
import { domainKind } from '@mainstay/contract/identity/domains'
import { rightsOf } from '@mainstay/contract/identity/rights'
import { userKind, type User } from '@mainstay/contract/identity/users'
import type { PageQuery } from '@mainstay/contract/core/paging'
import type { Kind } from '@mainstay/contract/core/kind'
import { notFound, Problem } from '@mainstay/contract/core/problems'
import type { DirectoryPort } from '@mainstay/engines/ports/directory'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Tools } from '../../tools'

/** Throws `unsupported` where users and projects are administered elsewhere. */
export function directoryOf({ ports }: Pick<Tools, 'ports'>): DirectoryPort {
  const { directory } = ports.identity
  if (!directory)
    throw new Problem(
      'unsupported',
      'Users and projects are kept by the cloud behind this console; administer them there',
    )
  return directory
}

/** Throws `not_found` for a domain in which the scope does not act, as for one that is not there. */
export async function requireDomain(scope: Scope, domainId: string, tools: Tools): Promise<void> {
  directoryOf(tools)
  if (scope.kind === 'system') await tools.inventory.view(domainKind, scope, domainId)
  else if (scope.domain_id !== domainId) throw notFound()
}

/** The same for a path in which `-` stands for any domain: its rows are looked at one by one. */
export async function requireDomainOrAny(scope: Scope, domainId: string, tools: Tools): Promise<void> {
  if (domainId === ANY_DOMAIN) directoryOf(tools)
  else await requireDomain(scope, domainId, tools)
}

/**
 * The domain in which a row is that a path names: that of the path, or, for `-`, the row's own. Throws `not_found` where the
 * scope does not act in it, or sees no such row.
 */
export async function domainOfRow(
  kind: Kind,
  scope: Scope,
  { domain_id, id }: { domain_id: string; id: string },
  tools: Tools,
): Promise<string> {
  await requireDomainOrAny(scope, domain_id, tools)
  if (domain_id === ANY_DOMAIN)
    return (await tools.inventory.view<Entity & { domain_id: string }>(kind, scope, id)).domain_id
  return domain_id
}

interface InDomain {
  scope: Scope
  params: { domain_id: string }
}

/** List and view of a kind whose rows are in domains: those of the domain of the path, or for `-` all that the scope sees. */
export const readInDomain = <Row extends Entity & { domain_id: string }>(kind: Kind) => ({
  async list({ scope, params, query }: InDomain & { query: PageQuery }, tools: Tools) {
    const { domain_id } = params
    await requireDomainOrAny(scope, domain_id, tools)
    return tools.inventory.list<Row>(kind, scope, domain_id === ANY_DOMAIN ? query : { ...query, domain_id })
  },
  async view({ scope, params }: InDomain & { params: { id: string } }, tools: Tools): Promise<Row> {
    const domainId = await domainOfRow(kind, scope, params, tools)
    const row = await tools.inventory.view<Row>(kind, scope, params.id)
    if (row.domain_id !== domainId) throw notFound()
    return row
  },
})

/**
 * Deletes one after the other. Those that cannot be deleted stay: `not_all_deleted` says which, and why; where there is one
 * only, its own refusal is thrown.
 */
export async function deleteEach(ids: readonly string[], remove: (id: string) => Promise<void>): Promise<void> {
  const failed: { id: string; err_code: string; message: string }[] = []
  const wanted = [...new Set(ids)]
  for (const id of wanted) {
    try {
      await remove(id)
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500 || wanted.length === 1) throw error
      failed.push({ id, err_code: error.code, message: error.message })
    }
  }
  if (failed.length === 0) return
  const deleted = wanted.filter((id) => !failed.some((it) => it.id === id))
  throw new Problem(
    'not_all_deleted',
    `${failed.length} of ${wanted.length} could not be deleted: ${failed[0]!.message}`,
    {
      data: { deleted, failed },
    },
  )
}

/** Those of these users who have no system permission now, by themselves or by a group. */
async function withoutSystemPermissions(userIds: readonly string[], { inventory }: Tools): Promise<string[]> {
  const rows = await inventory.rowsOf(userKind, [...userIds])
  return [...rows.values()].filter((user) => rightsOf(user as User).system_permissions.length === 0).map(({ id }) => id)
}

/**
 * Makes a change of rights of these users. For those to whom it gives their first system permission it ends sessions and tokens and removes
 * passkeys: somebody else can have made these while the account could do less. The engine of this machine has done so in the transaction of
 * the change; a cloud keeps no sessions of this server.
 */
export async function changeRights<Result>(
  userIds: readonly string[],
  tools: Tools,
  change: () => Promise<Result>,
): Promise<Result> {
  const before = await withoutSystemPermissions(userIds, tools)
  const result = await change()
  const after = await withoutSystemPermissions(before, tools)
  await tools.sessions.closeForRights(before.filter((id) => !after.includes(id)))
  return result
}
