import { rightsOf } from '@mainstay/contract/identity/rights'
import { userKind, type User } from '@mainstay/contract/identity/users'
import type { Kind } from '@mainstay/contract/core/kind'
import { problem } from '@mainstay/contract/core/problems'
import type { DirectoryPort } from '@mainstay/engines/ports/directory'
import type { Entity } from '@mainstay/engines/ports/records'
import { readFrom } from '../../http/serve'
import type { Tools } from '../../tools'

/** Throws `unsupported` where users and projects are administered elsewhere. */
export function directoryOf({ ports }: Pick<Tools, 'ports'>): DirectoryPort {
  const { directory } = ports.identity
  if (!directory) throw problem('identity.directory_of_cloud')
  return directory
}

/** List and view of a kind that a directory keeps. Throw `unsupported` where it is kept elsewhere. */
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
