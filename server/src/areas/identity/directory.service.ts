import { rightsOf } from '@mainstay/contract/identity/rights'
import { userKind, type User } from '@mainstay/contract/identity/users'
import type { Kind } from '@mainstay/contract/core/kind'
import { problem } from '@mainstay/contract/core/problems'
import type { DirectoryPort } from '@mainstay/engines/ports/directory'
import type { Entity } from '@mainstay/engines/ports/records'
import { readFrom } from '../../http/serve'
import type { Tools } from '../../tools'

/** Returns the directory port. Throws `unsupported` if a cloud manages users and projects. */
export function directoryOf({ ports }: Pick<Tools, 'ports'>): DirectoryPort {
  const { directory } = ports.identity
  if (!directory) throw problem('identity.directory_of_cloud')
  return directory
}

/** Handlers that list and view rows of a directory kind. They throw `unsupported` if a cloud manages the directory. */
export function readDirectory<Row extends Entity>(kind: Kind): ReturnType<typeof readFrom<Row>> {
  const { list, view } = readFrom<Row>(kind)
  return {
    async list(call, tools) {
      directoryOf(tools)
      return list(call, tools)
    },
    async view(call, tools) {
      directoryOf(tools)
      return view(call, tools)
    },
  }
}

/** Returns the IDs of those users who have no system permissions, either directly or through a group. */
async function withoutSystemPermissions(userIds: readonly string[], { inventory }: Tools): Promise<string[]> {
  const rows = await inventory.rowsOf(userKind, [...userIds])
  return [...rows.values()].filter((user) => rightsOf(user as User).system_permissions.length === 0).map(({ id }) => id)
}

/**
 * Runs a change to these users' rights. Users who gain their first system permission lose their sessions, tokens and
 * passkeys, because someone else may have created them while the account had fewer rights. The embedded engine has
 * already removed them in the same transaction as the change; a cloud does not know this server's sessions.
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
