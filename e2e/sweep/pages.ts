/** Where each page of the console is swept, by its path in the table of routes. */
export interface SweptPage {
  /** The address, with `:kind` for the id of the demo world's first row of that kind. */
  at: string
  /** What people come to do, as its link, button or field is called: Tab must lead to it. Null: there is none. */
  action: string | RegExp | null
  /** Of the administration panel: what operators alone may do. */
  isForOperators?: boolean
  /** Of who administers a domain, outside of any project. */
  isForDomain?: boolean
  /** Nobody is signed in. */
  isForStrangers?: boolean
  /** It leaves as soon as the server answers, so that must not. */
  waitsForServer?: boolean
  /** Nothing is on it, by design. */
  isBlank?: boolean
}

const instance = '/compute/instances/:server'

export const sweptPages: Readonly<Record<string, SweptPage>> = {
  'login/{-$domainName}': { at: '/login', action: 'Sign in', isForStrangers: true },
  'login/$domainName/$idp': { at: '/login/default/company', action: 'Sign in', isForStrangers: true },
  // both lead on: nobody has begun to sign in elsewhere
  'auth/success': { at: '/auth/success', action: 'Sign in', isForStrangers: true },
  'auth/failed': { at: '/auth/failed?reason=refused', action: 'Sign in', isForStrangers: true },
  'no-service': { at: '/no-service', action: /./ },
  void: { at: '/void', action: /./, isBlank: true },
  error: { at: '/error', action: /./ },
  error403: { at: '/error403', action: /./ },
  error404: { at: '/error404', action: /./ },
  error500: { at: '/error500', action: /./ },
  error503: { at: '/error503', action: /./ },
  'service-unavailable': { at: '/service-unavailable', action: null, waitsForServer: true },
  'access-disabled': { at: '/access-disabled', action: 'Create virtual machine' },
  'error-service-disabled': { at: '/error-service-disabled', action: /./ },
  'compute/instances': { at: '/compute/instances', action: 'Create virtual machine' },
  'compute/instances/add/{-$step}': { at: '/compute/instances/add', action: 'Name' },
  'compute/instances/$id': { at: instance, action: 'Actions' },
  'compute/instances/$id/$tab': { at: `${instance}/volumes`, action: /Attach volume/ },
  'compute/instances/$id/edit/$subject': { at: `${instance}/edit/name`, action: 'Name' },
  'compute/servers/instances/$id/console': {
    at: '/compute/servers/instances/:server/console',
    // the guest has the keyboard, Tab included, until Ctrl+Alt+Home
    action: null,
  },
  'compute/images': { at: '/compute/images', action: 'Add image' },
  'compute/images/add': { at: '/compute/images/add', action: 'Name' },
  'compute/images/$id': { at: '/compute/images/:image', action: 'Close' },
  'compute/images/$id/create-volume/{-$returnRoute}': {
    at: '/compute/images/:image/create-volume',
    action: 'Name',
  },
  'compute/volumes': { at: '/compute/volumes', action: 'Create volume' },
  'compute/volumes/add': { at: '/compute/volumes/add', action: 'Name' },
  'compute/volumes/$id/{-$detailsTab}': { at: '/compute/volumes/:volume', action: 'Close' },
  'compute/server-groups': { at: '/compute/server-groups', action: 'Add server group' },
  'compute/server-groups/add': { at: '/compute/server-groups/add', action: 'Name' },
  'compute/server-groups/$id': { at: '/compute/server-groups/:server_group', action: 'Close' },
  'compute/placements': { at: '/compute/placements', action: 'Add placement', isForOperators: true },
  'compute/placements/add': { at: '/compute/placements/add', action: 'Name', isForOperators: true },
  'compute/placements/$id': {
    at: '/compute/placements/:placement',
    action: /Nodes of/,
    isForOperators: true,
  },
  'compute/placements/$id/edit': {
    at: '/compute/placements/:placement/edit',
    action: 'Name',
    isForOperators: true,
  },
  'compute/placements/$id/assign/$carrier': {
    at: '/compute/placements/:placement/assign/flavors',
    action: /s1/,
    isForOperators: true,
  },
  'compute/flavors': { at: '/compute/flavors', action: 'Add flavor', isForOperators: true },
  'compute/flavors/add': { at: '/compute/flavors/add', action: 'Name', isForOperators: true },
  'compute/flavors/$id': { at: '/compute/flavors/:flavor', action: 'Close', isForOperators: true },
  'compute/ssh-keys': { at: '/compute/ssh-keys', action: 'Add SSH key' },
  'compute/ssh-keys/add': { at: '/compute/ssh-keys/add', action: 'Name' },
  'compute/ssh-keys/$id': { at: '/compute/ssh-keys/:key', action: 'Close' },
  domains: { at: '/domains', action: 'Add domain', isForOperators: true },
  'domains/add': { at: '/domains/add', action: 'Name', isForOperators: true },
  'domains/$id': { at: '/domains/default', action: 'Close', isForOperators: true },
  'domains/$id/edit': { at: '/domains/default/edit', action: 'Name', isForOperators: true },
  users: { at: '/users', action: 'Add user', isForDomain: true },
  'users/add': { at: '/users/add', action: 'Login', isForDomain: true },
  'users/$id': { at: '/users/:user', action: 'Properties', isForDomain: true },
  'users/$id/$tab': { at: '/users/:user/projects', action: 'Assign to projects', isForDomain: true },
  'users/$id/edit': { at: '/users/:user/edit', action: 'Login', isForDomain: true },
  'users/$id/assign': { at: '/users/:user/assign', action: 'Project member', isForDomain: true },
  'users/$id/password': { at: '/users/:user/password', action: 'Password', isForDomain: true },
  projects: { at: '/projects', action: 'Add project', isForDomain: true },
  'projects/add': { at: '/projects/add', action: 'Name', isForDomain: true },
  'projects/$id': { at: '/projects/:project', action: 'Properties', isForDomain: true },
  'projects/$id/$tab': { at: '/projects/:project/members', action: 'Assign members', isForDomain: true },
  'projects/$id/edit': { at: '/projects/:project/edit', action: 'Name', isForDomain: true },
  'projects/$id/assign': { at: '/projects/:project/assign', action: 'Project member', isForDomain: true },
  'projects/$id/unassign': { at: '/projects/:project/unassign', action: 'ada', isForDomain: true },
  engines: { at: '/engines', action: /./ },
  tasks: { at: '/tasks', action: /Search|Filter/ },
}
