import { methodsAllow } from '@mainstay/contract/core/abilities'
import type { Access } from '@mainstay/contract/core/endpoint'
import type { Meta } from '@mainstay/contract/identity/session'
import { sessionNow, useSession } from './session'

/** Whether these permissions allow what a call or a route needs. Before they are known, reading is allowed (S1§6). */
export function allows(meta: Meta | null, needs: Access): boolean {
  if (needs === 'public' || needs === 'signed-in') return true
  if (!meta) return needs.ability === 'read'
  return methodsAllow(meta.permissions[needs.resource]?.methods, needs.ability)
}

/** For code that is no component. */
export const mayNow = (needs: Access) => allows(sessionNow().meta, needs)

/** `const may = useMay()`, then `may(sshKeys.create.needs)`: what is barred for ever is not shown. */
export function useMay(): (needs: Access) => boolean {
  const meta = useSession((session) => session.meta)
  return (needs) => allows(meta, needs)
}
