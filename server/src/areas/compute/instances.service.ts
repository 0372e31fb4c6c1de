import {
  instanceKind,
  type ConsoleProtocol,
  type ConsoleTicket,
  type Instance,
} from '@mainstay/contract/compute/instances'
import { instanceCan } from '@mainstay/contract/compute/instance-rules'
import { Tag } from '@mainstay/contract/core/names'
import { fieldProblem, problem, problemOf, ruleIn } from '@mainstay/contract/core/problems'
import type { SignedIn } from '../../session/signed-in'
import type { Tools } from '../../tools'

/** Path of the console WebSocket, relative to the mount path of the application. */
const CONSOLE_PATH = '/websockify'

type ConsoleTools = Pick<Tools, 'inventory' | 'areas' | 'capabilities' | 'consoleTickets'>

/** Issues a single-use console ticket. Throws `not_found`, `console_unavailable` and `unsupported`. */
export async function consoleTicket(
  { inventory, areas, capabilities, consoleTickets }: ConsoleTools,
  caller: SignedIn,
  id: string,
  protocol: ConsoleProtocol,
): Promise<ConsoleTicket> {
  if (!areas.compute.engine) throw problem('core.not_configured', { advice: areas.compute.advice })
  const protocols = capabilities.compute.console_protocols
  if (protocols.length > 0 && !protocols.includes(protocol))
    throw fieldProblem('protocol', 'compute.no_console_of_kind')
  const instance = await inventory.view<Instance>(instanceKind, caller.scope, id)
  if (!instanceCan('console', instance))
    throw problem('compute.no_console_now', {}, { data: { status: instance.status } })
  if (protocols.length === 0) throw problem('compute.simulated_without_console')
  const { token, expiresAt } = await consoleTickets.issue({
    session_id: caller.session_id,
    panel: caller.panel,
    instance_id: id,
    protocol,
    project_id: caller.project?.id ?? null,
    credential_key: caller.credential_key,
  })
  return { protocol, path: `${CONSOLE_PATH}?token=${token}`, token, expires_at: expiresAt.toISOString() }
}

/** Parses a tag from the path. Throws a `validation` error. */
export function readTag(text: string): string {
  const tag = Tag.safeParse(text)
  if (!tag.success) throw problemOf(ruleIn(tag.error), { field: 'tag' })
  return tag.data
}
