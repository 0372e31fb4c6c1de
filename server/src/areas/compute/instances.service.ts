import { instanceKind, type ConsoleTicket, type Instance } from '@mainstay/contract/compute/instances'
import { instanceCan } from '@mainstay/contract/compute/instance-rules'
import { Tag } from '@mainstay/contract/core/names'
import { badField, Problem } from '@mainstay/contract/core/problems'
import type { SignedIn } from '../../session/signed-in'
import type { Tools } from '../../tools'

/** Where the screen's socket is, below the prefix under which the application is mounted. */
const SCREEN_PATH = '/websockify'

/** The single-use right to look at a screen. Throws `not_found`, `console_unavailable`. */
export async function consoleTicket(
  { inventory, computeMissing, consoleTickets }: Pick<Tools, 'inventory' | 'computeMissing' | 'consoleTickets'>,
  caller: SignedIn,
  id: string,
): Promise<ConsoleTicket> {
  if (computeMissing) throw new Problem('not_configured', computeMissing.advice)
  const instance = await inventory.view<Instance>(instanceKind, caller.scope, id)
  if (!instanceCan('console', instance))
    throw new Problem('console_unavailable', 'The instance has no screen now', { data: { status: instance.status } })
  const { token, expiresAt } = await consoleTickets.issue({
    session_id: caller.session_id,
    instance_id: id,
    project_id: caller.project?.id ?? null,
    credential_key: caller.credential_key,
  })
  return { protocol: 'vnc', path: `${SCREEN_PATH}?token=${token}`, token, expires_at: expiresAt.toISOString() }
}

/** A tag out of a path; throws `validation`. */
export function readTag(text: string): string {
  const tag = Tag.safeParse(text)
  if (!tag.success) throw badField('tag', tag.error.issues[0]!.message)
  return tag.data
}
