import type { Scope } from '@mainstay/engines/ports/scope'

/** Who does what the server does by itself. */
export const serverScope: Scope = {
  ...{ kind: 'system', user_id: 'server', user_name: 'server', domain_id: 'default', project_id: null, roles: [] },
  request_id: 'scheduler',
}
