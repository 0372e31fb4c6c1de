import { methodsAllow } from '@mainstay/contract/core/abilities'
import type { Access } from '@mainstay/contract/core/endpoint'
import type { Meta } from '@mainstay/contract/identity/session'
import { sessionNow, useSession } from './session'

/** Whether the permissions cover a call or a route. Before they are loaded, reading is allowed (S1§6). */
export function allows(meta: Meta | null, needs: Access): boolean {
  if (needs === 'public' || needs === 'signed-in') return true
  if (!meta) return needs.ability === 'read'
  return methodsAllow(meta.permissions[needs.resource]?.methods, needs.ability)
}

/** Like `useMay`, for code outside components. */
export const mayNow = (needs: Access) => allows(sessionNow().meta, needs)

/**
 * Returns a function that checks permissions, to hide actions that the role can never perform: `const may = useMay()`,
 * then `may(sshKeys.create.needs)`.
 */
export function useMay(): (needs: Access) => boolean {
  const meta = useSession((session) => session.meta)
  return (needs) => allows(meta, needs)
}
