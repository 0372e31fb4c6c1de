import type { Scope } from '@mainstay/engines/ports/scope'

/** Scope for work that the server does automatically. */
export const serverScope: Scope = {
  ...{ kind: 'system', user_id: 'server', user_name: 'server', domain_id: 'default', project_id: null, roles: [] },
  request_id: 'scheduler',
}
